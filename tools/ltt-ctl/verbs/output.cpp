// SPDX-License-Identifier: MIT
#include "output.h"

#include "../lib/contexts.h"

namespace ltt
{

void add_output(Arguments &a, std::string &directory)
{
	a.option("-o,--output", "DIR", directory,
		"directory to write to; must not exist or be empty", true);
}

void add_contexts(Arguments &a, std::string &contexts)
{
	a.option("--context", "CONTEXTS", contexts,
		"write these with each event, too, as views of Trace Compass want it: " +
			context_words(reader_contexts) + "; 24 bytes more for all");
}

} // namespace ltt

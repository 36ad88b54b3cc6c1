// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_start(const Words &words)
{
	std::string name;

	Arguments a("start", describe("start"));
	a.positional("NAME", name, "the trace");
	a.example("ltt-ctl start mine");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	open_device()->open(name)->start();
	return 0;
}

} // namespace ltt

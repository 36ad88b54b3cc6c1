// SPDX-License-Identifier: MIT
#include "output.h"

namespace ltt
{

void add_output(Arguments &a, std::string &directory)
{
	a.option("-o,--output", "DIR", directory,
		"directory to write to; must not exist or be empty", true);
}

void add_event_context(Arguments &a, bool &event_context)
{
	a.flag("--event-context", event_context,
		"write vpid, vtid and procname with each event, for views of Trace Compass; 24 "
		"bytes more");
}

} // namespace ltt

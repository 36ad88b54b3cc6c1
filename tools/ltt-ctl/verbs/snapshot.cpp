// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/runner.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_snapshot(const Words &words)
{
	SnapshotOptions options;

	Arguments a("snapshot", describe("snapshot"));
	a.positional("NAME", options.name, "the trace");
	a.option("-o,--output", "DIR", options.directory,
		"directory to write to; must not exist or be empty", true);
	a.flag("--event-context", options.event_context,
		"write vpid, vtid and procname with each event, for views of Trace Compass; 24 "
		"bytes more");
	a.example("ltt-ctl snapshot flight -o /tmp/flight");
	if (!a.parse(words))
		return 0;

	check_trace_name(options.name);
	return take_snapshot(*open_device(), options);
}

} // namespace ltt

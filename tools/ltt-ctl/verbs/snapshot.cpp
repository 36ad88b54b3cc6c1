// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/runner.h"
#include "../lib/text.h"
#include "output.h"
#include "verbs.h"

namespace ltt
{

int verb_snapshot(const Words &words)
{
	SnapshotOptions options;

	Arguments a("snapshot", describe("snapshot"));
	a.positional("NAME", options.name, "the trace");
	add_output(a, options.directory);
	add_event_context(a, options.event_context);
	a.example("ltt-ctl snapshot flight -o /tmp/flight");
	if (!a.parse(words))
		return 0;

	check_trace_name(options.name);
	return take_snapshot(*open_device(), options);
}

} // namespace ltt

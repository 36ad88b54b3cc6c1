// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/error.h"
#include "../lib/runner.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_record(const Words &words)
{
	RecordOptions options;

	Arguments a("record", describe("record"));
	a.positional("NAME", options.name, "the trace");
	a.option("-o,--output", "DIR", options.directory,
		"directory to write to; must not exist or be empty", true);
	a.flag("--until-stopped", options.until_stopped, "end when the trace is stopped, too");
	a.flag("--drain", options.drain, "take what is there now, and end");
	a.flag("--event-context", options.event_context,
		"write vpid, vtid and procname with each event, for views of Trace Compass; 24 "
		"bytes more");
	a.example("ltt-ctl record mine -o /tmp/mine");
	if (!a.parse(words))
		return 0;

	if (options.drain && options.until_stopped)
		throw Error(Exit::misuse, "--drain and --until-stopped exclude each other");
	check_trace_name(options.name);
	return record_trace(*open_device(), options);
}

} // namespace ltt

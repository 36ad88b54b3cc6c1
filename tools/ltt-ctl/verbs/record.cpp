// SPDX-License-Identifier: MIT
#include <cstdio>

#include "../lib/arguments.h"
#include "../lib/error.h"
#include "../lib/recorder.h"
#include "../lib/signals.h"
#include "../lib/text.h"
#include "report.h"
#include "verbs.h"

namespace ltt {

int verb_record(const Words &words)
{
	std::string name, directory;
	bool until_stopped = false, drain = false, event_context = false;

	Arguments a("record", describe("record"));
	a.positional("NAME", name, "the trace");
	a.option("-o,--output", directory, "directory to write to; must not exist or be empty", true);
	a.flag("--until-stopped", until_stopped, "end when the trace is stopped, too");
	a.flag("--drain", drain, "take what is there now, and end");
	a.flag("--event-context", event_context,
	       "write vpid, vtid and procname with each event, for views of Trace Compass; 24 bytes more");
	a.example("ltt-ctl record mine -o /tmp/mine");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	std::unique_ptr<Kernel> kernel = open_device();
	std::unique_ptr<KernelTrace> trace = kernel->open(name);
	Progress progress;
	std::unique_ptr<Session> session =
		open_session(*trace, directory, event_context, reporter(progress));
	Recorder recorder(*trace, *session);
	Signals signals;

	auto enough = [&] {
		progress.show(session->totals());
		return Signals::asked_to_end() != 0 || (until_stopped && !trace->info().active);
	};
	if (!drain)
		recorder.follow(enough);
	bool quiet = recorder.at_end() || !trace->info().active;
	recorder.drain(quiet);
	progress.clear();
	std::printf("%s\n", summary(session->totals(), directory).c_str());
	return static_cast<int>(exit_code(session->totals()));
}

} // namespace ltt

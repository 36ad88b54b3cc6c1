// SPDX-License-Identifier: MIT
#include <cstdio>

#include <unistd.h>

#include "../lib/error.h"
#include "../lib/kernel.h"
#include "../lib/reader/follow.h"
#include "../lib/reader/time.h"
#include "../lib/reader/view.h"
#include "../lib/rules.h"
#include "../lib/terminal.h"
#include "../lib/text.h"
#include "json.h"
#include "verbs.h"

namespace ltt
{

namespace
{

int64_t parse_tid(const std::string &text)
{
	if (text.empty())
		return 0;
	if (text.size() > 10 || text.find_first_not_of("0123456789") != std::string::npos ||
		std::stoll(text) == 0)
		throw Error(Exit::misuse, "\"" + text + "\" is not the number of a thread");
	return std::stoll(text);
}

} // namespace

int verb_view(const Words &words)
{
	std::string what, tid;
	reader::ViewOptions options;
	bool json = false, live = false, take = false;

	Arguments a("view", describe("view"));
	a.positional("DIR|NAME", what,
		"what record, run or snapshot wrote, or a part of it; with --live, a trace");
	a.flag("--live", live,
		"print what the trace holds, and then what comes, until it is destroyed; takes "
		"nothing away");
	a.flag("--take", take,
		"with --live: take it, as a recorder does, so that the buffers do not get full");
	a.option("--events", "RULES", options.rules,
		std::string("which events: ") + rules_words + "; default all");
	a.option("--program", "NAME", options.program,
		"of this program only, as its directory in DIR/ust is called, or a living thread");
	a.option("--tid", "N", tid, "of this thread only: its tid or vtid");
	a.option("--from", "TIME", options.from, std::string("not before: ") + reader::time_words);
	a.option("--to", "TIME", options.to, "not after");
	a.flag("--json", json, "print JSON, one object on each line, for scripts");
	a.example("ltt-ctl view /tmp/out");
	a.example("ltt-ctl view /tmp/out --events 'net:*' --from +1.5 --to +2");
	a.example("ltt-ctl view --live mine");
	if (!a.parse(words))
		return 0;

	options.rules = parse_rules(options.rules);
	options.tid = parse_tid(tid);
	if (take && !live)
		throw Error(Exit::misuse, "--take goes with --live only");
	if (live && !(options.from.empty() && options.to.empty()))
		throw Error(Exit::misuse, "--from and --to are of what was written, not of --live");
	const auto printer =
		json ? reader::json_printer() : reader::text_printer(wants_colour(STDOUT_FILENO));
	auto report = [](const std::string &line) {
		std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
	};
	if (!live)
		return static_cast<int>(
			reader::view_session(what, options, *printer, stdout, report));
	check_trace_name(what);
	reader::follow_trace(*open_device(), what, {options.rules, options.program, options.tid},
		take, *printer, stdout, report);
	return 0;
}

} // namespace ltt

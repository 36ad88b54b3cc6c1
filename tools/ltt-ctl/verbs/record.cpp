// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/contexts.h"
#include "../lib/error.h"
#include "../lib/runner.h"
#include "../lib/text.h"
#include "output.h"
#include "verbs.h"

namespace ltt
{

int verb_record(const Words &words)
{
	RecordOptions options;
	std::string contexts;

	Arguments a("record", describe("record"));
	a.positional("NAME", options.name, "the trace");
	add_output(a, options.directory);
	a.flag("--until-stopped", options.until_stopped, "end when the trace is stopped, too");
	a.flag("--drain", options.drain, "take what is there now, and end");
	add_contexts(a, contexts);
	a.example("ltt-ctl record mine -o /tmp/mine");
	if (!a.parse(words))
		return 0;

	if (options.drain && options.until_stopped)
		throw Error(Exit::misuse, "--drain and --until-stopped exclude each other");
	check_trace_name(options.name);
	options.contexts = parse_contexts(contexts, reader_contexts);
	return record_trace(*open_device(), options);
}

} // namespace ltt

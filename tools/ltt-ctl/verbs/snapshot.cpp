// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/contexts.h"
#include "../lib/runner.h"
#include "../lib/text.h"
#include "output.h"
#include "verbs.h"

namespace ltt
{

int verb_snapshot(const Words &words)
{
	SnapshotOptions options;
	std::string contexts;

	Arguments a("snapshot", describe("snapshot"));
	a.positional("NAME", options.name, "the trace");
	add_output(a, options.directory);
	add_contexts(a, contexts);
	a.example("ltt-ctl snapshot flight -o /tmp/flight");
	if (!a.parse(words))
		return 0;

	check_trace_name(options.name);
	options.contexts = parse_contexts(contexts, reader_contexts);
	return take_snapshot(*open_device(), options);
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "../lib/arguments.h"
#include "../lib/contexts.h"
#include "../lib/daemon.h"
#include "../lib/error.h"
#include "../lib/recording.h"
#include "../lib/text.h"
#include "output.h"
#include "verbs.h"

namespace ltt
{

int verb_record(const Words &words)
{
	RecordOptions options;
	std::string contexts;
	bool daemon = false;

	Arguments a("record", describe("record"));
	a.positionals("NAME", options.names, "the trace, or several");
	add_output(a, options.directory);
	a.flag("--until-stopped", options.until_stopped, "end when the trace is stopped, too");
	a.flag("--drain", options.drain, "take what is there now, and end");
	a.flag("-d,--daemon", daemon,
		"go on in the background; return when the recording has begun");
	a.option("--pid-file", "FILE", options.pid_file,
		"a file that has the number of the recording process while it lives");
	add_contexts(a, contexts);
	a.example("ltt-ctl record mine -o /tmp/mine");
	a.example("ltt-ctl record -d --pid-file /run/ltt-record.pid mine -o /var/log/mine");
	if (!a.parse(words))
		return 0;

	if (options.drain && options.until_stopped)
		throw Error(Exit::misuse, "--drain and --until-stopped exclude each other");
	if (options.drain && daemon)
		throw Error(Exit::misuse, "--drain and --daemon exclude each other");
	for (auto name = options.names.begin(); name != options.names.end(); ++name) {
		check_trace_name(*name);
		if (std::find(options.names.begin(), name, *name) != name)
			throw Error(Exit::misuse, "trace " + *name + " is named twice");
	}
	options.contexts = parse_contexts(contexts, reader_contexts);
	if (!daemon)
		return record_traces(*open_device(), options);
	// A daemon is at home in the root directory.
	options.directory = std::filesystem::absolute(options.directory);
	if (!options.pid_file.empty())
		options.pid_file = std::filesystem::absolute(options.pid_file);
	return as_daemon([&](const std::function<void()> &ready) {
		options.ready = ready;
		return record_traces(*open_device(), options);
	});
}

} // namespace ltt

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

namespace
{

constexpr uint64_t least_chunk = 64 * 1024;

} // namespace

int verb_record(const Words &words)
{
	RecordOptions options;
	std::string contexts;
	bool daemon = false;
	std::string rotate_size, rotate_time, keep;

	Arguments a("record", describe("record"));
	a.positionals("NAME", options.names, "the trace, or several");
	add_output(a, options.directory);
	a.flag("--until-stopped", options.until_stopped, "end when the trace is stopped, too");
	a.flag("--drain", options.drain, "take what is there now, and end");
	a.flag("--continue", options.resume,
		"go on with the recording in DIR, if there is one: it becomes a chunk");
	a.flag("-d,--daemon", daemon,
		"go on in the background; return when the recording has begun");
	a.option("--pid-file", "FILE", options.pid_file,
		"a file that has the number of the recording process while it lives");
	a.option("--rotate-size", "SIZE", rotate_size,
		"begin a new chunk when one has this many bytes: 64k, 100M, 1G; from 64k");
	a.option("--rotate-time", "TIME", rotate_time,
		"begin a new chunk when one is this old: 30s, 10m, 1h, 1d; up to 365d");
	a.option("--keep", "N", keep, "keep the newest N chunks only");
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
		if (options.names.size() > 1 && *name == "chunks")
			throw Error(Exit::misuse,
				"trace chunks cannot be recorded with others: its directory would "
				"be that of the chunks");
	}
	options.contexts = parse_contexts(contexts, reader_contexts);
	if (!rotate_size.empty())
		options.rotate_size = parse_size(rotate_size);
	if (!rotate_size.empty() && options.rotate_size < least_chunk)
		throw Error(Exit::misuse,
			"--rotate-size " + rotate_size + " is too little: 64k at least");
	if (!rotate_time.empty())
		options.rotate_seconds = parse_interval(rotate_time);
	if (!keep.empty())
		options.keep = parse_count(keep, "--keep");
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

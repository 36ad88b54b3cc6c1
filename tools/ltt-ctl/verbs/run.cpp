// SPDX-License-Identifier: MIT
#include <ctime>

#include <unistd.h>

#include "../lib/runner.h"
#include "geometry.h"
#include "limits.h"
#include "verbs.h"

namespace ltt
{

namespace
{

std::string default_directory()
{
	char text[64];
	time_t t = time(nullptr);
	tm parts{};
	localtime_r(&t, &parts);
	strftime(text, sizeof(text), "ltt-%Y%m%d-%H%M%S", &parts);
	return std::string(text) + "-" + std::to_string(getpid());
}

} // namespace

int verb_run(const Words &words)
{
	RunOptions options;
	Geometry geometry;
	Limits limits(true);

	Arguments a("run", describe("run"));
	a.option("-o,--output", "DIR", options.directory,
		"directory to write to, new or empty; default ltt-DATE-TIME-PID here");
	geometry.add_to(a, true);
	limits.add_to(a);
	a.command(options.command, "the command to run, found in PATH, with its arguments");
	a.example("ltt-ctl run -o /tmp/out -- ./program --its-option");
	a.example("ltt-ctl run --kernel sched,syscalls --follow -o /tmp/out -- ./program");
	a.example("ltt-ctl run --filter shop:orders,error -o /tmp/out -- ./shop");
	if (!a.parse(words))
		return 0;
	geometry.apply(options.trace, options.command.front());
	// Limited, it takes in nobody who was not meant; and a child may become another user.
	// What happens in the kernel is everybody's.
	options.trace.system =
		(limits.any() || !options.trace.kernel.empty()) && may_trace_system();
	limits.apply(options.trace);
	if (options.directory.empty())
		options.directory = default_directory();
	options.trace.name = "run-" + std::to_string(getpid());

	return run_traced(*open_device(), options);
}

} // namespace ltt

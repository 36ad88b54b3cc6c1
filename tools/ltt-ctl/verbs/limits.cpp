// SPDX-License-Identifier: MIT
#include "limits.h"

#include <unistd.h>

#include "../lib/error.h"

namespace ltt
{

void Limits::add_to(Arguments &a)
{
	a.list("--pid", "PID", pids_, "trace this process only, or these, between commas");
	a.flag("--follow", follow_,
		command_ ? "with --pid: their children to come, too; else: the command and its "
			   "children only"
			 : "with --pid: their children to come, too");
	a.list("--uid", "UID", uids_, "trace these users only, by number or name");
	a.list("--exe", "FILE", exes_, "trace processes that execute one of these files only");
	a.list("--cgroup", "DIR", cgroups_,
		"trace these control groups (version 2) and those below them only; limits in all: "
		"64 at most");
}

bool Limits::any() const
{
	return follow_ || !pids_.empty() || !uids_.empty() || !exes_.empty() || !cgroups_.empty();
}

void Limits::apply(TraceParams &params) const
{
	std::vector<Target> &targets = params.targets;

	for (const std::string &pid : pids_)
		targets.push_back(pid_target(pid, follow_));
	if (follow_ && pids_.empty()) {
		if (!command_)
			throw Error(Exit::misuse, "--follow needs --pid");
		targets.push_back(own_children()); // the command is going to be one
	}
	for (const std::string &user : uids_) {
		targets.push_back(uid_target(user));
		if (!params.system && targets.back().target.id != geteuid())
			throw Error(Exit::no_permission,
				"a trace of one's own processes has none of user " + user +
					"; leave out --uid, or take --system, which needs "
					"CAP_PERFMON");
	}
	for (const std::string &path : exes_)
		targets.push_back(exe_target(path));
	for (const std::string &path : cgroups_)
		targets.push_back(cgroup_target(path));
	if (targets.size() > LTT_MAX_TARGETS)
		throw Error(Exit::misuse,
			std::to_string(targets.size()) + " limits are too many: a trace may have " +
				std::to_string(LTT_MAX_TARGETS) +
				", as processes, users, files and control groups");
}

} // namespace ltt

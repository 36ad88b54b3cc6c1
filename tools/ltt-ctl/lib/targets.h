// SPDX-License-Identifier: MIT
// Targets: what a trace is limited to. Words of people become what the kernel takes.
#ifndef LTT_CTL_TARGETS_H
#define LTT_CTL_TARGETS_H

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include <ust/detail/abi.h>

#include "file.h"

namespace ltt
{

struct Target {
	ltt_target target{};
	std::string name;			      // as it was given
	std::shared_ptr<const FileDescriptor> file{}; // keeps target.id open
};

// Each throws Error with a line that names the object if there can be no such target.
Target pid_target(const std::string &text, bool follow);
// A number, or a name in @passwd.
Target uid_target(const std::string &text, const std::string &passwd = "/etc/passwd");
Target exe_target(const std::string &path);
// A directory of the file system cgroup2.
Target cgroup_target(const std::string &path);

// This process's children to come, not itself.
Target own_children();

// Why the kernel finds none of the processes in @targets, or not all.
std::string missing_process(const std::vector<Target> &targets);

} // namespace ltt

#endif

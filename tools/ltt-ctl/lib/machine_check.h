// SPDX-License-Identifier: MIT
// Whether programs can be traced on this machine, by this user, and what to do if not.
#ifndef LTT_CTL_MACHINE_CHECK_H
#define LTT_CTL_MACHINE_CHECK_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "error.h"
#include "kernel.h"
#include "machine.h"

namespace ltt
{

enum class Verdict {
	ok,
	warn, // traces come to be, but not all that could be had
	fail,
};

// "ok", "warn" or "fail": scripts rely on them.
const char *verdict_name(Verdict verdict);

struct Finding {
	std::string name; // of what was looked at: scripts rely on it
	Verdict verdict = Verdict::ok;
	std::string text;	// one line: what is, and what to do
	Exit code = Exit::fine; // of a failure
};

// What the machine is asked, or a test in its place.
struct MachineProbe {
	SystemFiles files;
	std::function<std::unique_ptr<Kernel>()> open = open_device;
	// Makes one of ltt's system calls without a right argument, as programs of this
	// environment would: the errno that it ends with, or -1 if it kills.
	std::function<int()> call;
	std::string path; // the variable PATH
};

MachineProbe this_machine();

std::vector<Finding> check_machine(const MachineProbe &probe);

// No ltt goes before no permission, and that before any other failure.
Exit exit_code(const std::vector<Finding> &findings);

} // namespace ltt

#endif

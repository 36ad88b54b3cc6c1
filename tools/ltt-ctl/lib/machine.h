// SPDX-License-Identifier: MIT
// What /proc and /sys tell of this machine, as far as it matters to traces.
#ifndef LTT_CTL_MACHINE_H
#define LTT_CTL_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>

namespace ltt
{

// Where the kernel's file systems are mounted.
struct SystemFiles {
	std::string proc = "/proc";
	std::string sys = "/sys";
};

// Is this process in the first pid namespace? True also where /proc does not tell.
bool in_initial_pid_namespace(const SystemFiles &files = {});

// The kernel's limits, in bytes; none if they cannot be read.
struct Quotas {
	std::optional<uint64_t> memory;	     // of the buffers of all traces
	std::optional<uint64_t> user_memory; // of those of a user without CAP_PERFMON
	std::optional<uint64_t> user_traces; // such a user's traces, a number
};

struct Machine {
	std::string host;
	std::string kernel; // "Linux 6.12.117-ltt x86_64"
	// What a new trace is going to count: "tsc", "monotonic", or "" if /sys does not tell.
	std::string clock;
	bool may_trace_system = false; // the caller
	Quotas quotas;
};

Machine look_at_machine(const SystemFiles &files = {});

} // namespace ltt

#endif

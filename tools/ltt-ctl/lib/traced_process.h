// SPDX-License-Identifier: MIT
// What /proc tells of a process that may be traced.
#ifndef LTT_CTL_TRACED_PROCESS_H
#define LTT_CTL_TRACED_PROCESS_H

#include <string>
#include <vector>

#include <ust/detail/abi.h>

#include "machine.h"

namespace ltt
{

struct TracedProcess {
	std::string pid;
	std::vector<uint32_t> uids; // real, effective, saved and of file system
	// It handles SIGRTMIN+3, as a process does whose markers the kernel knows, or it ignores
	// it, as such a process may have inherited it.
	bool has_signal = false;
	bool initial_namespace = true; // this tool's: says by which number it knows the process
	// The first page of each buffer that is mapped.
	std::vector<ltt_trace_page> buffers;

	// Any of its threads has a buffer of this trace.
	bool has_buffer_of(const ltt_trace_info &trace) const;
	// Whether a packet is of it.
	bool wrote(const ltt_packet &header) const;
};

// Throws Error: no such process, no permission to look into it.
TracedProcess look_at_process(const std::string &pid, const SystemFiles &files = {});

} // namespace ltt

#endif

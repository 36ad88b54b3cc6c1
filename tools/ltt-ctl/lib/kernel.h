// SPDX-License-Identifier: MIT
// All that ltt-ctl wants of the kernel. /dev/ltt is behind it, or a fake in tests.
//
// Every call that fails throws Error with a line that names the trace and says what to do.
#ifndef LTT_CTL_KERNEL_H
#define LTT_CTL_KERNEL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <poll.h>

#include <ust/detail/abi.h>

#include "file.h"
#include "targets.h"

namespace ltt
{

struct TraceParams {
	std::string name;
	bool system = false;
	bool persist = false; // outlives a warm reboot
	uint32_t filter = 0xffffffff;
	std::string rules;     // of parse_rules()
	std::string kernel;    // events of the kernel: groups and names, between commas
	uint32_t contexts = 0; // LTT_CONTEXT_...
	uint32_t subbuf_size = 64 * 1024;
	uint32_t n_subbufs = 4;
	ltt_mode mode = LTT_MODE_DISCARD;
	uint32_t timeout_us = 0; // LTT_MODE_BLOCK only
	uint64_t max_memory = 0; // 0: what the quotas allow
	std::vector<Target> targets;
};

// An open trace.
class KernelTrace
{
public:
	virtual ~KernelTrace() = default;

	virtual ltt_trace_info info() = 0;
	virtual void start() = 0;
	virtual void stop() = 0;
	virtual void filter(uint32_t mask) = 0;
	virtual void set_rules(const std::string &rules) = 0;
	// "" also where the kernel has none.
	virtual std::string rules() = 0;
	// Which events of the kernel it has: groups ("sched"), names, begins of names ("sched_*"),
	// between commas; "" for none.
	virtual void set_kernel_events(const std::string &events) = 0;
	// "" also where the kernel has none.
	virtual std::string kernel_events() = 0;
	virtual void destroy() = 0;
	// Makes what is in open sub-buffers readable.
	virtual void flush() = 0;
	// The right to read, until this process ends: what one reader takes, no other gets.
	// Throws Error if another process has it. A snapshot needs none.
	virtual void lock() = 0;
	// What the trace holds now, to be read only: that takes nothing away, does not wait,
	// and comes to an end though the trace goes on.
	virtual std::unique_ptr<KernelTrace> snapshot() = 0;

	enum class Got {
		data,
		nothing,
		no_room, // not even for one packet
		end
	};
	// Never waits. On Got::data there are whole packets, of @size bytes, at @to; on Got::end
	// the trace is destroyed and all is read.
	virtual Got read(uint8_t *to, size_t room, size_t &size) = 0;
	// Waits for data, the end, a signal or the time to pass.
	virtual void wait(int milliseconds) = 0;
	// For poll(): there is data, or the end.
	virtual int descriptor() const = 0;
};

class Kernel
{
public:
	virtual ~Kernel() = default;

	virtual uint32_t version() = 0; // of its ABI
	virtual std::unique_ptr<KernelTrace> create(const TraceParams &params) = 0;
	virtual std::unique_ptr<KernelTrace> open(const std::string &name) = 0;
	virtual std::vector<ltt_trace_info> list() = 0;
	// What an earlier boot left of traces that persist: dump::open_region() reads it.
	virtual FileDescriptor previous_boot() = 0;
	// Waits for one of them, a signal or the time to pass.
	virtual void wait(std::vector<pollfd> &descriptors, int milliseconds) = 0;
};

// Throws Error if this kernel has no ltt or keeps the user out.
std::unique_ptr<Kernel> open_device();

// True if this process may trace the whole system.
bool may_trace_system();

// boot id and host name of this machine.
std::string boot_id();
std::string host_name();

} // namespace ltt

#endif

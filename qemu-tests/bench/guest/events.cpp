// SPDX-License-Identifier: MIT
//
// Events of the kernel: what a switch and a system call take more with ours than
// without, and the same with the kernel's own tracer.

#include "samples.h"

#include "../../guest/kernel_events.h"

#include <sched.h>

namespace bench
{

namespace
{

/* Of a sample: short enough that few have a timer tick. */
constexpr int rounds = 100;

/* Two processes take turns: each call is a switch to the other. */
Samples switches()
{
	int *stop = ktap::shared<int>();
	pid_t other = ktap::spawn([&] {
		while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
			call(SYS_sched_yield);
	});
	Samples list = sample(200, 20, [] {
		for (int i = 0; i < rounds / 2; ++i)
			call(SYS_sched_yield);
	});
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	REQUIRE_EQ(ktap::wait_for(other), 0);
	return list;
}

Samples calls()
{
	return sample(200, 20, [] {
		for (int i = 0; i < rounds; ++i)
			call(SYS_getppid);
	});
}

/* With these events in a trace that has room for all, which is proven. */
void measure_ours(const std::string &key, const char *select, Samples (*work)())
{
	ltt_trace_params p = ltt::params("events");
	p.subbuf_size = 4 << 20;
	p.n_subbufs = 4;
	ltt::Trace trace(p);
	REQUIRE_EQ(kernel_events::select(trace.descriptor(), select), 0);
	trace.start();
	report(key, work());
	trace.stop();
	uint64_t events = 0;
	for (const ltt::Packet &packet : trace.read_events()) {
		REQUIRE_EQ(packet.header.lost, 0);
		events = packet.header.events;
	}
	REQUIRE(events >= 220u * rounds);
}

void write_file(const std::string &path, const char *text)
{
	int fd = open(path.c_str(), O_WRONLY | O_TRUNC);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, text, strlen(text)), static_cast<ssize_t>(strlen(text)));
	close(fd);
}

void measure_ftrace(const std::string &key, const char *event, Samples (*work)())
{
	const std::string tracing = "/sys/kernel/tracing/";
	const std::string enable = tracing + "events/" + event + "/enable";
	write_file(tracing + "buffer_size_kb", "16384");
	write_file(enable, "1");
	report(key, work());
	write_file(enable, "0");
}

} // namespace

void measure_events()
{
	report("switches", switches());
	report("calls", calls());
	measure_ours("switches.ours", "sched_switch", switches);
	measure_ours("calls.ours", "syscalls", calls);
	measure_ftrace("switches.ftrace", "sched/sched_switch", switches);
	measure_ftrace("calls.ftrace", "raw_syscalls", calls);
	/* And as it was before: all is detached. */
	report("switches.after", switches());
	report("calls.after", calls());
}

} // namespace bench

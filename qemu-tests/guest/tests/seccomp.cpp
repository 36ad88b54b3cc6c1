// SPDX-License-Identifier: MIT
//
// Programs with markers under filters that know nothing of the three system
// calls, as in containers: they live, whatever traces do, and markers are silent.

#include "../seccomp.h"
#include "../storm.h"

#include <ust/ust.h>

#include <csignal>

UST_EVENT(guest, filtered, UST_BIT(0), (std::uint64_t, value))

namespace
{

using ktap::spawn;
using ktap::wait_for;

constexpr unsigned first = LTT_NR_update, last = LTT_NR_register;

void emit(uint64_t n)
{
	for (uint64_t i = 0; i < n; ++i)
		UST(guest, filtered, i);
}

// This program anew, under a filter from its first instruction on.
pid_t begin_filtered(unsigned answer)
{
	return spawn([=] {
		ktap::filter_calls(first, last, answer);
		execl("/proc/self/exe", "seccomp-program", nullptr);
		_exit(99);
	});
}

size_t events_in(ltt::Trace &trace)
{
	size_t bytes = 0;
	for (const ltt::Packet &p : trace.read_packets())
		if (p.header.type == LTT_PACKET_EVENTS)
			bytes += p.data.size();
	return bytes / 16;
}

} // namespace

// Before main(), so that the harness does not take the arguments for its own.
[[gnu::constructor]] static void program(int argc, char **argv, char **)
{
	if (argc != 1 || strcmp(argv[0], "seccomp-program") != 0)
		return;
	double end = ktap::now() + 0.3;
	do
		emit(100);
	while (ktap::now() < end);
	_exit(errno ? 98 : 0);
}

TEST("calls that return EPERM, ENOSYS or ENOMEM: markers are silent, the program lives in a storm")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	// So it is without a filter:
	CHECK_EQ(wait_for(begin_filtered(SECCOMP_RET_ALLOW)), 0);
	CHECK_GT(events_in(trace), 100);
	ltt::Storm storm;
	for (unsigned error : {EPERM, ENOSYS, ENOMEM}) {
		CHECK_EQ(wait_for(begin_filtered(SECCOMP_RET_ERRNO | error)), 0);
		CHECK_EQ(events_in(trace), 0);
	}
}

TEST("a filter put on later: what the program has goes on, new traces do not reach it")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	CHECK_EQ(wait_for(spawn([&] {
		emit(10); // takes up the buffer
		ktap::filter_calls(first, last, SECCOMP_RET_ERRNO | EPERM);
		ltt::Storm storm;
		WAIT_UNTIL(storm.traces() > 50);
		emit(10);
		trace.stop();
		emit(10);
		trace.start();
		emit(10);
	})),
		0);
	CHECK_EQ(events_in(trace), 30);
}

TEST("a filter that kills for the three calls: told of traces, a thread that calls none of them "
     "lives")
{
	static volatile int handled;
	void (*const handler)(int) = [](int) { handled = handled + 1; };
	ltt::handle_signal(handler);
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.handler = reinterpret_cast<uintptr_t>(handler); // and no longer that of the markers
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	ltt::Storm storm;
	CHECK_EQ(wait_for(spawn([] {
		ktap::forbid_calls(first, last);
		handled = 0;
		WAIT_UNTIL(handled > 100);
	})),
		0);
}

TEST("a filter that kills for the three calls kills a program with markers: so it is described")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	CHECK_EQ(WTERMSIG(wait_for(begin_filtered(SECCOMP_RET_KILL_PROCESS))), SIGSYS);
	// Unless it has registered before, and no trace begins meanwhile.
	CHECK_EQ(wait_for(spawn([] {
		emit(10);
		ktap::forbid_calls(first, last);
		emit(10);
	})),
		0);
	CHECK_EQ(events_in(trace), 20);
}

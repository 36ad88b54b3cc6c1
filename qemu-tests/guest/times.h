/* SPDX-License-Identifier: MIT */
/*
 * The tests of what must hold of the times of events, whatever the clock is: for each
 * program that includes this.
 */
#ifndef GUEST_TIMES_H
#define GUEST_TIMES_H

#include "marks.h"

#include <algorithm>
#include <atomic>
#include <sched.h>
#include <thread>

namespace times
{

constexpr size_t rounds = 500;

inline ltt_trace_params large()
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 1 << 16;
	return p;
}

inline void run_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE_OK(sched_setaffinity(0, sizeof(set), &set));
}

} // namespace times

/* read() compares each time with the one before. */
TEST("a thread that hops between processors has times that do not go back")
{
	ltt::Trace trace(times::large());
	trace.start();
	for (size_t i = 0; i < times::rounds; ++i) {
		times::run_on(static_cast<int>(i % 2));
		marks::mark();
	}
	trace.flush();
	marks::of(marks::read(trace), getpid()).check(1, times::rounds);
}

/* The times put their events in the order of the turns. */
TEST("threads that take turns on two processors keep cause before effect")
{
	ltt::Trace trace(times::large());
	trace.start();
	static std::atomic<int> turn;
	const auto play = [](int me) {
		times::run_on(me);
		for (size_t i = 0; i < times::rounds; ++i) {
			while (turn != me)
				sched_yield();
			marks::mark();
			turn = 1 - me;
		}
	};
	std::thread first(play, 0), second(play, 1);
	first.join();
	second.join();
	trace.flush();
	std::vector<marks::Mark> all;
	for (const auto &[number, stream] : marks::read(trace))
		all.insert(all.end(), stream.marks.begin(), stream.marks.end());
	REQUIRE_EQ(all.size(), 2 * times::rounds);
	std::sort(all.begin(), all.end(),
		[](const marks::Mark &a, const marks::Mark &b) { return a.value < b.value; });
	size_t back = 0;
	for (size_t i = 1; i < all.size(); ++i)
		back += all[i].time < all[i - 1].time;
	CHECK_EQ(back, 0);
}

#endif /* GUEST_TIMES_H */

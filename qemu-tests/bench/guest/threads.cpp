// SPDX-License-Identifier: MIT
//
// Start and stop of a trace, with threads that are registered, have a buffer of it
// mapped, and sleep. Between two changes each thread wakes up and takes its
// signal, so that each change marks all of them anew.

#include "samples.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <linux/futex.h>
#include <pthread.h>

namespace bench
{

namespace
{

constexpr int rounds = 6;
constexpr unsigned steps[] = {250, 500, 1000};

// What all threads wait for; the number of the round.
std::atomic<uint32_t> round_word{0};
std::atomic<unsigned> arrived{0}, handled{0};

void sleep_while(uint32_t round)
{
	while (round_word == round)
		syscall(SYS_futex, &round_word, FUTEX_WAIT_PRIVATE, round, nullptr);
}

void *live(void *)
{
	while (ltt::Buffer::next())
		;
	for (;;) {
		uint32_t round = round_word;
		++arrived;
		sleep_while(round);
	}
}

void add_threads(unsigned n)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (unsigned i = 0; i < n; ++i) {
		pthread_t thread;
		REQUIRE_EQ(pthread_create(&thread, &attributes, live, nullptr), 0);
	}
	pthread_attr_destroy(&attributes);
}

// All n threads have come to their next sleep. This process has no other thread that
// could run: whoever arrived and runs no more, sleeps.
void wait_for_sleep(unsigned n)
{
	WAIT_UNTIL_FOR(100, arrived == n);
	settle();
}

void wake_all(unsigned n)
{
	arrived = 0;
	++round_word;
	REQUIRE_EQ(syscall(SYS_futex, &round_word, FUTEX_WAKE_PRIVATE, INT_MAX), long(n));
	wait_for_sleep(n);
}

uint64_t change(const ltt::Trace &trace, unsigned request, unsigned n)
{
	handled = 0;
	int failed = 0;
	int fd = trace.descriptor();
	uint64_t taken = instructions([&] { failed = ioctl(fd, request); });
	REQUIRE_EQ(failed, 0);
	wake_all(n);
	// The main thread is registered, too.
	REQUIRE_EQ(handled.load(), n + 1);
	return taken;
}

} // namespace

void measure_threads()
{
	ltt::handle_signal([](int) { ++handled; });
	register_process();

	ltt::Trace trace(ltt::params("threads"));
	unsigned n = 0;
	for (unsigned wanted : steps) {
		add_threads(wanted - n);
		n = wanted;
		wait_for_sleep(n);
		wake_all(n);
		Samples start, stop;
		for (int i = 0; i < rounds; ++i) {
			start.push_back(change(trace, LTT_IOC_START, n));
			stop.push_back(change(trace, LTT_IOC_STOP, n));
		}
		report("start." + std::to_string(n), start);
		report("stop." + std::to_string(n), stop);
	}
}

} // namespace bench

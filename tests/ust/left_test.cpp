// SPDX-License-Identifier: MIT
//
// Markers that a timer's handler leaves by longjmp(), at any instruction. Without the
// steps of the other tests: with them the functions have other frames.
#include "fake_kernel.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <csetjmp>
#include <csignal>
#include <sys/time.h>

UST_EVENT(left, number, UST_BIT(0), (int, value))

namespace
{

sigjmp_buf back;
volatile int times;

} // namespace

// All markers are called from one depth of the stack, and the usual way and the other one
// must see it alike.
TEST_CASE("a timer's handler leaves markers where it hits them, and the next one goes on")
{
	fake::reset();
	fake::trace_options options;
	options.subbuf_size = 1 << 24; // none is full: the fake kernel must not be left
	const unsigned trace = fake::create(options);
	times = 0;
	UST(left, number, 0);
	struct sigaction action = {}, old;
	action.sa_handler = [](int) {
		times = times + 1;
		siglongjmp(back, 1);
	};
	sigaction(SIGALRM, &action, &old);
	sigsetjmp(back, 1);
	const itimerval timer = {{0, 100}, {0, 100}}, none = {};
	setitimer(ITIMER_REAL, &timer, nullptr);
	while (times < 1000) {
		UST(left, number, 1);
		for (int i = 0; i < 100; ++i)
			asm volatile("");
	}
	setitimer(ITIMER_REAL, &none, nullptr);
	sigaction(SIGALRM, &old, nullptr);
	UST(left, number, 2);
	const ltt_control *const control = fake::control(trace);
	CHECK(control->writer == 0);
	CHECK(control->commit == control->reserve);
}

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
// Arguments of its functions lie on the stack.
UST_EVENT(left, many, UST_BIT(0),
	(int, a)(int, b)(int, c)(int, d)(int, e)(int, f)(int, g)(int, h)(std::string_view, i)(
		std::string_view, j))

namespace
{

sigjmp_buf back;
volatile int times;

[[gnu::noinline]] void write_number()
{
	UST(left, number, 1);
	asm volatile(""); // so that it is a call like any other
}

[[gnu::noinline]] void write_many()
{
	UST(left, many, 1, 2, 3, 4, 5, 6, 7, 8, "nine", "ten");
	asm volatile("");
}

// All markers are called from one depth of the stack, and the usual way and the other one,
// and the functions of all events, must see it alike. (But for arguments on the stack:
// whoever has more of them is deeper.) Ends with a marker that was left in its midst, and
// the last one.
void leave_again_and_again(void (*marker)(), void (*last)())
{
	fake::reset();
	fake::trace_options options;
	options.subbuf_size = 1 << 24; // none is full: the fake kernel must not be left
	const unsigned trace = fake::create(options);
	times = 0;
	marker();
	const ltt_control *const control = fake::control(trace);
	struct sigaction action = {}, old;
	action.sa_handler = [](int) {
		times = times + 1;
		siglongjmp(back, 1);
	};
	sigaction(SIGALRM, &action, &old);
	sigsetjmp(back, 1);
	const itimerval timer = {{0, 100}, {0, 100}}, none = {};
	setitimer(ITIMER_REAL, &timer, nullptr);
	while (times < 300 || !control->writer) {
		marker();
		for (int i = 0; i < 100; ++i)
			asm volatile("");
	}
	setitimer(ITIMER_REAL, &none, nullptr);
	sigaction(SIGALRM, &old, nullptr);
	last();
	CHECK(control->writer == 0);
	CHECK(control->commit == control->reserve);
}

} // namespace

TEST_CASE("a timer's handler leaves markers where it hits them, and the next one goes on")
{
	leave_again_and_again(write_number, write_number);
}

TEST_CASE("a timer's handler leaves markers with many fields, and the next one goes on")
{
	leave_again_and_again(write_many, write_many);
	leave_again_and_again(write_many, write_number);
}

// SPDX-License-Identifier: MIT
//
// A program that takes SIGRTMIN+3 for itself, before the markers could.
#include "decode.h"

#include <ust/ust.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

UST_EVENT(own_handler, value, UST_BIT(0), (int, value))

using Strings = std::vector<std::string>;

namespace
{

std::atomic<int> handled;

void on_signal(int)
{
	++handled;
}

void take_signal()
{
	std::signal(SIGRTMIN + 3, on_signal);
}

__attribute__((section(".preinit_array"), used)) void (*const first)() = take_signal;

} // namespace

TEST_CASE("the program's handler is not replaced, and the kernel is told of none")
{
	CHECK(std::signal(SIGRTMIN + 3, on_signal) == on_signal);
	REQUIRE(fake::registrations().size() == 1);
	CHECK(fake::registrations()[0].argument.signal == 0);
}

TEST_CASE("its signals reach it, nobody else's do, and markers follow each change by the gate")
{
	fake::reset();
	fake::send_signals(true);
	handled = 0;
	const unsigned trace = fake::create();
	UST(own_handler, value, 1);
	std::raise(SIGRTMIN + 3);
	std::thread([] { UST(own_handler, value, 2); }).join();
	fake::stop(trace);
	UST(own_handler, value, 3);
	fake::start(trace);
	std::raise(SIGRTMIN + 3);
	UST(own_handler, value, 4);
	CHECK(handled == 2);
	CHECK(read_texts(trace) == Strings{"own_handler:value value=1", "own_handler:value value=4",
					   "own_handler:value value=2"});
}

// SPDX-License-Identifier: MIT
//
// Traces that come, change and go while the program runs.
#include "decode.h"
#include "steps.h"
#include "test_events.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <thread>

using Strings = std::vector<std::string>;

namespace
{

std::size_t events_in(unsigned trace)
{
	return read_texts(trace).size();
}

} // namespace

TEST_CASE("an event goes to every trace whose filter shares a bit with it")
{
	fake::reset();
	const unsigned low = fake::create({UST_BIT(0)});
	const unsigned both = fake::create({UST_BIT(0) | UST_BIT(31)});
	const unsigned middle = fake::create({UST_BIT(7) | UST_BIT(8) | UST_BIT(20)});
	UST(test, low, 1);
	UST(test, second, 2);
	UST(test, eighth, 3);
	UST(test, nineth, 4);
	UST(test, high, 5);
	UST(test, two_bits, 6);
	CHECK(read_texts(low) == Strings{"test:low value=1"});
	CHECK(read_texts(both) == Strings{"test:low value=1", "test:high value=5"});
	CHECK(read_texts(middle) ==
		Strings{"test:eighth value=3", "test:nineth value=4", "test:two_bits value=6"});
}

TEST_CASE("UST_ENABLED tells what a marker would do, for every bit")
{
	fake::reset();
	const unsigned trace = fake::create({0});
	CHECK_FALSE(UST_ENABLED(test, low));
	fake::set_filter(trace, UST_BIT(0));
	CHECK(UST_ENABLED(test, low));
	CHECK_FALSE(UST_ENABLED(test, second));
	fake::set_filter(trace, UST_BIT(7));
	CHECK(UST_ENABLED(test, eighth));
	CHECK_FALSE(UST_ENABLED(test, nineth));
	fake::set_filter(trace, UST_BIT(8));
	CHECK(UST_ENABLED(test, nineth));
	CHECK_FALSE(UST_ENABLED(test, eighth));
	fake::set_filter(trace, UST_BIT(31));
	CHECK(UST_ENABLED(test, high));
	CHECK_FALSE(UST_ENABLED(test, two_bits));
	fake::set_filter(trace, UST_BIT(20));
	CHECK(UST_ENABLED(test, two_bits));
	fake::set_filter(trace, UST_BIT(3));
	CHECK(UST_ENABLED(test, two_bits));
	fake::set_filter(trace, ~(UST_BIT(3) | UST_BIT(20)));
	CHECK_FALSE(UST_ENABLED(test, two_bits));
}

TEST_CASE("start, stop and a new filter take effect at the next marker")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 4096, 4, false});
	UST(test, low, 1);
	fake::start(trace);
	UST(test, low, 2);
	fake::set_filter(trace, UST_BIT(1));
	UST(test, low, 3);
	UST(test, second, 4);
	fake::stop(trace);
	UST(test, second, 5);
	fake::start(trace);
	UST(test, second, 6);
	CHECK(read_texts(trace) ==
		Strings{"test:low value=2", "test:second value=4", "test:second value=6"});
}

TEST_CASE("a thread asks the kernel once for each change, not once for each event")
{
	fake::reset();
	fake::create({UST_BIT(0)});
	UST(test, low, 0);
	const unsigned asked = fake::count().update;
	for (int i = 0; i < 100; ++i)
		UST(test, low, i);
	CHECK(fake::count().update == asked);
	// A change that brings nothing for this event costs nothing until it does.
	const unsigned other = fake::create({UST_BIT(1)});
	UST(test, low, 0);
	CHECK(fake::count().update > asked);
	CHECK(events_in(other) == 0);
}

TEST_CASE("thirty-two traces at once get the same events")
{
	fake::reset();
	std::vector<unsigned> traces;
	for (int i = 0; i < LTT_MAX_TRACES; ++i)
		traces.push_back(fake::create());
	for (int i = 0; i < 10; ++i)
		UST(test, low, i);
	for (const unsigned trace : traces)
		CHECK(events_in(trace) == 10);
	// Every second one goes; the others go on.
	for (std::size_t i = 0; i < traces.size(); i += 2)
		fake::destroy(traces[i]);
	UST(test, low, 10);
	for (std::size_t i = 1; i < traces.size(); i += 2)
		CHECK(read_texts(traces[i]) == Strings{"test:low value=10"});
	const unsigned again = fake::create();
	UST(test, low, 11);
	CHECK(read_texts(again) == Strings{"test:low value=11"});
}

TEST_CASE("the buffer of a destroyed trace is unmapped at the next update")
{
	fake::reset();
	const unsigned trace = fake::create();
	const unsigned other = fake::create();
	UST(test, low, 1);
	const void *page = reinterpret_cast<const char *>(fake::control(trace)) - 4096;
	const auto mapped = [page] {
		// A system call that reads the address: EFAULT if nothing is there.
		return ::access(static_cast<const char *>(page), F_OK) != 0 && errno != EFAULT;
	};
	CHECK(mapped());
	fake::destroy(trace);
	CHECK(mapped());
	UST(test, low, 2);
	CHECK_FALSE(mapped());
	CHECK(events_in(other) == 2);
}

TEST_CASE("a trace destroyed under a marker in flight does not harm it")
{
	fake::reset();
	static unsigned trace, other;
	static bool unmapped;
	static ltt_control *control;
	trace = fake::create();
	other = fake::create();
	UST(test, low, 0);
	control = fake::control(trace);
	for (const step at : {step::begun, step::before_reserve, step::reserved, step::stored,
		     step::committed}) {
		static step wanted;
		wanted = at;
		fake::send_signals(true);
		step_hook = [](step now) {
			if (now != wanted)
				return;
			step_hook = nullptr;
			fake::destroy(trace); // and the signal, whose handler updates
			UST(test, low, 2);
		};
		UST(test, low, 1);
		step_hook = nullptr;
		INFO("step " << static_cast<int>(at));
		trace = fake::create();
		UST(test, low, 3);
		CHECK(read_texts(trace) == Strings{"test:low value=3"});
	}
	CHECK(fake::control(other)->events == 1 + 5 * 3);
	static_cast<void>(unmapped);
	static_cast<void>(control);
}

TEST_CASE("the signal brings new buffers to a thread that writes")
{
	fake::reset();
	fake::create();
	UST(test, low, 1); // now the kernel knows the thread, and it has buffers
	fake::send_signals(true);
	const unsigned trace = fake::create();
	CHECK(fake::control(trace) != nullptr);
}

TEST_CASE("a handler that the program installs later gets its own signals alone, and markers work")
{
	static std::atomic<int> handled;
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, number, 1);
	fake::send_signals(true);
	struct sigaction ours, theirs = {};
	theirs.sa_handler = [](int) { ++handled; };
	sigaction(SIGRTMIN + 3, &theirs, &ours);
	std::raise(SIGRTMIN + 3);
	CHECK(handled == 1);
	const unsigned other = fake::create();
	CHECK(handled == 1);
	UST(test, number, 2);
	fake::stop(trace);
	UST(test, number, 3);
	sigaction(SIGRTMIN + 3, &ours, nullptr);
	CHECK(read_texts(trace) ==
		std::vector<std::string>{"test:number value=1", "test:number value=2"});
	CHECK(read_texts(other) ==
		std::vector<std::string>{"test:number value=2", "test:number value=3"});
}

TEST_CASE("a signal in the middle of an update is not forgotten")
{
	fake::reset();
	fake::create();
	UST(test, low, 1);
	fake::create();
	fake::send_signals(true);
	static unsigned late;
	step_hook = [](step now) {
		if (now != step::updating)
			return;
		step_hook = nullptr;
		late = fake::create(); // whose signal finds the marker's update running
	};
	UST(test, low, 2);
	step_hook = nullptr;
	CHECK(fake::control(late) != nullptr);
	CHECK(read_texts(late) == Strings{"test:low value=2"});
}

TEST_CASE("errno is the same after a marker, an update and the signal")
{
	fake::reset();
	errno = EXDEV;
	const unsigned trace = fake::create({~0u, 4096, 2});
	fake::send_signals(true);
	errno = EXDEV;
	for (int i = 0; i < 2000; ++i)
		UST(test, low, i);
	CHECK(errno == EXDEV);
	CHECK(fake::control(trace)->lost > 0);
	errno = EXDEV;
	raise(SIGRTMIN + 3);
	CHECK(errno == EXDEV);
	fake::fail(LTT_NR_update, ENOMEM);
	fake::set_filter(trace, 1);
	errno = EXDEV;
	UST(test, low, 0);
	CHECK(errno == EXDEV);
}

TEST_CASE("an update that fails leaves what the thread has, and is not repeated")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, low, 1);
	fake::fail(LTT_NR_update, ENOMEM);
	const unsigned refused = fake::create();
	UST(test, low, 2);
	const unsigned asked = fake::count().update;
	UST(test, low, 3);
	CHECK(fake::count().update == asked);
	fake::fail(0, 0);
	CHECK(events_in(trace) == 3);
	CHECK(events_in(refused) == 0);
	fake::set_filter(refused, 1);
	UST(test, low, 4);
	CHECK(read_texts(refused) == Strings{"test:low value=4"});
}

TEST_CASE("a trace gets no event of another one that has no buffer")
{
	fake::reset();
	fake::trace_options options;
	options.filter = UST_BIT(1);
	const unsigned trace = fake::create(options);
	UST(test, second, 1);
	fake::fail(LTT_NR_update, ENOMEM);
	options.filter = UST_BIT(0);
	const unsigned refused = fake::create(options);
	for (int i = 0; i < 3; ++i) {
		UST(test, low, i);
		UST(test, second, 2);
	}
	fake::fail(0, 0);
	CHECK(read_texts(trace) == Strings{"test:second value=1", "test:second value=2",
					   "test:second value=2", "test:second value=2"});
	CHECK(events_in(refused) == 0);
}

TEST_CASE("a thread that got no buffer though a trace is active asks again")
{
	// What a vfork child sees, whose parent goes on with its knowledge.
	std::thread([] {
		fake::reset();
		const unsigned trace = fake::create();
		fake::withhold(true);
		UST(test, low, 1);
		fake::withhold(false);
		UST(test, low, 2);
		CHECK(read_texts(trace) == Strings{"test:low value=2"});

		const unsigned other = fake::create();
		fake::fail(LTT_NR_update, EAGAIN);
		UST(test, low, 3);
		fake::fail(0, 0);
		UST(test, low, 4);
		CHECK(read_texts(trace) == Strings{"test:low value=3", "test:low value=4"});
		CHECK(read_texts(other) == Strings{"test:low value=4"});
	}).join();
}

TEST_CASE("a buffer of a newer kernel that is laid out otherwise is left alone")
{
	std::thread([] {
		fake::reset();
		const unsigned newer = fake::create();
		fake::page(newer)->compat = LTT_ABI_VERSION + 1;
		UST(test, number, 1);
		CHECK(fake::control(newer)->events == 0);
		const unsigned asked = fake::count().update;
		UST(test, number, 2);
		CHECK(fake::count().update == asked); // not for each event
		const unsigned trace = fake::create();
		fake::page(trace)->version = LTT_ABI_VERSION + 1; // but not otherwise
		UST(test, number, 3);
		CHECK(fake::control(newer)->reserve == 0);
		CHECK(read_texts(trace) == std::vector<std::string>{"test:number value=3"});
	}).join();
}

TEST_CASE("threads have buffers of their own, and nothing is lost between them")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 1 << 16, 16});
	constexpr int THREADS = 4, EVENTS = 20000;
	std::vector<std::thread> threads;
	for (int t = 0; t < THREADS; ++t)
		threads.emplace_back([t] {
			for (int i = 0; i < EVENTS; ++i)
				UST(test, number, static_cast<std::uint64_t>(t) << 32 | i);
		});
	for (std::thread &thread : threads)
		thread.join();
	std::map<int, std::uint64_t> lost, events;
	std::size_t decoded = 0;
	for (const fake::packet &packet : fake::read(trace)) {
		decoded += decode(packet).size();
		lost[packet.tid] = packet.lost;
		events[packet.tid] = packet.events;
	}
	CHECK(events.size() == THREADS);
	for (const auto &[tid, n] : events)
		CHECK(n + lost[tid] == EVENTS);
	CHECK(decoded == THREADS * EVENTS);
}

TEST_CASE("traces start and stop under threads that write")
{
	fake::reset();
	std::atomic<bool> end{false};
	std::vector<std::thread> threads;
	for (int t = 0; t < 2; ++t)
		threads.emplace_back([&] {
			while (!end)
				UST(test, text, "written while traces come and go");
		});
	for (int i = 0; i < 300; ++i) {
		const unsigned trace = fake::create({~0u, 4096, 4});
		std::this_thread::yield();
		for (const fake::packet &packet : fake::read(trace))
			decode(packet);
		fake::stop(trace);
		fake::destroy(trace);
	}
	end = true;
	for (std::thread &thread : threads)
		thread.join();
	SUCCEED("nothing crashed, and all that was read decoded");
}

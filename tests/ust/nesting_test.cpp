// SPDX-License-Identifier: MIT
//
// Signal handlers that write events on top of a marker.
#include "decode.h"
#include "steps.h"
#include "test_events.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include <thread>

namespace
{

step interrupted;
int depth;     // handlers that may still nest
int handlers;  // handlers that ran
int per_visit; // events of one handler

void on_signal(int)
{
	++handlers;
	for (int i = 0; i < per_visit; ++i)
		UST(test, number, 1000 + handlers);
}

void interrupt(step now)
{
	if (now != interrupted || depth == 0)
		return;
	--depth;
	raise(SIGUSR1);
}

class handler
{
public:
	explicit handler(int number)
	{
		struct sigaction action = {};
		action.sa_handler = on_signal;
		action.sa_flags = SA_NODEFER;
		sigaction(number, &action, &m_old);
		m_number = number;
	}
	~handler() { sigaction(m_number, &m_old, nullptr); }
	handler(const handler &) = delete;
	handler &operator=(const handler &) = delete;

private:
	int m_number;
	struct sigaction m_old;
};

// Writes outer events, each interrupted at a step by a handler, which is itself
// interrupted there, and so on. Returns all events read.
std::vector<std::string> nest(unsigned trace, step at, int levels, int events, int outer)
{
	const handler installed(SIGUSR1);
	interrupted = at;
	handlers = 0;
	per_visit = events;
	for (int i = 0; i < outer; ++i) {
		depth = levels;
		step_hook = interrupt;
		UST(test, number, i);
		step_hook = nullptr;
	}
	return read_texts(trace);
}

const step inner_steps[] = {step::begun, step::before_clock, step::before_reserve, step::reserved,
	step::stored, step::before_commit, step::committed, step::ended};

} // namespace

TEST_CASE("a handler's events survive at every step of the marker below it", "[signals]")
{
	for (const step at : inner_steps)
		for (const int levels : {1, 2, 3})
			for (const int events : {1, 5}) {
				fake::reset();
				const unsigned trace = fake::create({~0u, 1 << 16, 4});
				const auto texts = nest(trace, at, levels, events, 20);
				INFO("step " << static_cast<int>(at) << ", levels " << levels);
				CHECK(handlers == 20 * levels);
				CHECK(texts.size() ==
					static_cast<std::size_t>(20 + handlers * events));
				const ltt_control *control = fake::control(trace);
				CHECK(control->events == texts.size());
				CHECK(control->commit == control->reserve);
				CHECK(control->writer == 0);
				CHECK(control->lost == 0);
			}
}

TEST_CASE("a handler that comes before the reservation is written before the marker")
{
	fake::reset();
	const unsigned trace = fake::create();
	CHECK(nest(trace, step::before_reserve, 1, 1, 1) ==
		std::vector<std::string>{"test:number value=1001", "test:number value=0"});
	CHECK(nest(trace, step::reserved, 1, 1, 1) ==
		std::vector<std::string>{"test:number value=0", "test:number value=1001"});
}

TEST_CASE("while a marker is in flight nothing after it is given out")
{
	fake::reset();
	const unsigned trace = fake::create();
	static unsigned slot;
	static std::size_t seen;
	slot = trace;
	step_hook = [](step now) {
		if (now != step::reserved)
			return;
		step_hook = nullptr;
		UST(test, number, 2);
		seen = fake::read(slot).size();
	};
	UST(test, number, 1);
	step_hook = nullptr;
	CHECK(seen == 0);
	CHECK(read_texts(trace) ==
		std::vector<std::string>{"test:number value=1", "test:number value=2"});
}

TEST_CASE("handlers may switch sub-buffers under a marker in flight")
{
	// 4096 bytes are 256 events: each handler closes more than one sub-buffer.
	for (const step at : inner_steps) {
		fake::reset();
		const unsigned trace = fake::create({~0u, 4096, 16});
		const auto texts = nest(trace, at, 2, 600, 1);
		INFO("step " << static_cast<int>(at));
		CHECK(texts.size() == 1201);
		CHECK(fake::control(trace)->events == 1201);
		CHECK(fake::control(trace)->lost == 0);
	}
}

TEST_CASE("handlers that overrun the buffer lose events, counted exactly", "[signals]")
{
	for (const step at : inner_steps) {
		fake::reset();
		const unsigned trace = fake::create({~0u, 4096, 2});
		const auto texts = nest(trace, at, 3, 400, 5);
		INFO("step " << static_cast<int>(at));
		const ltt_control *control = fake::control(trace);
		CHECK(control->events == texts.size());
		CHECK(control->lost > 0);
		CHECK(texts.size() + control->lost == static_cast<std::size_t>(5 + handlers * 400));
		CHECK(control->commit == control->reserve);
		CHECK(control->writer == 0);
	}
}

TEST_CASE("a handler may use up the sub-buffer that a marker just opened")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 4096, 16});
	for (int i = 0; i < 256; ++i)
		UST(test, number, 0);
	const auto texts = nest(trace, step::no_room, 1, 256, 1);
	CHECK(texts.size() == 256 + 256 + 1);
	CHECK(fake::control(trace)->lost == 0);
}

TEST_CASE("a handler on top of its thread's very first marker is written", "[signals]")
{
	for (const step at : {step::mapping, step::updating, step::begun, step::reserved}) {
		fake::reset();
		const unsigned trace = fake::create();
		std::vector<std::string> texts;
		std::thread([&] { texts = nest(trace, at, 1, 2, 1); }).join();
		INFO("step " << static_cast<int>(at));
		CHECK(handlers == 1);
		CHECK(texts.size() == 3);
	}
}

TEST_CASE("a timer at 10 kHz writes on top of the main loop and every event decodes", "[signals]")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 1 << 16, 64});
	const handler installed(SIGALRM);
	handlers = 0;
	per_visit = 3;
	itimerval timer = {{0, 100}, {0, 100}};
	setitimer(ITIMER_REAL, &timer, nullptr);
	std::size_t outer = 0, texts = 0;
	const ltt_control *control = nullptr;
	for (int i = 0; i < 300 || handlers < 2000; ++i) {
		for (int k = 0; k < 500; ++k, ++outer)
			UST(test, text, "a text that takes its time to be copied");
		texts += read_texts(trace).size();
		control = fake::control(trace);
	}
	timer = {};
	setitimer(ITIMER_REAL, &timer, nullptr);
	texts += read_texts(trace).size();
	CHECK(handlers >= 2000);
	CHECK(control->events == texts);
	CHECK(texts + control->lost == outer + static_cast<std::size_t>(handlers) * 3);
	CHECK(control->writer == 0);
}

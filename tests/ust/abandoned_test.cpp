// SPDX-License-Identifier: MIT
//
// Markers that never end: a signal handler that interrupted them leaves by
// longjmp().
#include "decode.h"
#include "steps.h"
#include "test_events.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csetjmp>
#include <csignal>
#include <thread>

namespace
{

sigjmp_buf back;
step interrupted;
int depth;	    // handlers that nest, each on top of another's marker
int before_leaving; // events that the last handler writes

void leave()
{
	step_hook = nullptr;
	for (int i = 0; i < before_leaving; ++i)
		UST(test, number, 1000 + i);
	siglongjmp(back, 1);
}

void interrupt(step now)
{
	if (now != interrupted)
		return;
	raise(SIGUSR1);
}

void on_signal(int)
{
	if (--depth > 0)
		UST(test, number, 2000); // interrupted in its turn
	leave();
}

class handler
{
public:
	handler()
	{
		struct sigaction action = {};
		action.sa_handler = on_signal;
		action.sa_flags = SA_NODEFER;
		sigaction(SIGUSR1, &action, &m_old);
	}
	~handler() { sigaction(SIGUSR1, &m_old, nullptr); }
	handler(const handler &) = delete;
	handler &operator=(const handler &) = delete;

private:
	struct sigaction m_old;
};

// One event, left at a step, from where the later ones are written too.
[[gnu::noinline]] void abandon(step at, int levels, int events)
{
	interrupted = at;
	depth = levels;
	before_leaving = events;
	if (sigsetjmp(back, 1) == 0) {
		step_hook = interrupt;
		UST(test, number, 1);
	}
	step_hook = nullptr;
}

std::size_t count(const std::vector<std::string> &texts, const std::string &text)
{
	return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

const step inner_steps[] = {step::begun, step::before_clock, step::before_reserve, step::reserved,
	step::stored, step::before_commit, step::committed, step::ended};

void check(unsigned trace, const std::vector<std::string> &texts, int later)
{
	const ltt_control *control = fake::control(trace);

	for (int i = 0; i < later; ++i)
		CHECK(count(texts, "test:number value=" + std::to_string(5000 + i)) == 1);
	CHECK(control->writer == 0);
	CHECK(control->commit == control->reserve);
	CHECK(control->lost == 0);
	// What got room and is not there was left in its midst.
	CHECK(control->events >= texts.size());
	CHECK(control->events <= texts.size() + 1);
}

// Interrupts a marker at each step by a handler on a stack above this one's.
void use_alternate_stack(char *stack, std::size_t size)
{
	stack_t alternate = {}, old;
	alternate.ss_sp = stack;
	alternate.ss_size = size;
	REQUIRE(stack > static_cast<void *>(&alternate));
	REQUIRE(sigaltstack(&alternate, &old) == 0);
	struct sigaction action = {}, before;
	action.sa_flags = SA_ONSTACK;
	action.sa_handler = [](int) { UST(test, number, 7); };
	REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
	for (const step at : inner_steps) {
		INFO("step " << static_cast<int>(at));
		fake::reset();
		const unsigned trace = fake::create({~0u, 1 << 16, 4});
		interrupted = at;
		step_hook = [](step now) {
			if (now != interrupted)
				return;
			step_hook = nullptr;
			raise(SIGUSR1);
		};
		UST(test, number, 1);
		step_hook = nullptr;
		CHECK(read_texts(trace).size() == 2);
		CHECK(fake::control(trace)->events == 2);
	}
	sigaction(SIGUSR1, &before, nullptr);
	sigaltstack(&old, nullptr);
}

} // namespace

TEST_CASE("after a marker was left by longjmp, all later events are there", "[signals]")
{
	const handler installed;
	for (const step at : inner_steps)
		for (const int events : {0, 1, 5}) {
			INFO("step " << static_cast<int>(at) << ", " << events << " events");
			fake::reset();
			const unsigned trace = fake::create({~0u, 1 << 16, 4});
			abandon(at, 1, events);
			for (int i = 0; i < 10; ++i)
				UST(test, number, 5000 + i);
			const auto texts = read_texts(trace);
			check(trace, texts, 10);
			// The handler had ended its own.
			for (int i = 0; i < events; ++i)
				CHECK(count(texts, "test:number value=" +
							   std::to_string(1000 + i)) == 1);
			CHECK(texts.back() == "test:number value=5009");
		}
}

TEST_CASE("markers left again and again cost one event each", "[signals]")
{
	const handler installed;
	fake::reset();
	const unsigned trace = fake::create({~0u, 4096, 64});
	for (int i = 0; i < 1000; ++i) {
		abandon(step::stored, 1, 1);
		UST(test, number, 5000);
	}
	const auto texts = read_texts(trace);
	CHECK(texts.size() == 2000);
	CHECK(fake::control(trace)->events == 3000);
	CHECK(fake::control(trace)->lost == 0);
}

TEST_CASE("a handler that leaves a marker below it and its own loses both, and no later one",
	"[signals]")
{
	const handler installed;
	for (const step at : {step::reserved, step::stored}) {
		INFO("step " << static_cast<int>(at));
		fake::reset();
		const unsigned trace = fake::create({~0u, 1 << 16, 4});
		abandon(at, 2, 0);
		for (int i = 0; i < 10; ++i)
			UST(test, number, 5000 + i);
		const auto texts = read_texts(trace);
		CHECK(texts.size() == 10);
		CHECK(fake::control(trace)->events == 12);
		CHECK(fake::control(trace)->commit == fake::control(trace)->reserve);
	}
}

TEST_CASE("sub-buffers that a handler filled before it left a marker are readable", "[signals]")
{
	const handler installed;
	for (const step at : {step::before_reserve, step::reserved, step::stored}) {
		INFO("step " << static_cast<int>(at));
		fake::reset();
		const unsigned trace = fake::create({~0u, 4096, 16});
		abandon(at, 1, 1000); // 4096 bytes are 256 events
		UST(test, number, 5000);
		const auto texts = read_texts(trace);
		CHECK(texts.size() == 1001);
		check(trace, texts, 1);
	}
}

TEST_CASE("padding over several sub-buffers leaves each of them readable", "[signals]")
{
	const handler installed;
	fake::reset();
	const unsigned trace = fake::create({~0u, 4096, 16});
	abandon(step::stored, 2, 1000);
	for (int i = 0; i < 10; ++i)
		UST(test, number, 5000 + i);
	CHECK(read_texts(trace).size() == 10);
	CHECK(fake::control(trace)->events == 2 + 1000 + 10);
	CHECK(fake::control(trace)->commit == fake::control(trace)->reserve);
}

TEST_CASE("a handler on a stack of its own is not taken for one that left", "[signals]")
{
	// The main thread's stack lies above those of the others.
	char stack[1 << 16];
	std::thread(use_alternate_stack, stack, sizeof stack).join();
}

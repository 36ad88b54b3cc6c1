// SPDX-License-Identifier: MIT
//
// The time of an event on a machine whose counter began anew while it slept.
#include "decode.h"
#include "steps.h"
#include "test_events.h"

#include <catch2/catch.hpp>
#include <x86intrin.h>

namespace
{

constexpr std::uint64_t ticks = 1ull << 40;
unsigned sleeper;
step asleep_at;
std::uint64_t woken; // what an event after the sleep may have at least

void sleep_once(step now)
{
	if (now != asleep_at)
		return;
	step_hook = nullptr;
	fake::sleep(sleeper, ticks);
	woken = __rdtsc() + fake::page(sleeper)->clock_offset;
}

std::vector<event> all_events(unsigned trace)
{
	std::vector<event> all;
	for (const fake::packet &packet : fake::read(trace))
		for (const event &e : decode(packet))
			all.push_back(e);
	return all;
}

} // namespace

TEST_CASE("the kernel's offset is in the time of each event")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, number, 1);
	fake::sleep(trace, ticks);
	const std::uint64_t before = __rdtsc() + ticks;
	UST(test, number, 2);
	UST(test, number, 3);
	const std::uint64_t after = __rdtsc() + ticks;
	const auto events = all_events(trace);
	REQUIRE(events.size() == 3);
	CHECK(events[0].time < before);
	CHECK(events[1].time >= before);
	CHECK(events[2].time >= events[1].time);
	CHECK(events[2].time <= after);
	CHECK(fake::control(trace)->lost == 0);
}

TEST_CASE("a machine may sleep at every step of a marker")
{
	for (const step at : {step::begun, step::before_clock, step::after_clock,
		     step::before_reserve, step::reserved, step::stored, step::before_commit}) {
		fake::reset();
		sleeper = fake::create();
		UST(test, number, 1);
		asleep_at = at;
		step_hook = sleep_once;
		UST(test, number, 2);
		REQUIRE(step_hook == nullptr);
		UST(test, number, 3);
		const auto events = all_events(sleeper);
		INFO("step " << static_cast<int>(at));
		REQUIRE(events.size() == 3);
		// Before the sleep or after it, but not in between.
		CHECK((events[1].time >= woken || events[1].time < woken - ticks));
		CHECK((events[1].time >= woken) == (at <= step::before_reserve));
		CHECK(events[2].time >= woken);
		CHECK(fake::control(sleeper)->lost == 0);
		CHECK(fake::control(sleeper)->events == 3);
	}
}

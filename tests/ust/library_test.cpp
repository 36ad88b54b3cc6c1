// SPDX-License-Identifier: MIT
//
// A program and a library that both have markers.
#include "decode.h"
#include "library_events.h"

#include <catch2/catch.hpp>

UST_EVENT(program, own, UST_BIT(2), (int, value))

TEST_CASE("program and library register separately, with ids of one row")
{
	const auto all = fake::registrations();
	REQUIRE(all.size() == 2);
	const auto first = decode_definitions(all[0].definitions);
	const auto second = decode_definitions(all[1].definitions);
	CHECK(first.size() == 2);
	CHECK(second.size() == 2);
	for (const auto &[id, d] : first)
		CHECK(second.count(id) == 0);
	CHECK(all[0].argument.signal == all[1].argument.signal);
}

TEST_CASE("the gate is each one's own, the thread's state is shared")
{
	CHECK(gate_of_library() != &ust_gate);
	CHECK(state_of_library() == ust_current_thread());
}

TEST_CASE("events of program and library go to one buffer, in order")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(program, own, 1);
	write_own_from_library(2);
	UST(shared, both, 3);
	write_from_library(4);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	std::vector<std::string> texts;
	for (const event &e : decode(packets[0]))
		texts.push_back(e.text);
	CHECK(texts == std::vector<std::string>{"program:own value=1", "library:own value=2",
			       "shared:both value=3", "shared:both value=4"});
	// Both gates change together, so that neither asks again for the other.
	const unsigned asked = fake::count().update;
	UST(program, own, 1);
	write_own_from_library(2);
	CHECK(fake::count().update == asked);
}

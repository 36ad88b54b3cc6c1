// SPDX-License-Identifier: MIT
//
// A program with more definitions than the kernel takes at a time: large_records.cpp.
#include "fake_kernel.h"

#include <catch2/catch.hpp>
#include <ust/ust.h>

UST_EVENT(large, one, UST_BIT(0), (int, number))

TEST_CASE("many definitions are registered in parts, with the gate in the last")
{
	const auto parts = fake::registrations();
	REQUIRE(parts.size() > 2);
	std::string all;
	for (const fake::registration &part : parts) {
		CHECK(part.definitions.size() <= LTT_MAX_DEFINITIONS);
		// Each begins where a record does.
		CHECK(part.definitions.substr(0, 3) == "UST");
		CHECK((part.argument.gate != 0) == (&part == &parts.back()));
		all += part.definitions;
	}
	CHECK(parts.back().argument.gate == reinterpret_cast<std::uintptr_t>(&ust_gate));
	CHECK(all.size() > 2000000);
	const auto first = static_cast<std::uintptr_t>(parts[0].argument.events);
	CHECK(std::string(reinterpret_cast<const char *>(first), all.size()) == all);
}

TEST_CASE("and its events are written")
{
	const unsigned trace = fake::create();
	UST(large, one, 1);
	UST(large, one, 2);
	std::uint64_t events = 0;
	for (const fake::packet &packet : fake::read(trace))
		events = packet.events;
	CHECK(events == 2);
	fake::reset();
}

// SPDX-License-Identifier: MIT
//
// Fields that are times, from the marker to the reader.
#include "recorded.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>

using namespace std::chrono;
using Strings = std::vector<std::string>;
using hours_since = time_point<system_clock, hours>;

UST_EVENT(times, points, UST_BIT(0),
	(system_clock::time_point, a)(steady_clock::time_point, b)(hours_since, c))
UST_EVENT(times, durations, UST_BIT(0),
	(nanoseconds, a)(milliseconds, b)(hours, c)(duration<double>, d)(timespec, e))

TEST_CASE("times are written in nanoseconds, whatever their unit")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(times, points, system_clock::time_point(seconds(1)), steady_clock::time_point(2us),
		hours_since(hours(1)));
	UST(times, durations, 7ns, -1ms, 2h, duration<double>(0.25), timespec{3, 4});
	UST(times, durations, 1us, 1s, 1min, 1ms, 5ns); // other units convert
	CHECK(recorded(trace) ==
		Strings{"times:points { a = 1000000000, b = 2000, c = 3600000000000 }",
			"times:durations { a = 7, b = -1000000, c = 7200000000000, d = 250000000, "
			"e "
			"= 3000000004 }",
			"times:durations { a = 1000, b = 1000000000, c = 60000000000, d = 1000000, "
			"e = 5 }"});
}

TEST_CASE("a time beyond 64 bits of nanoseconds is the greatest or the least one")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(times, durations, nanoseconds::max(), milliseconds::max(), hours::min(),
		duration<double>(std::nan("")), timespec{std::numeric_limits<time_t>::max(), 0});
	CHECK(recorded(trace) ==
		Strings{"times:durations { a = 9223372036854775807, b = 9223372036854775807, c = "
			"-9223372036854775808, d = 9223372036854775807, e = 9223372036854775807 "
			"}"});
}

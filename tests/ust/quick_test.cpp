// SPDX-License-Identifier: MIT
//
// Markers without a declaration, spans and counters, from the marker to the reader.
#include "quick.h"
#include "recorded.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <regex>

using Strings = std::vector<std::string>;

UST_SPAN_EVENT(quick, request, UST_BIT(0), UST_LEVEL_NOTICE, "One request.",
	(int, number)(std::string, path))
UST_SPAN_EVENT(quick, bare, UST_BIT(0))
UST_COUNTER_EVENT(quick, free, std::uint16_t, UST_BIT(0), "Blocks that nobody has.")

namespace
{

enum class plain {
	A,
	B
};

struct list {
	int first, second;
};

} // namespace
UST_STRUCT(list, (first)(second))

// Durations differ.
static Strings without_durations(Strings all)
{
	for (std::string &line : all)
		line = std::regex_replace(line, std::regex("duration = [0-9]+ "), "duration = N ");
	return all;
}

TEST_CASE("a quick marker writes an event with the types of its values")
{
	// A reader shows both alike; but one takes as many bytes as the array has.
	static_assert(std::is_same_v<ust::detail::quick_type<char[9]>, const char *>);
	static_assert(std::is_same_v<ust::detail::quick_type<int[9]>, int[9]>);
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const char array[9] = "in array";
	const std::vector<float> ranges = {0.5f, 1};
	volatile unsigned char changing = 255;
	const std::string text = "text";

	UST_TRACE("nothing but a text");
	UST_TRACE("cache miss: 100 % {of} it!", "key", -1, "size", sizeof(int), "share", 0.25);
	UST_TRACE("strings", "literal", "a", "array", array, "string", text, "view",
		std::string_view("bc"), "null", static_cast<const char *>(nullptr));
	UST_TRACE("others", "ranges", ranges, "point", (list{1, 2}), "flag", true, "changing",
		changing, "character", 'x', "nothing", nullptr, "plain", plain::B);
	CHECK(recorded(trace) ==
		Strings{"trace:nothing but a text { }",
			"trace:cache miss: 100 % {of} it! { key = -1, size = 4, share = 0.25 }",
			R"-(trace:strings { literal = "a", array = "in array", string = "text", )-"
			R"-(view = "bc", null = "(null)" })-",
			"trace:others { ranges_length = 2, ranges = [ [0] = 0.5, [1] = 1 ], point "
			"= "
			"{ first = 1, second = 2 }, flag = 1, changing = 255, character = 120, "
			"nothing = 0x0, plain = 1 }"});
}

TEST_CASE("values of a quick marker are evaluated once, and only where a trace wants it")
{
	fake::reset();
	int evaluated = 0;
	const auto mark = [&] { UST_TRACE("evaluated", "count", ++evaluated); };
	fake::trace_options options = large_trace();
	options.filter = ~UST_CATEGORY_DEBUG;
	const unsigned trace = fake::create(options);
	mark();
	CHECK(evaluated == 0);
	fake::set_filter(trace, UST_CATEGORY_DEBUG);
	mark();
	CHECK(evaluated == 1);
	if (evaluated)
		UST_TRACE("without braces");
	else
		UST_TRACE("never");
	CHECK(recorded(trace) ==
		Strings{"trace:evaluated { count = 1 }", "trace:without braces { }"});
}

TEST_CASE("quick markers may stand in inline, static and constexpr functions, and in templates")
{
	static_assert(quick_constexpr(3) == 3);
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	for (int unit = 0; unit < 2; ++unit) {
		if (unit)
			call_quick_markers_of_other_unit();
		else
			call_quick_markers();
	}
	const Strings once = {"trace:in an inline function { x = 1 }",
		"trace:in a static function { x = 2 }", "trace:in a template { t = 3 }",
		R"(trace:in a template { t = "four" })", "trace:in a constexpr function { x = 5 }",
		"trace:in a lambda { x = 6 }", "trace:in a member { }"};
	Strings twice = once;
	twice.insert(twice.end(), once.begin(), once.end());
	CHECK(recorded(trace) == twice);
}

TEST_CASE("a span is two events around what is between them")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	{
		UST_SPAN(quick, request, 1, "/");
		UST_SPAN(quick, bare);
		UST_TRACE_SPAN("load it", "file", "name");
	}
	CHECK(without_durations(recorded(trace)) ==
		Strings{R"(quick:request_begin { number = 1, path = "/" })", "quick:bare_begin { }",
			R"(trace:load it_begin { file = "name" })",
			"trace:load it_end { duration = N }", "quick:bare_end { duration = N }",
			"quick:request_end { duration = N }"});
}

TEST_CASE("the duration of a span is that between its events, in nanoseconds")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const auto begin = std::chrono::steady_clock::now();
	{
		UST_SPAN(quick, bare);
		while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2))
			;
	}
	const auto whole = std::chrono::steady_clock::now() - begin;
	const Strings all = recorded(trace);
	REQUIRE(all.size() == 2);
	const long long duration = std::stoll(all[1].substr(all[1].find("= ") + 2));
	CHECK(duration > 1'000'000);
	CHECK(duration < std::chrono::nanoseconds(whole).count());
}

TEST_CASE("a span ends where an exception leaves it, and only if its begin was written")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	try {
		UST_SPAN(quick, request, 1, "thrown");
		throw 1;
	} catch (int) {
	}
	fake::set_filter(trace, UST_BIT(1));
	{
		UST_SPAN(quick, bare);
		fake::set_filter(trace, UST_BIT(0));
	}
	{
		UST_SPAN(quick, bare);
		fake::set_filter(trace, UST_BIT(1));
	}
	CHECK(without_durations(recorded(trace)) ==
		Strings{R"(quick:request_begin { number = 1, path = "thrown" })",
			"quick:request_end { duration = N }", "quick:bare_begin { }"});
}

TEST_CASE("a counter is an event with a value")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(quick, free, 70000);
	UST_TRACE_COUNTER("queue", std::max<int>(2, 3));
	CHECK(recorded(trace) ==
		Strings{"quick:free { value = 4464 }", "trace:queue { value = 3 }"});
}

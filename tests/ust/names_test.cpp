// SPDX-License-Identifier: MIT
//
// Names, layouts and classes of events, from the marker to the reader.
#include "recorded.h"

#include <ust/ust.h>
#include <ust/ust.h> // a second time does no harm

#include <catch2/catch.hpp>

using Strings = std::vector<std::string>;

// Words of TSDL, as names of events and of fields, and names with underscores.
#define ALL_WORDS                                                                                  \
	(int, align)(int, callsite)(int, clock)(int, enum)(int, env)(int, event)(int, integer)(    \
		int, stream)(int, string)(int, struct)(int, trace)(int, variant)(                  \
		int, int)(int, _x)(int, __x)(int, x)(int, floating_point)(int, typealias)(int, u8)
#define EVENT(name) UST_EVENT(word, name, UST_BIT(0), (int, name))
EVENT(align)
EVENT(callsite)
EVENT(clock)
EVENT(enum)
EVENT(env)
EVENT(event)
EVENT(integer)
EVENT(stream)
EVENT(string)
EVENT(struct)
EVENT(trace)
EVENT(variant)
EVENT(int)
EVENT(_x)
EVENT(__x)
UST_EVENT(word, all, UST_BIT(0), ALL_WORDS)

// The name of an event, and of a provider, from a macro.
#define EVENT_NAME named_by_macro
#define PROVIDER_NAME word
UST_EVENT(PROVIDER_NAME, EVENT_NAME, UST_BIT(0), (int, value))

UST_CATEGORY(word, noise, 3, "What nobody needs.")
UST_CATEGORY(word, bare, 4)
// Whatever alignment: looks like a definition to those who do not skip the record.
UST_CATEGORY(word, confusing, 5, "USTEUSTEUSTE-USTEUSTEUSTE--USTEUSTEUSTE---USTEUSTEUSTE")
UST_EVENT(word, in_category, UST_IN(word, noise) | UST_CATEGORY_NET)
static_assert(UST_IN(word, noise) == 8 && UST_IN(word, bare) == 16);

UST_CLASS(disk, io, (int, fd)(std::string, path))
UST_CLASS_EVENT(disk, io, read, UST_BIT(1))
UST_CLASS_EVENT(disk, io, write, UST_BIT(2), UST_LEVEL_WARNING)
UST_CLASS_EVENT(disk, io, sync, UST_BIT(2), "Waits for the disk.", UST_LEVEL_DEBUG)
UST_CLASS(disk, nothing, )
UST_CLASS_EVENT(disk, nothing, idle, UST_BIT(1))

// Otherwise in names_other_unit.cpp.
UST_EVENT(twice, defined, UST_BIT(0), (int, a)(std::string, b))
UST_EVENT(twice, longer, UST_BIT(0), (int, a)(int, b))
UST_CLASS(twice, pair, (int, a)(int, b))
UST_CLASS_EVENT(twice, pair, of_class, UST_BIT(0))
void write_otherwise();

#define SEQ5(x) (int, x##0)(int, x##1)(int, x##2)(int, x##3)(int, x##4)
UST_EVENT(count, one, UST_BIT(0), (int, a))
UST_EVENT(count, ten, UST_BIT(0), SEQ5(a) SEQ5(b))
UST_EVENT(count, eleven, UST_BIT(0), SEQ5(a) SEQ5(b)(int, c))

// Every type beside every other, and beside itself.
UST_EVENT(count, pairs, UST_BIT(0),
	(std::uint8_t, a0)(std::uint8_t, a1)(std::uint16_t, a2)(std::uint8_t, a3)(
		std::uint32_t, a4)(std::uint8_t, a5)(std::uint64_t, a6)(std::uint8_t, a7)(
		float, a8)(std::uint8_t, a9)(double, b0)(std::uint8_t, b1)(std::string, b2)(
		std::uint16_t, b3)(std::uint16_t, b4)(std::uint32_t, b5)(std::uint16_t, b6)(
		std::uint64_t, b7)(std::uint16_t, b8)(float, b9)(std::uint16_t, c0)(double, c1)(
		std::uint16_t, c2)(std::string, c3)(std::uint32_t, c4)(std::uint32_t, c5)(
		std::uint64_t, c6)(std::uint32_t, c7)(float, c8)(std::uint32_t, c9)(double, d0)(
		std::uint32_t, d1)(std::string, d2)(std::uint64_t, d3)(std::uint64_t, d4)(
		float, d5)(std::uint64_t, d6)(double, d7)(std::uint64_t, d8)(std::string, d9)(
		float, e0)(float, e1)(double, e2)(float, e3)(std::string, e4)(double, e5)(
		double, e6)(std::string, e7)(std::string, e8)(std::uint8_t, e9))

TEST_CASE("events and fields may be called as words of the metadata are")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(word, align, 1);
	UST(word, callsite, 1);
	UST(word, clock, 1);
	UST(word, enum, 1);
	UST(word, env, 1);
	UST(word, event, 1);
	UST(word, integer, 1);
	UST(word, stream, 1);
	UST(word, string, 1);
	UST(word, struct, 1);
	UST(word, trace, 1);
	UST(word, variant, 1);
	UST(word, int, 1);
	UST(word, _x, 1);
	UST(word, __x, 1);
	UST(word, all, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
	const Strings all = recorded(trace);
	REQUIRE(all.size() == 16);
	CHECK(all[0] == "word:align { align = 1 }");
	CHECK(all[9] == "word:struct { struct = 1 }");
	CHECK(all[14] == "word:__x { __x = 1 }");
	CHECK(all[15] == "word:all { align = 1, callsite = 2, clock = 3, enum = 4, env = 5, event "
			 "= 6, integer "
			 "= 7, stream = 8, string = 9, struct = 10, trace = 11, variant = 12, int "
			 "= 13, _x = "
			 "14, __x = 15, x = 16, floating_point = 17, typealias = 18, u8 = 19 }");
}

TEST_CASE("names may come from macros, and two markers may stand in one line")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(PROVIDER_NAME, EVENT_NAME, 1);
	UST(word, named_by_macro, UST_ENABLED(word, EVENT_NAME));
	CHECK(recorded(trace) ==
		Strings{"word:named_by_macro { value = 1 }", "word:named_by_macro { value = 1 }"});
}

TEST_CASE("events of a class have its fields, and names and filters of their own")
{
	fake::reset();
	fake::trace_options options = large_trace();
	options.filter = UST_BIT(1);
	const unsigned first = fake::create(options);
	options.filter = UST_BIT(2);
	const unsigned second = fake::create(options);
	for (int i = 0; i < 2; ++i) {
		UST(disk, read, i, "a");
		UST(disk, write, i, std::string("b"));
		UST(disk, sync, i, nullptr);
		UST(disk, idle);
	}
	CHECK(recorded(first) == Strings{R"(disk:read { fd = 0, path = "a" })", "disk:idle { }",
					 R"(disk:read { fd = 1, path = "a" })", "disk:idle { }"});
	CHECK(recorded(second) == Strings{R"(disk:write { fd = 0, path = "b" })",
					  R"-(disk:sync { fd = 0, path = "(null)" })-",
					  R"(disk:write { fd = 1, path = "b" })",
					  R"-(disk:sync { fd = 1, path = "(null)" })-"});
}

TEST_CASE("an event in a named category is written where a trace has its bit")
{
	fake::reset();
	fake::trace_options options = large_trace();
	options.filter = UST_CATEGORY_NET;
	const unsigned trace = fake::create(options);
	UST(word, in_category);
	fake::set_filter(trace, UST_BIT(3));
	UST(word, in_category);
	fake::set_filter(trace, UST_BIT(4) | UST_CATEGORY_LIFE);
	UST(word, in_category);
	CHECK(recorded(trace).size() == 2);
}

TEST_CASE("one field, ten and eleven fields are written")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(count, one, 1);
	UST(count, ten, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	UST(count, eleven, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	CHECK(recorded(trace) == Strings{"count:one { a = 1 }",
					 "count:ten { a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, b0 = "
					 "5, b1 = 6, b2 = 7, b3 = "
					 "8, b4 = 9 }",
					 "count:eleven { a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, "
					 "b0 = 5, b1 = 6, b2 = 7, "
					 "b3 = 8, b4 = 9, c = 10 }"});
}

TEST_CASE("every type may stand beside every other")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(count, pairs, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "12", 13, 14, 15, 16, 17, 18, 19,
		20, 21, 22, "23", 24, 25, 26, 27, 28, 29, 30, 31, "32", 33, 34, 35, 36, 37, 38,
		"39", 40, 41, 42, 43, "44", 45, 46, "47", "48", 49);
	std::string expected = "count:pairs { ";
	for (int i = 0; i < 50; ++i) {
		const std::string number = std::to_string(i);
		const bool text =
			i == 12 || i == 23 || i == 32 || i == 39 || i == 44 || i == 47 || i == 48;
		expected += (i ? ", " : "") + std::string(1, static_cast<char>('a' + i / 10)) +
			    std::to_string(i % 10) + " = " + (text ? '"' + number + '"' : number);
	}
	CHECK(recorded(trace) == Strings{expected + " }"});
}

TEST_CASE("of two definitions of an event in two files one is written, and never the other")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	for (int i = 0; i < 2; ++i) {
		UST(twice, defined, 1, "here");
		UST(twice, longer, 4, 5);
		UST(twice, of_class, 2, 3);
		write_otherwise();
	}
	const Strings all = recorded(trace);
	const Strings here = {R"(twice:defined { a = 1, b = "here" })",
		"twice:longer { a = 4, b = 5 }", "twice:of_class { a = 2, b = 3 }"};
	const Strings there = {"twice:defined { a = 0.5, b = 0.25 }", "twice:longer { a = 4 }",
		R"(twice:of_class { a = "other" })"};
	REQUIRE(all.size() == 6); // which of them is the linker's choice
	for (std::size_t i = 0; i < all.size(); ++i)
		CHECK((all[i] == here[i % 3] || all[i] == there[i % 3]));
}

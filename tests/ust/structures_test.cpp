// SPDX-License-Identifier: MIT
//
// Fields of types that ust::field<> tells of, and optional ones, from the marker
// to the reader.
#include "recorded.h"

#include <ust/ust.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

using Strings = std::vector<std::string>;

struct point {
	int x;
	double y;
};
struct derived_point : point {
};
struct shape {
	std::string name;
	std::vector<point> corners;
	std::array<std::uint8_t, 2> color;
	std::atomic<int> uses;
	const char *note;
};
enum class unit {
	METRE,
	FOOT
};

// Has bit-fields, members that are not public, and one that is shown otherwise.
class packed
{
public:
	packed(unsigned low, unsigned high, int secret) : m_low(low), m_high(high), m_secret(secret)
	{
	}
	unsigned low() const { return m_low; }
	unsigned high() const { return m_high; }

private:
	friend ust::field<packed>;
	unsigned m_low : 3, m_high : 5;
	int m_secret;
};

struct length {
	double value;
	unit in;
};
struct money {
	long cents;
};
struct title {
	std::string text;
};
struct list {
	std::vector<title> titles;
};
// Another string each time it is asked, as if another thread changed it.
struct fickle {
	mutable std::vector<std::string> answers; // the last one first
};
struct identifier {
	std::uint8_t bytes[4];
};

UST_STRUCT(point, (x)(y))
UST_STRUCT(shape, (name)(corners)(color)(uses)(note))
UST_ENUM(unit, (METRE)(FOOT))
UST_STRUCT(length, (value)(in))
template <>
struct ust::field<packed> {
	static constexpr auto members = std::make_tuple(ust::member("low", &packed::low),
		ust::member<ust::hex<unsigned>>("high", &packed::high),
		ust::member("secret", [](const packed &p) { return -p.m_secret; }));
};
template <>
struct ust::field<money> {
	static double get(const money &m) { return static_cast<double>(m.cents) / 100; }
};
template <>
struct ust::field<title> { // what it returns is gone after the statement
	static std::string get(const title &t) { return "<" + t.text + ">"; }
};
template <>
struct ust::field<fickle> {
	static std::string get(const fickle &f)
	{
		std::string answer = f.answers.back();
		f.answers.pop_back();
		return answer;
	}
};
template <>
struct ust::field<list> {
	static const std::vector<title> &get(const list &l) { return l.titles; }
};
template <>
struct ust::field<identifier> {
	static std::array<std::uint8_t, 4> get(const identifier &i)
	{
		return {i.bytes[0], i.bytes[1], i.bytes[2], i.bytes[3]};
	}
};

UST_EVENT(structures, points, UST_BIT(0), (point, a)(int, b)(point[2], c)(std::vector<point>, d))
UST_EVENT(structures, shapes, UST_BIT(0), (shape, a)(int, b))
UST_EVENT(structures, members, UST_BIT(0), (packed, a)(length, b))
UST_EVENT(structures, converted, UST_BIT(0),
	(money, a)(title, b)(identifier, c)(list, d)(std::vector<money>, e))
UST_EVENT(structures, optional, UST_BIT(0),
	(std::optional<int>, a)(std::optional<std::string>, b)(std::optional<point>, c)(
		std::optional<std::vector<std::string>>, d)(std::vector<std::optional<char>>, e))
UST_EVENT(structures, changing, UST_BIT(0), (std::vector<fickle>, a)(fickle, b)(int, c))
UST_EVENT(structures, last, UST_BIT(0), (std::vector<title>, a)(int, b))

TEST_CASE("structures are written member by member, without their padding")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const point two[2] = {{3, 0.25}, {4, 0.125}};
	derived_point derived;
	derived.x = 9;
	derived.y = 8;
	UST(structures, points, point{1, 0.5}, 2, two, std::vector<point>());
	UST(structures, points, derived, 2, two, std::vector<point>{{5, 6}});
	CHECK(recorded(trace) ==
		Strings{"structures:points { a = { x = 1, y = 0.5 }, b = 2, c = [ [0] = { x = 3, y "
			"= "
			"0.25 }, [1] = { x = 4, y = 0.125 } ], d_length = 0, d = [ ] }",
			"structures:points { a = { x = 9, y = 8 }, b = 2, c = [ [0] = { x = 3, y = "
			"0.25 }, [1] = { x = 4, y = 0.125 } ], d_length = 1, d = [ [0] = { x = 5, "
			"y "
			"= 6 } ] }"});
}

TEST_CASE("structures may hold strings, sequences, arrays, atomics and null")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	shape s{"square", {{1, 2}, {3, 4}}, {5, 6}, {7}, nullptr};
	UST(structures, shapes, s, 8);
	CHECK(recorded(trace) ==
		Strings{R"(structures:shapes { a = { name = "square", corners_length = 2, corners = )"
			R"([ [0] = { x = 1, y = 2 }, [1] = { x = 3, y = 4 } ], color = [ [0] = 5, )"
			R"-([1] = 6 ], uses = 7, note = "(null)" }, b = 8 })-"});
}

TEST_CASE("members may be got by functions, and have another type than they return")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(structures, members, packed(5, 17, 3), length{1.5, unit::FOOT});
	CHECK(recorded(trace) ==
		Strings{R"(structures:members { a = { low = 5, high = 0x11, secret = -3 }, b = { )"
			R"(value = 1.5, in = ( "FOOT" : container = 1 ) } })"});
}

TEST_CASE("a type is traced as what its get() returns")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::string large(100, 'x');
	UST(structures, converted, money{150}, title{large}, identifier{{1, 2, 3, 4}},
		list{{{"a"}, {"b"}}}, std::vector<money>{{25}});
	CHECK(recorded(trace) ==
		Strings{R"(structures:converted { a = 1.5, b = "<)" + large +
			R"(>", c = [ [0] = 1, [1] = 2, [2] = 3, [3] = 4 ], d_length = 2, d = [ [0] )"
			R"(= "<a>", [1] = "<b>" ], e_length = 1, e = [ [0] = 0.25 ] })"});
}

TEST_CASE("an optional value is there or not")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(structures, optional, 1, std::string("two"), point{3, 4},
		std::vector<std::string>{"five"}, std::vector<std::optional<char>>{'6', {}});
	UST(structures, optional, std::nullopt, std::optional<std::string>(), std::nullopt,
		std::nullopt, std::vector<std::optional<char>>());
	CHECK(recorded(trace) ==
		Strings{R"(structures:optional { a_length = 1, a = [ [0] = 1 ], b_length = 1, b = [ )"
			R"([0] = "two" ], c_length = 1, c = [ [0] = { x = 3, y = 4 } ], d_length = )"
			R"(1, d = [ [0] = { value_length = 1, value = [ [0] = "five" ] } ], )"
			R"(e_length = 2, e = [ [0] = { value_length = 1, value = "6" }, [1] = { )"
			R"(value_length = 0, value = "" } ] })",
			"structures:optional { a_length = 0, a = [ ], b_length = 0, b = [ ], "
			"c_length = 0, c = [ ], d_length = 0, d = [ ], e_length = 0, e = [ ] }"});
}

TEST_CASE("all traces get the same values, whatever get() returns next")
{
	fake::reset();
	const unsigned one = fake::create(large_trace());
	const unsigned other = fake::create(large_trace());
	UST(structures, last, std::vector<title>{{"a"}, {"b"}}, 1);
	const Strings expected{
		R"(structures:last { a_length = 2, a = [ [0] = "<a>", [1] = "<b>" ], )"
		R"(b = 1 })"};
	CHECK(recorded(one) == expected);
	CHECK(recorded(other) == expected);
}

TEST_CASE("elements that change after they were measured are cut, and leave room if they shrink")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const auto write = [](const char *measured, const char *stored) {
		const std::vector<fickle> one = {{{"second", "second"}}};
		std::vector<fickle> two = {{{stored, measured}}, one[0]};
		UST(structures, changing, two, (fickle{{"once"}}), 1);
	};
	write("abc", "abc");
	write("abc", "a");
	write("abc", "");
	write("abc", "abcdef"); // takes room of the second
	write("", "0123456789");
	write("0123456789", "");
	const auto line = [](const std::string &first, const std::string &second) {
		return "structures:changing { a_length = 2, a = [ [0] = \"" + first +
		       "\", [1] = \"" + second + "\" ], b = \"once\", c = 1 }";
	};
	CHECK(recorded(trace) == Strings{line("abc", "second"), line("a", "second"),
					 line("", "second"), line("abcdef", "sec"),
					 line("012345", ""), line("", "second")});
}

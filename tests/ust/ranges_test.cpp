// SPDX-License-Identifier: MIT
//
// Fields that are arrays and sequences, from the marker to the reader.
#include "changer.h"
#include "recorded.h"

#include <ust/ust.h>

#include <array>
#include <catch2/catch.hpp>
#include <vector>
#if __has_include(<span>)
#include <span>
#endif

using Strings = std::vector<std::string>;

namespace
{

// A contiguous range of the program's own.
struct own_range {
	const short *data() const { return numbers; }
	std::size_t size() const { return 2; }
	short numbers[2] = {8, 9};
};

} // namespace

UST_EVENT(ranges, arrays, UST_BIT(0),
	(int[3], a)(std::array<std::uint8_t, 2>, b)(int[2][3], c)(bool[2], d)(void *[2], e)(
		char[6], f)(double[1], g))
UST_EVENT(ranges, sequences, UST_BIT(0),
	(std::vector<int>, a)(float[], b)(ust::span<std::uint16_t>, c)(double[], d)(own_range, e)(
		std::vector<char>, f)(ust::hex<unsigned>[], g))
UST_EVENT(ranges, nested, UST_BIT(0),
	(std::vector<std::vector<int>>, a)(std::vector<std::array<short, 2>>, b)(
		std::vector<std::string>, c)(std::array<std::string, 2>, d)(int, e))
UST_EVENT(ranges, units, UST_BIT(0), (std::u16string_view, a)(std::u32string, b))
UST_EVENT(ranges, names, UST_BIT(0), (int[], x)(int, x_length)(int[], _x)(int[], int))
UST_EVENT(ranges, changing, UST_BIT(0), (std::vector<const char *>, a)(const char *, b)(int, c))
UST_EVENT(ranges, integers, UST_BIT(0), (long long[], a)(std::vector<unsigned long>, b))

TEST_CASE("arrays are written as they are")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const int numbers[3] = {1, -2, 3};
	const std::array<std::uint8_t, 2> bytes = {0, 255};
	const int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
	const bool flags[2] = {true, false};
	void *const pointers[2] = {nullptr, reinterpret_cast<void *>(0x1234)};
	const char name[6] = "name";
	const std::array<double, 1> half = {0.5};
	UST(ranges, arrays, numbers, bytes, matrix, flags, pointers, name, half);
	CHECK(recorded(trace) ==
		Strings{R"(ranges:arrays { a = [ [0] = 1, [1] = -2, [2] = 3 ], b = [ [0] = 0, [1] = )"
			R"(255 ], c = [ [0] = { value = [ [0] = 1, [1] = 2, [2] = 3 ] }, [1] = { )"
			R"(value = [ [0] = 4, [1] = 5, [2] = 6 ] } ], d = [ [0] = 1, [1] = 0 ], e = )"
			R"([ [0] = 0x0, [1] = 0x1234 ], f = "name", g = [ [0] = 0.5 ] })"});
}

TEST_CASE("whatever lies in a row is written with its size, and nothing if it is empty")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::vector<int> numbers = {1, 2};
	const float floats[] = {1.5f};
	const std::uint16_t shorts[] = {7, 8, 9};
	const std::vector<char> text = {'t', 'e', 'x', 't'};
	const unsigned flags[] = {255};
	UST(ranges, sequences, numbers, floats, ust::span(shorts, 2), std::vector<double>{2.5},
		own_range(), text, flags);
	UST(ranges, sequences, std::vector<int>(), std::vector<float>(),
		ust::span<std::uint16_t>(nullptr, 5), std::vector<double>(), own_range(),
		std::string("x"), std::vector<unsigned>());
	CHECK(recorded(trace) ==
		Strings{R"(ranges:sequences { a_length = 2, a = [ [0] = 1, [1] = 2 ], b_length = 1, )"
			R"(b = [ [0] = 1.5 ], c_length = 2, c = [ [0] = 7, [1] = 8 ], d_length = 1, )"
			R"(d = [ [0] = 2.5 ], e_length = 2, e = [ [0] = 8, [1] = 9 ], f_length = 4, )"
			R"(f = "text", g_length = 1, g = [ [0] = 0xFF ] })",
			R"(ranges:sequences { a_length = 0, a = [ ], b_length = 0, b = [ ], )"
			R"(c_length = 0, c = [ ], d_length = 0, d = [ ], e_length = 2, e = [ [0] = )"
			R"(8, [1] = 9 ], f_length = 1, f = "x", g_length = 0, g = [ ] })"});
}

#ifdef __cpp_lib_span
UST_EVENT(ranges, spans, UST_BIT(0), (std::span<const int>, a)(std::span<short>, b))

TEST_CASE("spans are sequences")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const int numbers[] = {1, 2, 3};
	std::vector<short> shorts = {4};
	UST(ranges, spans, std::span(numbers).first(2), shorts);
	CHECK(recorded(trace) == Strings{"ranges:spans { a_length = 2, a = [ [0] = 1, [1] = 2 ], "
					 "b_length = 1, b = [ [0] = 4 ] }"});
}
#endif

TEST_CASE("sequences of sequences, of arrays and of strings are written")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::array<std::string, 2> two = {"d", ""};
	UST(ranges, nested, std::vector<std::vector<int>>{{1}, {}, {2, 3}},
		std::vector<std::array<short, 2>>{{4, 5}}, std::vector<std::string>{"", "six"}, two,
		7);
	UST(ranges, nested, std::vector<std::vector<int>>(), std::vector<std::array<short, 2>>(),
		std::vector<std::string>(), two, 8);
	CHECK(recorded(trace) ==
		Strings{R"(ranges:nested { a_length = 3, a = [ [0] = { value_length = 1, value = [ )"
			R"([0] = 1 ] }, [1] = { value_length = 0, value = [ ] }, [2] = { )"
			R"(value_length = 2, value = [ [0] = 2, [1] = 3 ] } ], b_length = 1, b = [ )"
			R"([0] = { value = [ [0] = 4, [1] = 5 ] } ], c_length = 2, c = [ [0] = "", )"
			R"([1] = "six" ], d = [ [0] = "d", [1] = "" ], e = 7 })",
			R"(ranges:nested { a_length = 0, a = [ ], b_length = 0, b = [ ], c_length )"
			R"(= 0, c = [ ], d = [ [0] = "d", [1] = "" ], e = 8 })"});
}

TEST_CASE("wide strings are sequences of code units")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(ranges, units, u"\u00fcx", std::u32string(U"\U0001f600"));
	CHECK(recorded(trace) ==
		Strings{"ranges:units { a_length = 2, a = [ [0] = 0xFC, [1] = 0x78 "
			"], b_length = 1, b = [ [0] = 0x1F600 ] }"});
}

TEST_CASE("the name of a length gives way to those of the fields")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const int numbers[] = {1};
	UST(ranges, names, numbers, 5, numbers, numbers);
	CHECK(recorded(trace) ==
		Strings{"ranges:names { x_length_ = 1, x = [ [0] = 1 ], x_length = 5, _x_length = "
			"1, _x = [ [0] = 1 ], int_length = 1, int = [ [0] = 1 ] }"});
}

TEST_CASE("integers of one size and sign are the same in a row")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(ranges, integers, std::vector<long>{-1}, std::vector<unsigned long long>{1});
	CHECK(recorded(trace) ==
		Strings{"ranges:integers { a_length = 1, a = [ [0] = -1 ], b_length "
			"= 1, b = [ [0] = 1 ] }"});
}

TEST_CASE("a sequence larger than any sub-buffer is counted as too big")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::vector<int> numbers(1 << 17);
	UST(ranges, sequences, numbers, std::vector<float>(), ust::span<std::uint16_t>(nullptr, 0),
		std::vector<double>(), own_range(), std::string(), std::vector<unsigned>());
	// Its elements are never looked at.
	static char byte;
	UST(ranges, units, std::u16string_view(), std::u32string());
	UST(ranges, sequences, std::vector<int>(), std::vector<float>(),
		ust::span<std::uint16_t>(reinterpret_cast<std::uint16_t *>(&byte), SIZE_MAX / 2),
		std::vector<double>(), own_range(), std::string(), std::vector<unsigned>());
	CHECK(fake::control(trace)->too_big == 2);
	CHECK(recorded(trace).size() == 1);
}

TEST_CASE("elements that another thread changes leave the event parseable", "[race]")
{
	fake::reset();
	fake::trace_options options = large_trace();
	options.n_subbufs = 16;
	const unsigned trace = fake::create(options);
	const Changer<40> shared;
	const std::vector<const char *> texts(9, shared.data());
	for (int i = 0; i < 2000; ++i)
		UST(ranges, changing, texts, shared.data(), i);
	CHECK(recorded(trace).size() == 2000);
}

// SPDX-License-Identifier: MIT
//
// Fields that are one number, from the marker to the reader.
#include "recorded.h"

#include <ust/ust.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <limits>

using Strings = std::vector<std::string>;

namespace
{

struct incomplete;
enum class small : char {
	A = 'a'
};
enum class flag : bool {
	NO,
	YES
};
enum class large : std::uint64_t {
	MOST = ~std::uint64_t{0}
};
enum plain {
	ONE = 1
};

void function() {}

} // namespace

enum class state : int {
	IDLE = -1,
	BUSY = 4,
	LOST
};
enum class wide : std::uint64_t {
	LOW,
	HIGH = ~std::uint64_t{0}
};
enum class deep : std::int64_t {
	LEAST = std::numeric_limits<std::int64_t>::min(),
	ZERO = 0
};
UST_ENUM(state, (IDLE)(BUSY)(LOST))
UST_ENUM(wide, (LOW)(HIGH))
template <>
struct ust::field<deep> {
	static constexpr ust::label<deep> labels[] = {
		{"low \"quoted\" \\", deep::LEAST, deep{-5}}, {"int", deep::ZERO}};
};

UST_EVENT(numbers, based, UST_BIT(0),
	(ust::hex<std::uint32_t>, a)(ust::oct<std::uint16_t>, b)(ust::bin<std::uint8_t>, c)(
		ust::hex<int>, d)(ust::hex<std::uint64_t>, e))
UST_EVENT(numbers, network, UST_BIT(0),
	(ust::network<std::uint16_t>, a)(ust::network<std::uint32_t>, b)(
		ust::hex<ust::network<std::uint64_t>>, c)(ust::network<ust::hex<std::int16_t>>, d))
UST_EVENT(numbers, addresses, UST_BIT(0),
	(void *, a)(const int *, b)(incomplete *, c)(void (*)(), d)(std::byte *, e)(
		volatile int *, f))
UST_EVENT(numbers, code_units, UST_BIT(0), (wchar_t, a)(char16_t, b)(char32_t, c))
UST_EVENT(numbers, enums, UST_BIT(0), (small, a)(flag, b)(large, c)(plain, d))
UST_EVENT(numbers, labels, UST_BIT(0), (state, a)(wide, b)(deep, c))
UST_EVENT(numbers, qualified, UST_BIT(0),
	(const int, a)(volatile short, b)(const long &, c)(std::atomic<unsigned>, d)(
		std::atomic<bool>, e)(std::atomic<double>, f)(std::atomic<const int *>, g))

TEST_CASE("integers are shown in the base of their field")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(numbers, based, 0xdeadbeef, 0755, 5, -1, ~std::uint64_t{0});
	UST(numbers, based, 0, 0, 0, 0, 0);
	CHECK(recorded(trace) ==
		Strings{"numbers:based { a = 0xDEADBEEF, b = 0755, c = 0b00000101, d = 0xFFFFFFFF, "
			"e = 0xFFFFFFFFFFFFFFFF }",
			"numbers:based { a = 0x0, b = 00, c = 0b00000000, d = 0x0, e = 0x0 }"});
}

TEST_CASE("numbers in network order are shown as what they mean")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(numbers, network, __builtin_bswap16(8080), __builtin_bswap32(0x7f000001),
		__builtin_bswap64(0x0102030405060708), static_cast<short>(__builtin_bswap16(1)));
	CHECK(recorded(trace) == Strings{"numbers:network { a = 8080, b = 2130706433, c = "
					 "0x102030405060708, d = 0x1 }"});
}

TEST_CASE("addresses of objects, functions and nothing are written")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const auto address = [](std::uintptr_t a) { return reinterpret_cast<int *>(a); };
	UST(numbers, addresses, address(0x10), address(0x20), nullptr, nullptr, nullptr,
		address(0xffffffffffff));
	UST(numbers, addresses, nullptr, nullptr, nullptr, function, nullptr, nullptr);
	UST(numbers, addresses, nullptr, nullptr, nullptr, &function, nullptr, nullptr);
	const Strings all = recorded(trace);
	REQUIRE(all.size() == 3);
	CHECK(all[0] == "numbers:addresses { a = 0x10, b = 0x20, c = 0x0, d = 0x0, e = 0x0, f = "
			"0xFFFFFFFFFFFF }");
	CHECK(all[1] == all[2]);
	CHECK(all[1].find("d = 0x0") == std::string::npos);
}

TEST_CASE("characters that are not of UTF-8 are shown as the numbers that they are")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(numbers, code_units, L'\u20ac', u'\u00fc', U'\U0001f600');
	UST(numbers, code_units, 'a', u'\uffff', U'\uffff');
	CHECK(recorded(trace) ==
		Strings{"numbers:code_units { a = 0x20AC, b = 0xFC, c = 0x1F600 }",
			"numbers:code_units { a = 0x61, b = 0xFFFF, c = 0xFFFF }"});
}

TEST_CASE("an enumeration without labels is the integer that it is")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(numbers, enums, small::A, flag::YES, large::MOST, ONE);
	CHECK(recorded(trace) ==
		Strings{"numbers:enums { a = 97, b = 1, c = 18446744073709551615, d = 1 }"});
}

TEST_CASE("an enumeration with labels is shown by them, any other value as a number")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST(numbers, labels, state::IDLE, wide::LOW, deep::LEAST);
	UST(numbers, labels, state::LOST, wide::HIGH, deep::ZERO);
	UST(numbers, labels, state{3}, wide{7}, deep{-5});
	CHECK(recorded(trace) ==
		Strings{"numbers:labels { a = ( \"IDLE\" : container = -1 ), b = ( \"LOW\" : "
			"container = 0 ), c = ( \"low \\\"quoted\\\" \\\\\" : container = "
			"-9223372036854775808 ) }",
			"numbers:labels { a = ( \"LOST\" : container = 5 ), b = ( \"HIGH\" : "
			"container = 18446744073709551615 ), c = ( \"int\" : container = 0 ) }",
			"numbers:labels { a = ( <unknown> : container = 3 ), b = ( <unknown> : "
			"container = 7 ), c = ( \"low \\\"quoted\\\" \\\\\" : container = -5 ) }"});
}

TEST_CASE("a qualified or atomic field is that of its type, and takes its objects")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	volatile short changing = 2;
	std::atomic<unsigned> counter{4};
	std::atomic<bool> ready{true};
	std::atomic<double> level{0.5};
	std::atomic<const int *> pointer{nullptr};
	const long constant = 3;
	UST(numbers, qualified, 1, changing, constant, counter, ready, level, pointer);
	volatile std::atomic<unsigned> both{5};
	UST(numbers, qualified, counter, changing, constant, both, false, 2, nullptr);
	CHECK(recorded(trace) ==
		Strings{"numbers:qualified { a = 1, b = 2, c = 3, d = 4, e = 1, f = "
			"0.5, g = 0x0 }",
			"numbers:qualified { a = 4, b = 2, c = 3, d = 5, e = 0, f = "
			"2, g = 0x0 }"});
}

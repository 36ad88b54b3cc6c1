// SPDX-License-Identifier: MIT
//
// Orders of fields. Of the 5040 orders of seven types these 14 have each type at each
// place, and each type before and behind each other one. What becomes of a field does
// not depend on more than that: fields are packed one after the other.
#include "recorded.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

using Strings = std::vector<std::string>;
using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using F = float;
using D = double;
using S = std::string;

#define ORDERS(order)                                                                              \
	order(row0, U8, U16, S, U32, D, U64, F) order(row1, U16, U32, U8, U64, S, F, D) order(     \
		row2, U32, U64, U16, F, U8, D, S) order(row3, U64, F, U32, D, U16, S, U8)          \
		order(row4, F, D, U64, S, U32, U8, U16) order(row5, D, S, F, U8, U64, U16, U32)    \
			order(row6, S, U8, D, U16, F, U32, U64) order(row7, F, U64, D, U32, S,     \
				U16, U8) order(row8, D, F, S, U64, U8, U32, U16) order(row9, S, D, \
				U8, F, U16, U64, U32) order(row10, U8, S, U16, D, U32, F, U64)     \
				order(row11, U16, U8, U32, S, U64, D, F)                           \
					order(row12, U32, U16, U64, U8, F, S, D)                   \
						order(row13, U64, U32, F, U16, D, U8, S)

#define DEFINE(name, a, b, c, d, e, f, g)                                                          \
	UST_EVENT(order, name, UST_BIT(0), (a, a_)(b, b_)(c, c_)(d, d_)(e, e_)(f, f_)(g, g_))
ORDERS(DEFINE)

namespace
{

// The greatest value that a reader prints exactly, or a text.
template <class Type>
Type value()
{
	if constexpr (std::is_integral_v<Type>)
		return static_cast<Type>(~Type{0});
	else if constexpr (std::is_floating_point_v<Type>)
		return sizeof(Type) == 4 ? Type(-0.5) : Type(-1234.25);
	else
		return "a text";
}

template <class Type>
std::string shown(const char *name)
{
	if constexpr (std::is_integral_v<Type>)
		return std::string(name) + " = " + std::to_string(value<Type>());
	else if constexpr (std::is_floating_point_v<Type>)
		return std::string(name) + " = " + (sizeof(Type) == 4 ? "-0.5" : "-1234.25");
	else
		return std::string(name) + " = \"a text\"";
}

} // namespace

TEST_CASE("each type may stand at each place, behind and before each other one")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	Strings expected;
#define WRITE(name, a, b, c, d, e, f, g)                                                           \
	UST(order, name, value<a>(), value<b>(), value<c>(), value<d>(), value<e>(), value<f>(),   \
		value<g>());                                                                       \
	expected.push_back("order:" #name " { " + shown<a>("a_") + ", " + shown<b>("b_") + ", " +  \
			   shown<c>("c_") + ", " + shown<d>("d_") + ", " + shown<e>("e_") + ", " + \
			   shown<f>("f_") + ", " + shown<g>("g_") + " }");
	ORDERS(WRITE)
	CHECK(recorded(trace) == expected);
}

// SPDX-License-Identifier: MIT
// The size of payloads.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "lib/definitions.h"
#include "lib/layout.h"
#include "support/build.h"

namespace
{

ltt::Layout layout_of(const Fields &fields)
{
	const Bytes d = definition(1, "p", "e", fields);
	return ltt::Layout(ltt::parse_definitions(d.data(), d.size()).events[0].fields);
}

// Content and all of a payload; -1 if it is none. What follows it does not matter.
std::pair<long, long> measure(const ltt::Layout &layout, const Bytes &bytes)
{
	// A copy of exactly this size: a sanitizer sees a read beyond it.
	const std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
	std::copy(bytes.begin(), bytes.end(), copy.get());
	const ltt::Layout::Size size =
		ltt::Layout::measure(layout.steps(), copy.get(), bytes.size());
	if (size.all > bytes.size())
		return {-1, -1};
	return {static_cast<long>(size.content), static_cast<long>(size.all)};
}

// Nothing that is cut off is taken, and nothing after the end.
void check(const Fields &fields, const Bytes &bytes, size_t slack = 0)
{
	const ltt::Layout layout = layout_of(fields);
	const long all = static_cast<long>(bytes.size());
	CHECK(measure(layout, bytes) == std::pair<long, long>{all - static_cast<long>(slack), all});
	Bytes more = bytes;
	more.push_back(1);
	CHECK(measure(layout, more) == std::pair<long, long>{all - static_cast<long>(slack), all});
	for (long n = 0; n < all; ++n) {
		INFO("cut to " << n << " bytes");
		CHECK(measure(layout, Bytes(bytes.begin(), bytes.begin() + n)).first == -1);
	}
}

Bytes counted(uint32_t n, const Bytes &elements)
{
	Bytes out = payload(n);
	append(out, elements);
	return out;
}

Bytes text(const std::string &s)
{
	Bytes out;
	put_string(out, s);
	return out;
}

Bytes join(std::initializer_list<Bytes> all)
{
	Bytes out;
	for (const Bytes &one : all)
		append(out, one);
	return out;
}

} // namespace

TEST_CASE("payloads of each type have their size")
{
	check({}, {});
	check({{UST_TYPE_POINTER, "a"}, {UST_TYPE_CHAR16, "b"}}, Bytes(10));
	check({{around(UST_TYPE_BASE_16, around(UST_TYPE_NETWORK, UST_TYPE_U16)), "a"}}, Bytes(2));
	check({{enum_of<int16_t>(UST_TYPE_I16, {{0, 0, "x"}}), "a"}}, Bytes(2));
	check({{array_of(3, array_of(2, UST_TYPE_U32)), "a"}, {UST_TYPE_U8, "b"}}, Bytes(25));
	check({{sequence_of(UST_TYPE_U32), "a"}, {UST_TYPE_U8, "b"}}, counted(2, Bytes(9)));
	check({{sequence_of(UST_TYPE_U32), "a"}, {UST_TYPE_U8, "b"}}, counted(0, Bytes(1)));
	check({{struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_U16, "y"}}), "a"}}, Bytes(3));
	check({{struct_of({{UST_TYPE_STRING, "x"}, {UST_TYPE_U16, "y"}}), "a"}, {UST_TYPE_U8, "b"}},
		join({text("abc"), Bytes(3)}));
}

TEST_CASE("strings of each length end at their first NUL")
{
	for (size_t length = 0; length < 100; ++length)
		for (char c : {'\x01', '\x7f', '\x80', '\xff'}) {
			const Bytes two = join({text(std::string(length, c)), text("\x01")});
			const ltt::Layout one = layout_of({{UST_TYPE_STRING, "a"}});
			const auto size = static_cast<long>(length + 1);
			CHECK(measure(one, two) == std::pair<long, long>{size, size});
			CHECK(measure(one, Bytes(two.begin(), two.begin() + size)).first == size);
			CHECK(measure(one, Bytes(two.begin(), two.begin() + size - 1)).first == -1);
		}
}

TEST_CASE("an optional value takes a byte, and its own if it is there")
{
	const Fields fields = {{around(UST_TYPE_OPTIONAL, UST_TYPE_U32), "a"}, {UST_TYPE_U8, "b"}};
	check(fields, {0, 7});
	check(fields, {1, 1, 2, 3, 4, 7});
	CHECK(measure(layout_of(fields), {2, 1, 2, 3, 4, 5, 6, 7, 8, 9}).first == -1);
	// Fields of fixed size before, within and after are not one run.
	check({{UST_TYPE_U8, "a"},
		      {around(UST_TYPE_OPTIONAL,
			       struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_STRING, "y"},
				       {UST_TYPE_U8, "z"}})),
			      "b"},
		      {UST_TYPE_U8, "c"}},
		{9, 0, 9});
}

TEST_CASE("elements of different sizes are walked, and leave room that was not needed")
{
	const Fields strings = {{sequence_of(UST_TYPE_STRING), "a"}, {UST_TYPE_U8, "b"}};
	check(strings, join({counted(2, text("one")), text(""), Bytes(1), payload(uint32_t{0})}),
		4);
	check(strings, join({counted(0, Bytes(1)), payload(uint32_t{3}), Bytes(3)}), 7);
	check({{sequence_of(sequence_of(UST_TYPE_U16)), "a"}},
		join({counted(2, counted(1, Bytes(2))), payload(uint32_t{0}),
			payload(uint32_t{0})}),
		4);
	check({{array_of(2, UST_TYPE_STRING), "a"}},
		join({text("x"), text("y"), payload(uint32_t{0})}), 4);
	check({{around(UST_TYPE_OPTIONAL, sequence_of(UST_TYPE_STRING)), "a"}},
		join({Bytes{0}, payload(uint32_t{0})}), 4);
}

TEST_CASE("a count that lies is found out")
{
	for (const Fields &fields :
		{Fields{{sequence_of(UST_TYPE_U64), "a"}}, Fields{{sequence_of(UST_TYPE_U8), "a"}},
			Fields{{sequence_of(UST_TYPE_STRING), "a"}},
			Fields{{sequence_of(sequence_of(sequence_of(UST_TYPE_STRING))), "a"}}})
		for (uint32_t n : {10U, 0x20000000U, 0x20000001U, 0xffffffffU})
			CHECK(measure(layout_of(fields), counted(n, Bytes(8))).first == -1);
	const Fields strings = {{sequence_of(UST_TYPE_STRING), "a"}};
	CHECK(measure(layout_of(strings),
		      join({payload(uint32_t{0}), payload(UINT32_MAX), Bytes(100)}))
			.first == -1);
}

TEST_CASE("seven types have their size in every order")
{
	struct Kind {
		int code;
		size_t size;
	};
	std::vector<Kind> kinds = {{UST_TYPE_U8, 1}, {UST_TYPE_U16, 2}, {UST_TYPE_U32, 4},
		{UST_TYPE_U64, 8}, {UST_TYPE_FLOAT, 4}, {UST_TYPE_DOUBLE, 8}, {UST_TYPE_STRING, 3}};
	std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6};
	do {
		Fields fields;
		Bytes bytes;
		for (size_t i : order) {
			fields.emplace_back(kinds[i].code, "f" + std::to_string(i));
			append(bytes, kinds[i].code == UST_TYPE_STRING ? text("xy")
								       : Bytes(kinds[i].size));
		}
		const auto [content, all] = measure(layout_of(fields), bytes);
		REQUIRE(content == 30);
		REQUIRE(all == 30);
	} while (std::next_permutation(order.begin(), order.end()));
}

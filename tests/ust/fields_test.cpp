// SPDX-License-Identifier: MIT
//
// What an argument becomes in the buffer.
#include "changer.h"
#include "decode.h"
#include "test_events.h"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <thread>

using Strings = std::vector<std::string>;

UST_EVENT(fields, unsigned_, UST_BIT(0),
	(std::uint8_t, a)(std::uint16_t, b)(std::uint32_t, c)(std::uint64_t, d))
UST_EVENT(fields, signed_, UST_BIT(0), (std::int8_t, a)(short, b)(int, c)(long, d)(long long, e))
UST_EVENT(fields, floating, UST_BIT(0), (float, a)(double, b))
UST_EVENT(fields, small, UST_BIT(0), (bool, a)(char, b)(signed char, c)(unsigned char, d))
UST_EVENT(fields, strings, UST_BIT(0),
	(const char *, a)(std::string, b)(std::string_view, c)(char *, d))
UST_EVENT(fields, characters, UST_BIT(0), (char[], value))
UST_EVENT(fields, mixed, UST_BIT(0),
	(bool, a)(double, b)(const char *, c)(std::uint16_t, d)(std::string, e)(char, f))
UST_EVENT(fields, one, UST_BIT(0), (int, value))
UST_EVENT(fields, size, UST_BIT(0), (std::size_t, value))

// Words of C++ and of CTF, and names with a leading underscore.
UST_EVENT(namespace, class, UST_BIT(0),
	(int, int)(int, struct)(int, align)(int, event)(int, string)(int, _x)(int, __x)(int, x1))

#define SEQ4(x) (int, x##0)(int, x##1)(int, x##2)(int, x##3)
#define SEQ16(x) SEQ4(x##0) SEQ4(x##1) SEQ4(x##2) SEQ4(x##3)
#define SEQ64(x) SEQ16(x##0) SEQ16(x##1) SEQ16(x##2) SEQ16(x##3)
UST_EVENT(fields, ten, UST_BIT(0), SEQ4(a) SEQ4(b)(int, c)(int, d))
UST_EVENT(fields, thirty_two, UST_BIT(0), SEQ16(a) SEQ16(b))
UST_EVENT(fields, sixty_four, UST_BIT(0), SEQ64(a))

TEST_CASE("integers keep their extreme values")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(fields, unsigned_, 0, 0, 0, 0);
	UST(fields, unsigned_, 255, 65535, 4294967295, 18446744073709551615u);
	UST(fields, signed_, -128, -32768, std::numeric_limits<int>::min(),
		std::numeric_limits<long>::min(), std::numeric_limits<long long>::min());
	UST(fields, signed_, 127, 32767, 2147483647, 9223372036854775807, 9223372036854775807);
	CHECK(read_texts(trace) ==
		Strings{"fields:unsigned_ a=0 b=0 c=0 d=0",
			"fields:unsigned_ a=255 b=65535 c=4294967295 d=18446744073709551615",
			"fields:signed_ a=-128 b=-32768 c=-2147483648 d=-9223372036854775808 "
			"e=-9223372036854775808",
			"fields:signed_ a=127 b=32767 c=2147483647 d=9223372036854775807 "
			"e=9223372036854775807"});
}

TEST_CASE("floating point numbers, infinity and not-a-number come back")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(fields, floating, 1.5f, -0.25);
	UST(fields, floating, 2, 3u); // integers convert
	UST(fields, floating, std::numeric_limits<float>::infinity(),
		std::numeric_limits<double>::quiet_NaN());
	CHECK(read_texts(trace) == Strings{"fields:floating a=1.5 b=-0.25",
					   "fields:floating a=2 b=3",
					   "fields:floating a=inf b=nan"});
}

TEST_CASE("bool is 0 or 1, char is a character, other bytes are numbers")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(fields, small, true, 'x', -1, 200);
	UST(fields, small, 256, 'y', 'a', 'b'); // 256 is true, though its low byte is 0
	CHECK(read_texts(trace) == Strings{"fields:small a=true b='x' c=-1 d=200",
					   "fields:small a=true b='y' c=97 d=98"});
}

TEST_CASE("every kind of string is written, and a null one as (null)")
{
	fake::reset();
	const unsigned trace = fake::create();
	char writable[] = "writable";
	const std::string string = "string";
	const char *null = nullptr;
	UST(fields, strings, "literal", string, std::string_view("view"), writable);
	UST(fields, strings, writable, "literal", "literal", string.c_str());
	UST(fields, strings, null, null, null, null);
	UST(fields, strings, nullptr, "", std::string(), std::string_view());
	CHECK(read_texts(trace) ==
		Strings{R"(fields:strings a="literal" b="string" c="view" d="writable")",
			R"(fields:strings a="writable" b="literal" c="literal" d="string")",
			R"-(fields:strings a="(null)" b="(null)" c="(null)" d="(null)")-",
			R"-(fields:strings a="(null)" b="" c="" d="")-"});
}

TEST_CASE("a NUL inside of a string becomes a question mark")
{
	using namespace std::string_literals;
	fake::reset();
	const unsigned trace = fake::create();
	UST(fields, strings, "a", "b\0c"s, "\0\0"s, "d");
	CHECK(read_texts(trace) == Strings{R"(fields:strings a="a" b="b?c" c="??" d="d")"});
}

TEST_CASE("a sequence of characters takes strings, and keeps each byte of them")
{
	using namespace std::string_literals;
	fake::reset();
	const unsigned trace = fake::create();
	for (const std::string &text : {"b\0c"s, "\0"s, ""s, std::string(300, '\0')}) {
		UST(fields, characters, text);
		UST(fields, characters, std::string_view(text));
		const auto packets = fake::read(trace);
		REQUIRE(packets.size() == 1);
		const char *const bytes = packets[0].bytes.data();
		const std::size_t one = 8 + 4 + text.size();
		REQUIRE(packets[0].bytes.size() == 2 * one);
		std::uint32_t size;
		std::memcpy(&size, bytes + 8, sizeof size);
		CHECK(size == text.size());
		CHECK(std::string(bytes + 12, bytes + one) == text);
		CHECK(std::string(bytes + one + 12, bytes + 2 * one) == text);
	}
}

TEST_CASE("an array without a NUL ends where it ends")
{
	fake::reset();
	const unsigned trace = fake::create();
	const char name[4] = {'f', 'o', 'u', 'r'};
	const char padded[8] = {'t', 'w', 'o'};
	UST(test, text, name);
	UST(test, text, padded);
	CHECK(read_texts(trace) ==
		Strings{R"(test:text value="four")", R"(test:text value="two")"});
}

TEST_CASE("a string that another thread changes stays parseable", "[race]")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 1 << 16, 16});
	const Changer<64> shared;
	for (int i = 0; i < 5000; ++i)
		UST(fields, mixed, true, 1.0, shared.data(), i, shared.data(), 'e');
	CHECK(read_texts(trace).size() == 5000); // decode() fails on a torn one
}

TEST_CASE("fields are packed in order whatever their sizes")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(fields, mixed, false, 2.5, "c", 7, std::string("e"), 'f');
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	CHECK(packets[0].bytes.size() == 8 + 1 + 8 + 2 + 2 + 2 + 1);
	CHECK(decode(packets[0]).at(0).text ==
		R"(fields:mixed a=false b=2.5 c="c" d=7 e="e" f='f')");
}

TEST_CASE("bit-fields, enumerations, constants and volatile objects are arguments")
{
	fake::reset();
	const unsigned trace = fake::create();
	struct {
		unsigned bits : 3;
	} packed = {5};
	enum plain {
		FOUR = 4
	};
	volatile int changing = 3;
	static constexpr int constant = 2;
	UST(fields, one, packed.bits);
	UST(fields, one, FOUR);
	UST(fields, one, changing);
	UST(fields, one, constant);
	UST(fields, one, std::string("x").size());
	CHECK(read_texts(trace) == Strings{"fields:one value=5", "fields:one value=4",
					   "fields:one value=3", "fields:one value=2",
					   "fields:one value=1"});
}

TEST_CASE("no field, ten, thirty-two and sixty-four fields are written")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, nothing);
	UST(fields, ten, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
#define EIGHT 1, 2, 3, 4, 5, 6, 7, 8
	UST(fields, thirty_two, EIGHT, EIGHT, EIGHT, EIGHT);
	UST(fields, sixty_four, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	CHECK(packets[0].bytes.size() == 4 * 8 + (10 + 32 + 64) * sizeof(int));
	const auto events = decode(packets[0]);
	REQUIRE(events.size() == 4);
	CHECK(events[0].text == "test:nothing");
	CHECK(events[1].text == "fields:ten a0=0 a1=1 a2=2 a3=3 b0=4 b1=5 b2=6 b3=7 c=8 d=9");
	CHECK(events[3].text.substr(events[3].text.size() - 6) == "a333=8");
}

TEST_CASE("names may be words of C++ and of CTF")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(namespace, class, 1, 2, 3, 4, 5, 6, 7, 8);
	CHECK(read_texts(trace) == Strings{"namespace:class int=1 struct=2 align=3 event=4 "
					   "string=5 _x=6 __x=7 x1=8"});
}

TEST_CASE("each argument is evaluated once when on, and never when off")
{
	fake::reset();
	int evaluated = 0;
	UST(test, number, ++evaluated);
	CHECK(evaluated == 0);
	const unsigned one = fake::create();
	const unsigned other = fake::create();
	UST(test, number, ++evaluated);
	CHECK(evaluated == 1);
	CHECK(read_texts(one) == Strings{"test:number value=1"});
	CHECK(read_texts(other) == Strings{"test:number value=1"});
	fake::stop(one);
	fake::stop(other);
	UST(test, number, ++evaluated);
	CHECK(evaluated == 1);
}

template <class Type>
constexpr int twice(Type value)
{
	UST(fields, one, value);
	return 2 * static_cast<int>(value);
}

struct with_marker {
	explicit with_marker(int value) { UST(fields, one, value); }
};

TEST_CASE("markers stand in templates, lambdas, constructors and constexpr functions")
{
	fake::reset();
	const unsigned trace = fake::create();
	static_assert(twice(2) == 4);
	volatile int runtime = 3;
	CHECK(twice(int{runtime}) == 6);
	[] { UST(fields, one, 4); }();
	with_marker object(5);
	if (runtime)
		UST(fields, one, 6);
	else
		UST(fields, one, 7);
	UST(fields, one, 7);
	UST(fields, one, 8);
	CHECK(read_texts(trace) == Strings{"fields:one value=3", "fields:one value=4",
					   "fields:one value=5", "fields:one value=6",
					   "fields:one value=7", "fields:one value=8"});
}

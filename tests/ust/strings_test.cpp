// SPDX-License-Identifier: MIT
//
// Fields that are strings, from the marker to the reader.
#include "recorded.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <memory_resource>
#include <sys/mman.h>
#include <unistd.h>

using Strings = std::vector<std::string>;

UST_EVENT(strings, bounded, UST_BIT(0), (ust::bounded<4>, a)(int, b))
UST_EVENT(strings, two, UST_BIT(0), (std::pmr::string, a)(std::string_view, b))

TEST_CASE("a bounded string is cut off, between two characters")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const char whole[] = {'f', 'o', 'u', 'r'};
	for (const std::string_view text : {"", "abc", "abcd", "abcde", "ab\u00e9", "abc\u00e9",
		     "a\u20ac", "ab\u20ac", "abc\u20ac", "\U0001f600", "a\U0001f600",
		     "abc\U0001f600", "\x80\x80\x80\x80\x80"})
		UST(strings, bounded, text, 7);
	UST(strings, bounded, whole, 7);
	UST(strings, bounded, "longer literal", 7);
	UST(strings, bounded, nullptr, 7);
	CHECK(recorded(trace) == Strings{R"(strings:bounded { a = "", b = 7 })",
					 R"(strings:bounded { a = "abc", b = 7 })",
					 R"(strings:bounded { a = "abcd", b = 7 })",
					 R"(strings:bounded { a = "abcd", b = 7 })",
					 "strings:bounded { a = \"ab\u00e9\", b = 7 }",
					 R"(strings:bounded { a = "abc", b = 7 })",
					 "strings:bounded { a = \"a\u20ac\", b = 7 }",
					 R"(strings:bounded { a = "ab", b = 7 })",
					 R"(strings:bounded { a = "abc", b = 7 })",
					 "strings:bounded { a = \"\U0001f600\", b = 7 }",
					 R"(strings:bounded { a = "a", b = 7 })",
					 R"(strings:bounded { a = "abc", b = 7 })",
					 "strings:bounded { a = \"\x80\x80\x80\x80\", b = 7 }",
					 R"(strings:bounded { a = "four", b = 7 })",
					 R"(strings:bounded { a = "long", b = 7 })",
					 R"-(strings:bounded { a = "(nul", b = 7 })-"});
}

TEST_CASE("a bounded string is not read beyond its bound")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	char *const pages = static_cast<char *>(mmap(
		nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(pages != MAP_FAILED);
	REQUIRE(mprotect(pages + page, page, PROT_NONE) == 0);
	char *const end = pages + page - 4;
	std::memcpy(end, "last", 4);
	UST(strings, bounded, end, 1);
	munmap(pages, 2 * page);
	CHECK(recorded(trace) == Strings{R"(strings:bounded { a = "last", b = 1 })"});
}

TEST_CASE("strings of 64 KiB and more are written whole")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	for (const std::size_t size : {65535u, 65536u, 65537u, 200000u}) {
		const std::string text(size, 'x');
		UST(strings, two, text, text.substr(0, 1));
	}
	const Strings all = recorded(trace);
	REQUIRE(all.size() == 4);
	for (const std::string &line : all)
		CHECK(line.substr(line.size() - 13) == R"(x", b = "x" })");
	CHECK(all[3].size() == std::string(R"(strings:two { a = "", b = "x" })").size() + 200000);
}

#ifdef __cpp_char8_t
UST_EVENT(strings, utf8, UST_BIT(0),
	(const char8_t *, a)(std::u8string, b)(std::u8string_view, c)(char8_t, d)(std::string, e))

TEST_CASE("strings of char8_t are strings")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	const std::u8string text = u8"\u00fc";
	UST(strings, utf8, u8"a", text, text, u8'd', u8"e");
	CHECK(recorded(trace) ==
		Strings{"strings:utf8 { a = \"a\", b = \"\u00fc\", c = \"\u00fc\", "
			"d = 100, e = \"e\" }"});
}
#endif

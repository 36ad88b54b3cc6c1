// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <set>

#include "lib/ctf/metadata.h"
#include "lib/error.h"
#include "lib/text.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;

namespace
{

std::string name(const std::string &n)
{
	return misuse([&] { ltt::check_trace_name(n); });
}

} // namespace

TEST_CASE("names of traces are refused with the reason")
{
	CHECK(name("a") == "accepted");
	CHECK(name("Mine_2.x-y") == "accepted");
	CHECK(name(std::string(63, 'x')) == "accepted");
	CHECK_THAT(name(""), Contains("empty"));
	CHECK_THAT(name(std::string(64, 'x')), Contains("64 bytes"));
	CHECK_THAT(name(std::string(255, 'x')), Contains("255 bytes"));
	CHECK_THAT(name("a b"), Contains("letters"));
	CHECK_THAT(name("a/b"), Contains("letters"));
	CHECK_THAT(name(".."), Contains("dot"));
	CHECK_THAT(name("-a"), Contains("dash"));
	CHECK_THAT(name("gr\xc3\xbcn"), Contains("letters"));
	CHECK_THAT(name(std::string("a\0b", 3)), Contains("letters"));
	CHECK_THAT(name("a\nb"), !Contains("\n"));
}

TEST_CASE("sizes are read as people write them")
{
	CHECK(ltt::parse_size("0") == 0);
	CHECK(ltt::parse_size("4096") == 4096);
	CHECK(ltt::parse_size("64k") == 65536);
	CHECK(ltt::parse_size("64K") == 65536);
	CHECK(ltt::parse_size("1M") == 1048576);
	CHECK(ltt::parse_size("3G") == 3221225472);
	for (const char *bad : {"", "k", "-1", "+1", " 1", "1 k", "1kB", "1.5M", "0x10", "1T",
		     "18446744073709551616", "18446744073709551615k", "99999999999999999999999"}) {
		INFO(bad);
		CHECK(misuse([&] { ltt::parse_size(bad); }) != "accepted");
	}
}

TEST_CASE("a power of two is asked for where the kernel wants one")
{
	auto parse = [](const char *text) {
		return misuse([&] { ltt::parse_power_of_two(text, "4k", "16M", "size"); });
	};
	CHECK(parse("4096") == "accepted");
	CHECK(parse("16M") == "accepted");
	CHECK_THAT(parse("2k"), Contains("from 4k to 16M"));
	CHECK_THAT(parse("32M"), Contains("from 4k to 16M"));
	CHECK_THAT(parse("5000"), Contains("power of two"));
	CHECK(parse("0") != "accepted");
	CHECK(misuse([] { ltt::parse_size("x", "--memory"); }) ==
		"--memory \"x\" is not a size: write 4096, 64k or 1M");
	CHECK_THAT(misuse([] { ltt::parse_power_of_two("3", "2", "4096", "count"); }),
		Contains("from 2 to 4096"));
}

TEST_CASE("filters are masks or bits")
{
	CHECK(ltt::parse_filter("all") == 0xffffffff);
	CHECK(ltt::parse_filter("none") == 0);
	CHECK(ltt::parse_filter("0x5") == 5);
	CHECK(ltt::parse_filter("12") == 12);
	CHECK(ltt::parse_filter("0xffffffff") == 0xffffffff);
	CHECK(ltt::parse_filter("bit0") == 1);
	CHECK(ltt::parse_filter("bit0,bit31") == 0x80000001);
	CHECK(ltt::parse_filter("net") == 1U << 21);
	CHECK(ltt::parse_filter("life,bit0,debug") == 0x80010001);
	for (const char *bad : {"", "0x", "-1", " 1", "0x100000000", "bit32", "bit", "bit0,",
		     "bit-1", "bit0,2", "bit+1", "some", "5x"}) {
		INFO(bad);
		CHECK(misuse([&] { ltt::parse_filter(bad); }) != "accepted");
	}
}

TEST_CASE("sizes and masks are shown as they are typed")
{
	CHECK(ltt::format_size(0) == "0");
	CHECK(ltt::format_size(1023) == "1023");
	CHECK(ltt::format_size(65536) == "64k");
	CHECK(ltt::format_size(1536 * 1024) == "1.5M");
	CHECK(ltt::format_filter(0xffffffff) == "all");
	CHECK(ltt::format_filter(0) == "none");
	CHECK(ltt::format_filter(5) == "0x00000005");
	CHECK(ltt::filter_bits(0) == "none");
	CHECK(ltt::format_categories(0xffffffff) == "all");
	CHECK(ltt::format_categories(0x80000000) == "debug");
	CHECK(ltt::format_time_us(1) == "1us");
	CHECK(ltt::format_time_us(1500) == "1.5ms");
	CHECK(ltt::format_time_us(100000) == "100ms");
	CHECK(ltt::format_time_us(60000000) == "60s");
	CHECK(ltt::filter_bits(0x80218001) == "bit0,bit15,life,net,debug");
	for (unsigned bit = 0; bit < 32; ++bit)
		CHECK(ltt::parse_filter(ltt::filter_bits(1U << bit)) == 1U << bit);
}

TEST_CASE("uuids are read as they are printed")
{
	std::string text = "01234567-89ab-cdef-0123-456789abcdef";
	CHECK(ltt::ctf::to_string(ltt::ctf::parse_uuid(text)) == text);
	CHECK_THROWS_AS(ltt::ctf::parse_uuid(""), ltt::BadData);
	CHECK_THROWS_AS(ltt::ctf::parse_uuid(text + "0"), ltt::BadData);
	CHECK_THROWS_AS(ltt::ctf::parse_uuid("g1234567-89ab-cdef-0123-456789abcdef"), ltt::BadData);
	CHECK(ltt::ctf::random_uuid() != ltt::ctf::random_uuid());
}

TEST_CASE("machines that were cloned with the same random numbers make different uuids")
{
	std::set<std::string> all;
	for (uint64_t now = 0; now < 1000; ++now) {
		const std::string uuid = ltt::ctf::to_string(ltt::ctf::uuid_of({}, now));
		CHECK(uuid[14] == '4');
		CHECK(std::string("89ab").find(uuid[19]) != std::string::npos);
		all.insert(uuid);
	}
	CHECK(all.size() == 1000);
	ltt::ctf::Uuid other{};
	other[0] = 1;
	CHECK(ltt::ctf::uuid_of(other, 0) != ltt::ctf::uuid_of({}, 0));
}

TEST_CASE("the metadata says what Trace Compass looks for")
{
	ltt::ctf::Environment e;
	e.hostname = "a \"quoted\\\" host\n";
	std::string m = ltt::ctf::render_metadata({e, {}, ltt::ctf::Domain::user,
		ltt::ctf::EventContext(ltt::reader_contexts).fields(), {}});
	CHECK(m.rfind("/* CTF 1.8 */", 0) == 0);
	CHECK_THAT(m, Contains("domain = \"ust\";"));
	CHECK_THAT(m, Contains("tracer_name = \"lttng-ust\";"));
	CHECK_THAT(m, Contains("tracer_major = 2;"));
	CHECK_THAT(m, Contains("hostname = \"a \\\"quoted\\\\\\\" host?\";"));
	CHECK_THAT(m, Contains("freq = 1000000000;"));
	// The views take them from the context of events, under these names.
	CHECK_THAT(
		m, Contains("i32 _vpid;") && Contains("i32 _vtid;") && Contains("_procname[16];"));
}

TEST_CASE("timeouts have a unit and a limit")
{
	CHECK(ltt::parse_timeout("1us") == 1);
	CHECK(ltt::parse_timeout("100ms") == 100000);
	CHECK(ltt::parse_timeout("60s") == LTT_MAX_TIMEOUT_US);
	CHECK(ltt::parse_timeout("60000000us") == LTT_MAX_TIMEOUT_US);
	for (const char *bad : {"", "1", "s", "0s", "-1s", "1.5s", "1 s", "1m", "1sec", "61s",
		     "60000001us", "99999999s", "18446744073709551617us"}) {
		INFO(bad);
		CHECK_THAT(misuse([&] { ltt::parse_timeout(bad); }), Contains("1us to 60s"));
	}
}

TEST_CASE("modes are read as they are shown")
{
	for (const char *mode : {"discard", "overwrite", "block"})
		CHECK(ltt::format_mode(ltt::parse_mode(mode)) == mode);
	CHECK(ltt::parse_mode("overwrite") == LTT_MODE_OVERWRITE);
	for (const char *bad : {"", "Block", "over", "0"})
		CHECK_THAT(misuse([&] { ltt::parse_mode(bad); }), Contains("discard, overwrite"));
	CHECK(ltt::format_mode(7) == "7"); // of a later kernel
}

TEST_CASE("intervals have a unit, and counts begin at 1")
{
	CHECK(ltt::parse_interval("1s") == 1);
	CHECK(ltt::parse_interval("90m") == 5400);
	CHECK(ltt::parse_interval("2h") == 7200);
	CHECK(ltt::parse_interval("365d") == 31536000);
	CHECK(ltt::parse_interval("31536000s") == 31536000);
	for (const char *bad : {"", "1", "s", "0s", "366d", "1w", "1ms", "-1s", "1.5h", "1s ",
		     "31536001s", "99999999999999999999s"})
		CHECK(misuse([&] { ltt::parse_interval(bad); }) ==
			std::string("time ") + bad +
				" will not do: write 30s, 10m, 1h or 1d, up to 365d");
	CHECK(ltt::parse_count("1", "x") == 1);
	CHECK(ltt::parse_count("999999999", "x") == 999999999);
	for (const char *bad : {"", "0", "-1", "1k", "1000000000", "x"})
		CHECK_THAT(misuse([&] { ltt::parse_count(bad, "--keep"); }),
			Contains(std::string("--keep ") + bad + " will not do"));
}

// SPDX-License-Identifier: MIT
// What ltt-ctl extract makes of memory that outlived a reboot. Images of whole machines are
// tried in qemu-tests/host/crash_test.py.
#include <catch2/catch.hpp>

#include <filesystem>

#include "support/directory.h"
#include "support/region_file.h"
#include "support/tool.h"

using Catch::Matchers::Contains;

namespace
{

CommandResult extract(const Directory &d, const Bytes &bytes)
{
	write_bytes(d / "memory", bytes);
	return ltt_ctl({"extract", d / "memory", "-o", d / "out"});
}

} // namespace

TEST_CASE("memory that outlived a reboot gives the events of its traces")
{
	Directory d;
	RegionFile region;
	region.in_pages = GENERATE(false, true);
	region.gone = GENERATE(false, true);
	for (uint32_t n = 0; n < 300; ++n)
		region.add_event(n);
	const CommandResult r = extract(d, region.bytes());
	INFO(r.err);
	CHECK(r.status == 0);
	CHECK_THAT(r.out, Contains("trace kept: 300 events"));
	const CommandResult shown = babeltrace(d / "out");
	CHECK(shown.err == "");
	CHECK_THAT(shown.out, Contains("guest:TRACE_INFO (6) p:n") && Contains("{ n = 299 }"));
}

TEST_CASE("what is in flight or taken already is not among them")
{
	Directory d;
	RegionFile region;
	for (uint32_t n = 0; n < 5; ++n)
		region.add_event(n);
	region.control.commit -= 12;
	region.taken = 12;
	const CommandResult r = extract(d, region.bytes());
	CHECK(r.status == 0);
	CHECK_THAT(r.out, Contains("trace kept: 3 events"));
}

TEST_CASE("a thread that found no room tells of what it lost")
{
	Directory d;
	RegionFile region;
	region.has_memory = false;
	region.control.lost = 7;
	const CommandResult r = extract(d, region.bytes());
	CHECK(r.err == "");
	CHECK(r.status == 5);
	CHECK_THAT(r.out, Contains("7 lost"));
}

TEST_CASE("memory that was cut off or damaged gives what is readable, and is told")
{
	Directory d;
	RegionFile region;
	for (uint32_t n = 0; n < 5; ++n)
		region.add_event(n);
	const Bytes whole = region.bytes();
	for (size_t pages = 0; pages < whole.size() / 4096; ++pages) {
		INFO(pages << " pages");
		std::filesystem::remove_all(d / "out");
		const CommandResult r = extract(
			d, Bytes(whole.begin(), whole.begin() + static_cast<long>(pages * 4096)));
		CHECK(r.status != 0);
		CHECK(r.err != "");
	}
	for (size_t at = 0; at < whole.size(); at += 4096) {
		INFO("page " << at / 4096);
		Bytes damaged = whole;
		for (size_t i = 0; i < 64; ++i)
			damaged[at + i] ^= 0xff;
		std::filesystem::remove_all(d / "out");
		const CommandResult r = extract(d, damaged);
		CHECK((r.status == 0 || r.err != ""));
		CHECK(r.status < 128);
	}
}

TEST_CASE("an image whose memory ends where addresses do is searched once")
{
	Directory d;
	RegionFile region;
	region.add_event(1);
	const CommandResult r = extract(d, elf_image(region.bytes(), -uint64_t{8192}, 8192 - 8));
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("there are no traces in the dump"));
}

TEST_CASE("memory with traces is found in an image by the kernel's own word for it")
{
	Directory d;
	RegionFile region;
	region.add_event(1);
	const Bytes memory = region.bytes();
	const CommandResult r = extract(d, elf_image(memory, RegionFile::address, memory.size()));
	INFO(r.err);
	CHECK(r.status == 0);
	CHECK_THAT(r.out, Contains("trace kept: 1 events"));
}

TEST_CASE("sizes that no kernel has are damage")
{
	Directory d;
	RegionFile region;
	region.add_event(1);
	region.page.subbuf_size = 1;
	region.page.n_subbufs = 1U << 28;
	const CommandResult r = extract(d, region.bytes());
	CHECK(r.status == 6);
	CHECK_THAT(r.err, Contains("its page is damaged"));
}

TEST_CASE("extract wants a dump or the previous boot, and says what is wrong with either")
{
	Directory d;
	CommandResult r = ltt_ctl({"extract", "-o", d / "out"});
	CHECK(r.status == 2);
	CHECK_THAT(r.err, Contains("--previous-boot"));
	r = ltt_ctl({"extract", "--previous-boot", "dump", "-o", d / "out"});
	CHECK(r.status == 2);
	CHECK_THAT(r.err, Contains("exclude each other"));
	if (!std::filesystem::exists("/dev/ltt")) {
		r = ltt_ctl({"extract", "--previous-boot", "-o", d / "out"});
		CHECK(r.status == 3);
	}
	CHECK(!std::filesystem::exists(d / "out"));
}

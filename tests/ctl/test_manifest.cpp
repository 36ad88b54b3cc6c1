// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "lib/checksum.h"
#include "lib/ctf/manifest.h"
#include "lib/error.h"
#include "support/build.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace
{

ltt::ctf::Manifest sample()
{
	ltt::ctf::Manifest m;
	m.environment.hostname = "host";
	m.environment.trace_name = "name";
	m.environment.epoch_offset = -5;
	m.environment.boot_id[3] = 4;
	m.environment.contexts = ltt::reader_contexts | LTT_CONTEXT_IP;
	m.context = ltt::ctf::EventContext(m.environment.contexts).fields();
	m.uuid[1] = 2;
	Bytes defs = definition(7, "p", "none", {}, UST_LEVEL_ERR);
	append(defs,
		definition(8, "p", "all",
			{{around(UST_TYPE_BASE_16, around(UST_TYPE_NETWORK, UST_TYPE_U32)), "hex"},
				{around(UST_TYPE_BASE_8, UST_TYPE_I16), "oct"},
				{around(UST_TYPE_BASE_2, UST_TYPE_U8), "bin"},
				{enum_of<int16_t>(UST_TYPE_I16, {{-5, -1, "below"}, {0, 9, "no"}}),
					"state"},
				{array_of(3, sequence_of(UST_TYPE_STRING)), "texts"},
				{around(UST_TYPE_OPTIONAL,
					 struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_DOUBLE, "y"}})),
					"maybe"}}));
	m.events = parse(defs).events;
	m.finished = true;
	m.streams = {{0, 1000, 3, 20, 4}, {7, 0, 0, 0, 0}};
	return m;
}

std::string metadata_of(const ltt::ctf::Manifest &m)
{
	return ltt::ctf::render_metadata(m);
}

std::string refusal_of(const std::string &file)
{
	std::string damage;
	try {
		ltt::ctf::parse_manifest(file, damage);
	} catch (const ltt::BadData &e) {
		return e.what();
	}
	return damage;
}

} // namespace

TEST_CASE("a manifest is read as it was written, and gives the same metadata")
{
	const ltt::ctf::Manifest m = sample();
	std::string damage = "none yet";
	const ltt::ctf::Manifest r = ltt::ctf::parse_manifest(ltt::ctf::write_manifest(m), damage);

	CHECK(damage == "");
	CHECK(metadata_of(r) == metadata_of(m));
	CHECK(ltt::ctf::write_manifest(r) == ltt::ctf::write_manifest(m));
	REQUIRE(r.events.size() == 2);
	CHECK(r.events[0].level == UST_LEVEL_ERR);
	CHECK(r.events[1].identity() == m.events[1].identity());
	CHECK(r.environment.contexts == m.environment.contexts);
	CHECK(r.finished);
	REQUIRE(r.streams.size() == 2);
	CHECK(r.streams[1].instance == 7);
	CHECK(r.streams[0].size == 1000);
	CHECK(r.streams[0].sequence == 3);
	CHECK(r.streams[0].events == 20);
	CHECK(r.streams[0].discarded == 4);
}

TEST_CASE("a manifest with a flipped byte, or cut at any length, is told and still gives all")
{
	const std::string whole = ltt::ctf::write_manifest(sample());
	const std::string metadata = metadata_of(sample());

	for (size_t i = 0; i < whole.size(); ++i) {
		std::string file = whole;
		file[i] = static_cast<char>(file[i] ^ 0x10);
		std::string damage;
		const ltt::ctf::Manifest m = ltt::ctf::parse_manifest(file, damage);
		REQUIRE(damage != "");
		REQUIRE(metadata_of(m) == metadata);
	}
	for (size_t size = 0; size < whole.size(); ++size) {
		const std::string says = refusal_of(whole.substr(0, size));
		if (size < whole.size() / 2)
			REQUIRE_THAT(says, Contains("nor is the second one sound"));
		else
			REQUIRE(says == "its second copy is cut off");
	}
	CHECK(refusal_of(whole + "x") == "more follows its second copy");
}

TEST_CASE("a manifest of another version is told from a damaged one")
{
	std::string copy = ltt::ctf::write_manifest(sample());
	copy.resize(copy.size() / 2);
	copy[4] = 3;
	const uint64_t sum = ltt::checksum(copy.data(), copy.size() - sizeof(sum));
	std::memcpy(&copy[copy.size() - sizeof(sum)], &sum, sizeof(sum));
	CHECK_THAT(refusal_of(copy + copy),
		StartsWith("its first copy is of version 3 of the format; this ltt-ctl reads 2"));
}

TEST_CASE("a manifest whose checksum is right may have anything in it, and is refused")
{
	const std::string whole = ltt::ctf::write_manifest(sample());
	size_t refused = 0;
	for (size_t i = 16; i < whole.size() / 2 - sizeof(uint64_t); ++i) {
		std::string copy = whole.substr(0, whole.size() / 2);
		copy[i] = static_cast<char>(copy[i] ^ 0xff);
		const uint64_t sum = ltt::checksum(copy.data(), copy.size() - sizeof(sum));
		std::memcpy(&copy[copy.size() - sizeof(sum)], &sum, sizeof(sum));
		copy.shrink_to_fit();
		refused += refusal_of(copy + copy) != "";
	}
	CHECK(refused > 0); // and nothing crashed
}

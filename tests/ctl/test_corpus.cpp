// SPDX-License-Identifier: MIT
// What the fuzz targets begin with. LTT_CORPUS=DIR writes it to DIR/TARGET (scripts/fuzz-ctl).
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/ctf/manifest.h"
#include "lib/ctf/packet_header.h"
#include "lib/packet.h"
#include "support/build.h"
#include "support/directory.h"
#include "support/refusal.h"
#include "support/sample.h"

namespace
{

void seed(const std::string &target, const std::string &name, const std::string &bytes)
{
	const char *corpus = std::getenv("LTT_CORPUS");
	if (!corpus)
		return;
	const std::string directory = std::string(corpus) + "/" + target;
	std::filesystem::create_directories(directory);
	std::ofstream(directory + "/" + name, std::ios::binary) << bytes;
}

std::string text(const Bytes &bytes)
{
	return {bytes.begin(), bytes.end()};
}

} // namespace

TEST_CASE("what the fuzz targets begin with is sound", "[corpus]")
{
	Bytes defs = definition(1, "p", "all",
		{{around(UST_TYPE_BASE_16, UST_TYPE_U32), "hex"}, {UST_TYPE_STRING, "text"},
			{enum_of<int8_t>(UST_TYPE_I8, {{-1, 0, "low"}, {1, 9, "high"}}), "state"},
			{around(UST_TYPE_OPTIONAL, sequence_of(array_of(2, UST_TYPE_U8))), "maybe"},
			{struct_of({{UST_TYPE_BOOL, "x"}, {UST_TYPE_DOUBLE, "y"}}), "point"}});
	append(defs, context_definition(2, "p", "context", UST_TYPE_U32));
	CHECK(parse(defs).events.size() == 1);
	seed("definitions", "all", text(defs));

	Bytes body = event(2000, 1);
	append(body, event(2001, 2, payload(uint32_t{5})));
	const Bytes whole = packet(packet_header(), body);
	CHECK(ltt::first_packet(whole.data(), whole.size()).body_size == body.size());
	seed("packet", "whole", text(whole));
	seed("packet", "body", "\x01" + text(body));

	const std::string self = content("/proc/self/exe").substr(0, 1 << 16);
	CHECK(self.compare(1, 3, "ELF") == 0);
	seed("elf_section", "self", self);

	Directory d;
	write_sample(d.path());
	const std::string manifest = content(d / "ust/program/.manifest");
	std::string damage;
	CHECK(ltt::ctf::parse_manifest(manifest, damage).events.size() == 2);
	CHECK(damage == "");
	seed("manifest", "both", manifest);
	seed("manifest", "copy", manifest.substr(0, manifest.size() / 2) + "\x01");

	const std::string stream = content(d / "ust/program/stream_0");
	CHECK(stream.size() > sizeof(ltt::ctf::PacketHeader));
	seed("stream", "whole", stream);
	// The image, with 0 bytes cut off, and nothing changed.
	for (char kind = 0; kind < 8; ++kind)
		seed("memory", "kind-" + std::to_string(kind), {kind, 0});

	seed("stream", "events", "\x01" + stream.substr(sizeof(ltt::ctf::PacketHeader), 60));
}

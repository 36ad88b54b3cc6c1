// SPDX-License-Identifier: MIT
// Packets on disk, byte for byte.
#include <catch2/catch.hpp>

#include "lib/ctf/encode.h"
#include "lib/error.h"
#include "support/build.h"

using Catch::Matchers::Contains;

namespace
{

constexpr size_t packet_header_size = 120;

// id 1 is number 0 on disk: a sequence of bytes.
ltt::EventTable table_of_bytes()
{
	const Bytes d = definition(1, "p", "bytes", {{sequence_of(UST_TYPE_U8), "b"}});
	ltt::EventTable table;
	table.add(ltt::parse_definitions(d.data(), d.size()));
	return table;
}

Bytes some_bytes(size_t size)
{
	Bytes out = payload(static_cast<uint32_t>(size));
	for (size_t n = 0; n < size; ++n)
		out.push_back(static_cast<uint8_t>(n * 7 + size));
	return out;
}

ltt::ctf::Events put_events(ltt::ctf::PacketWriter &writer, const Bytes &body)
{
	static const ltt::EventTable table = table_of_bytes();
	Bytes bytes = packet(packet_header(), body);
	bytes.shrink_to_fit(); // a sanitizer sees a read beyond it
	return writer.put_events(
		ltt::first_packet(bytes.data(), bytes.size()), table, 0, 0, ltt::Clock(), nullptr);
}

Bytes content(const ltt::ctf::PacketWriter &writer)
{
	return {writer.data(), writer.data() + writer.size()};
}

// The compact header of an event with number 0.
Bytes on_disk(uint32_t time, const Bytes &payload)
{
	Bytes out;
	put(out, time << 5);
	append(out, payload);
	return out;
}

} // namespace

TEST_CASE("payloads of every size come out as they went in")
{
	Bytes body, expected;
	uint32_t time = 1000;
	// Also as the last one, behind which nothing can be read.
	for (size_t size = 0; size < 200; ++size) {
		++time;
		append(body, event(time, 1, some_bytes(size)));
		append(expected, on_disk(time, some_bytes(size)));
		ltt::ctf::PacketWriter writer;
		const ltt::ctf::Events events = put_events(writer, body);
		REQUIRE(events.count == size + 1);
		REQUIRE(events.first == 1001);
		REQUIRE(events.last == time);
		REQUIRE(events.last_ticks == time);
		REQUIRE(content(writer) == expected);
	}
}

TEST_CASE("a packet may be far larger than one before")
{
	ltt::ctf::PacketWriter writer;
	for (const size_t size : {size_t{10}, size_t{100000}, size_t{1000000}, size_t{10}}) {
		const Bytes large = some_bytes(size);
		Bytes body = event(2000, 1, some_bytes(1)), expected = on_disk(2000, some_bytes(1));
		append(body, event(2001, 1, large));
		append(expected, on_disk(2001, large));
		writer.clear();
		put_events(writer, body);
		CHECK(content(writer) == expected);
	}
}

TEST_CASE("of a packet that fails a check nothing is left behind")
{
	Bytes good = event(2000, 1, some_bytes(5)), bad = good;
	append(bad, event(1999, 1, some_bytes(5)));
	ltt::ctf::PacketWriter writer;
	CHECK_THROWS_AS(put_events(writer, bad), ltt::BadData);
	CHECK(writer.size() == 0);
	put_events(writer, good);
	CHECK(content(writer) == on_disk(2000, some_bytes(5)));
}

TEST_CASE("headers go in front, each with the events since the last one")
{
	ltt::ctf::PacketWriter writer;
	put_events(writer, event(2000, 1, some_bytes(5)));
	const Bytes events = content(writer);
	auto sizes = [&](size_t at) {
		uint64_t content_size, packet_size;
		std::memcpy(&content_size, writer.data() + at + 48, sizeof(content_size));
		std::memcpy(&packet_size, writer.data() + at + 56, sizeof(packet_size));
		CHECK(content_size == packet_size);
		return content_size / 8;
	};
	writer.put_header({});
	CHECK(writer.size() == packet_header_size + events.size());
	CHECK(sizes(0) == writer.size());
	writer.put_header({});
	CHECK(writer.size() == 2 * packet_header_size + events.size());
	CHECK(sizes(0) == packet_header_size);
	CHECK(sizes(packet_header_size) == packet_header_size + events.size());
	Bytes end = content(writer);
	end.erase(end.begin(), end.begin() + 2 * packet_header_size);
	CHECK(end == events);
}

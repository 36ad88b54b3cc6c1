// SPDX-License-Identifier: MIT
// Packets on disk, byte for byte.
#include <catch2/catch.hpp>

#include "lib/checksum.h"
#include "lib/ctf/encode.h"
#include "lib/ctf/packet_header.h"
#include "lib/error.h"
#include "support/build.h"

using Catch::Matchers::Contains;

namespace
{

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

TEST_CASE("header and trailer go around the events, and empty packets in front")
{
	using ltt::ctf::PacketHeader;
	using ltt::ctf::PacketTrailer;
	constexpr size_t around = sizeof(PacketHeader) + sizeof(PacketTrailer);
	// A payload that ends where the writer's memory does, too.
	for (const size_t size : {5, 130000, 131000}) {
		ltt::ctf::PacketWriter writer;
		ltt::ctf::PacketInfo info;
		put_events(writer, event(2000, 1, some_bytes(size)));
		const Bytes events = content(writer);

		// The packet at @at, whole, has these events in it and so many up to its end.
		auto is_packet = [&](size_t at, const Bytes &expected, uint64_t count) {
			PacketHeader header;
			PacketTrailer trailer;
			const Bytes all = content(writer);
			REQUIRE(all.size() - at >= around + expected.size());
			std::memcpy(&header, all.data() + at, sizeof(header));
			CHECK(header.content_size == 8 * (sizeof(header) + expected.size()));
			CHECK(header.packet_size == 8 * (around + expected.size()));
			const auto begin = all.begin() + static_cast<ptrdiff_t>(at);
			const auto first = begin + sizeof(header);
			const auto end = first + static_cast<ptrdiff_t>(expected.size());
			CHECK(Bytes(first, end) == expected);
			std::memcpy(&trailer, &*end, sizeof(trailer));
			CHECK(trailer.events == count);
			CHECK(trailer.checksum ==
				ltt::checksum(all.data() + at,
					sizeof(header) + expected.size() + sizeof(uint64_t)));
		};
		info.events = 7;
		writer.put_header(info);
		CHECK(writer.size() == around + events.size());
		is_packet(0, events, 7);
		info.events = 6;
		writer.put_header(info);
		CHECK(writer.size() == 2 * around + events.size());
		is_packet(0, {}, 6);
		is_packet(around, events, 7);
	}
}

TEST_CASE("two empty packets have room")
{
	ltt::ctf::PacketWriter writer;
	writer.put_header({});
	const Bytes one = content(writer);
	writer.put_header({});
	Bytes two = one;
	append(two, one);
	CHECK(content(writer) == two);
}

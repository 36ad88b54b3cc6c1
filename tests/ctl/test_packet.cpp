// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "lib/clock.h"
#include "lib/error.h"
#include "lib/packet.h"
#include "support/build.h"

using Catch::Matchers::Contains;

namespace
{

ltt::EventTable table_of(const Bytes &definitions)
{
	ltt::EventTable table;
	table.add(ltt::parse_definitions(definitions.data(), definitions.size()));
	return table;
}

// id 1: no field, 2: u32, 3: string and u16
ltt::EventTable some_table()
{
	Bytes d = definition(1, "p", "none", {});
	append(d, definition(2, "p", "number", {{UST_TYPE_U32, "n"}}));
	append(d, definition(3, "p", "text", {{UST_TYPE_STRING, "s"}, {UST_TYPE_U16, "n"}}));
	return table_of(d);
}

struct Checked {
	std::string why = "fine";
	std::vector<uint64_t> ticks;
};

Checked check(const ltt_packet &header, const Bytes &body,
	const ltt::EventTable &table = some_table(), uint64_t not_before = 0, uint32_t contexts = 0)
{
	Bytes bytes = packet(header, body);
	bytes.shrink_to_fit();
	Checked result;
	try {
		ltt::check_packet(ltt::first_packet(bytes.data(), bytes.size()), table, contexts,
			not_before,
			[&](const ltt::EventRef &e) { result.ticks.push_back(e.ticks); });
	} catch (const ltt::BadData &e) {
		result.why = e.what();
	}
	return result;
}

Bytes text_event(uint64_t time, const std::string &s)
{
	Bytes p;
	put_string(p, s);
	put(p, uint16_t{5});
	return event(time, 3, p);
}

Bytes events(std::initializer_list<Bytes> all)
{
	Bytes out;
	for (const Bytes &e : all)
		append(out, e);
	return out;
}

} // namespace

TEST_CASE("a right packet passes, each event found")
{
	Bytes body = events({event(1000, 1), event(1001, 2, payload(uint32_t{7})),
		text_event(1001, ""), text_event(1002, "hello"), event(1000000, 1)});
	Checked c = check(packet_header(), body);
	CHECK(c.why == "fine");
	CHECK(c.ticks == std::vector<uint64_t>{1000, 1001, 1001, 1002, 1000000});
	CHECK(check(packet_header(), {}).why == "fine");
}

TEST_CASE("an id that is not defined is found")
{
	CHECK_THAT(check(packet_header(), event(1000, 4)).why, Contains("id 4 is not defined"));
	CHECK_THAT(check(packet_header(), event(1000, 65535)).why, Contains("id 65535"));
	CHECK_THAT(check(packet_header(), event(1000, 1), ltt::EventTable()).why, Contains("id 1"));
}

TEST_CASE("padding is passed over, to its end or that of the packet")
{
	// The time of a record with id 0 is its size.
	auto padded = [](uint64_t size) {
		Bytes junk(16, 0xff);
		return check(packet_header(),
			events({event(1000, 1), event(size, 0), junk, event(1001, 1)}));
	};
	CHECK(padded(24).why == "fine");
	CHECK(padded(24).ticks == std::vector<uint64_t>{1000, 1001});
	CHECK(padded(32).ticks == std::vector<uint64_t>{1000});
	CHECK(padded(1000).why == "fine");
	CHECK(padded(1000).ticks == std::vector<uint64_t>{1000});
	CHECK_THAT(padded(7).why, Contains("padding of 7 bytes"));
	CHECK_THAT(padded(0).why, Contains("padding of 0 bytes"));
}

TEST_CASE("an id with two definitions is not believed, the same twice is")
{
	Bytes d = definition(1, "p", "a", {});
	append(d, definition(1, "p", "a", {}));
	append(d, definition(2, "p", "b", {}));
	append(d, definition(2, "p", "b", {{UST_TYPE_U8, "f"}}));
	ltt::EventTable table = table_of(d);
	CHECK(check(packet_header(), event(1000, 1), table).why == "fine");
	CHECK_THAT(check(packet_header(), event(1000, 2), table).why, Contains("two definitions"));
}

TEST_CASE("an event without a number is left out, the others stay")
{
	Bytes d = definition(0, "p", "too-many", {});
	append(d, definition(1, "p", "a", {}));
	CHECK(check(packet_header(), event(1000, 1), table_of(d)).why == "fine");
	CHECK(check(packet_header(), event(1000, 0), table_of(d)).ticks.empty()); // padding
}

TEST_CASE("an event cut off at any byte is found")
{
	Bytes body = events({event(1000, 2, payload(uint32_t{7})), text_event(1001, "hello")});
	for (size_t n = 1; n < body.size(); ++n) {
		if (n == 12)
			continue; // between the two
		INFO("cut to " << n << " bytes");
		Bytes cut(body.begin(), body.begin() + static_cast<long>(n));
		CHECK_THAT(check(packet_header(), cut).why,
			Contains("cut off in its header") || Contains("does not end"));
	}
}

TEST_CASE("time that goes back or leaves the packet is found")
{
	CHECK_THAT(check(packet_header(), events({event(2000, 1), event(1999, 1)})).why,
		Contains("byte 8"));
	CHECK(check(packet_header(), event(999, 1)).why != "fine");
	CHECK(check(packet_header(), event(1000001, 1)).why != "fine");
	CHECK(check(packet_header(), event(1000, 1), some_table(), 1000).why == "fine");
	CHECK(check(packet_header(), event(1000, 1), some_table(), 1001).why != "fine");

	ltt_packet h = packet_header();
	h.end = h.begin - 1;
	CHECK_THAT(check(h, {}).why, Contains("ends before it begins"));
}

TEST_CASE("48-bit timestamps are extended across the wrap")
{
	constexpr uint64_t turn = uint64_t{1} << 48;

	CHECK(ltt::extend_timestamp(5, 5) == 5);
	CHECK(ltt::extend_timestamp(5, 6) == 6);
	CHECK(ltt::extend_timestamp(5, 4) == turn + 4);
	CHECK(ltt::extend_timestamp(turn - 1, turn - 1) == turn - 1);
	CHECK(ltt::extend_timestamp(turn - 1, 0) == turn);
	CHECK(ltt::extend_timestamp(7 * turn + 9, 9) == 7 * turn + 9);
	CHECK(ltt::extend_timestamp(7 * turn + 9, 8) == 8 * turn + 8);

	ltt_packet h = packet_header();
	h.begin = 3 * turn - 2;
	h.end = 3 * turn + 2;
	auto at = [](uint64_t time) { return event(time & (turn - 1), 1); };
	Checked c = check(
		h, events({at(3 * turn - 2), at(3 * turn - 1), at(3 * turn), at(3 * turn + 2)}));
	CHECK(c.why == "fine");
	CHECK(c.ticks == std::vector<uint64_t>{3 * turn - 2, 3 * turn - 1, 3 * turn, 3 * turn + 2});
	CHECK(check(h, events({at(3 * turn), at(3 * turn - 1)})).why != "fine");
	CHECK(check(h, at(3 * turn - 3)).why != "fine");
	CHECK(check(h, at(3 * turn + 3)).why != "fine");
}

TEST_CASE("headers that lie are found")
{
	Bytes good = packet(packet_header(), event(1000, 1));
	auto refusal = [](Bytes bytes) -> std::string {
		bytes.shrink_to_fit();
		try {
			ltt::first_packet(bytes.data(), bytes.size());
		} catch (const ltt::BadData &e) {
			return e.what();
		}
		return "fine";
	};
	auto with = [&](auto change) {
		Bytes bytes = good;
		ltt_packet h;
		std::memcpy(&h, bytes.data(), sizeof(h));
		change(h);
		std::memcpy(bytes.data(), &h, sizeof(h));
		return refusal(bytes);
	};
	CHECK(refusal(good) == "fine");
	CHECK_THAT(with([](ltt_packet &h) { h.magic ^= 1; }), Contains("magic"));
	CHECK_THAT(with([](ltt_packet &h) { h.size = 9; }), Contains("cut off"));
	CHECK_THAT(with([](ltt_packet &h) { h.size = UINT32_MAX; }), Contains("cut off"));
	CHECK_THAT(with([](ltt_packet &h) { h.header_size -= 1; }), Contains("header"));
	CHECK_THAT(with([](ltt_packet &h) { h.header_size = UINT32_MAX; }), Contains("header"));
	for (size_t n = 0; n < sizeof(ltt_packet); ++n)
		CHECK(refusal(Bytes(good.begin(), good.begin() + static_cast<long>(n))) != "fine");
}

TEST_CASE("a longer header of a later kernel is skipped")
{
	ltt_packet h = packet_header();
	h.header_size = sizeof(h) + 16;
	h.size = 8;
	Bytes bytes;
	put(bytes, h);
	bytes.resize(bytes.size() + 16);
	append(bytes, event(1000, 1));
	ltt::Packet p = ltt::first_packet(bytes.data(), bytes.size());
	CHECK(p.body == bytes.data() + sizeof(h) + 16);
	CHECK(p.body_size == 8);
	CHECK(p.raw_size == bytes.size());
}

TEST_CASE("ticks become nanoseconds without a kink and without overflow")
{
	ltt_trace_info info{};
	info.clock = LTT_CLOCK_TSC;
	info.clock_freq = 3000000000;
	info.clock_now = 9000000000000;
	info.monotonic_ns = 1000000000000;
	info.realtime_ns = 1700000000000000000;
	ltt::Clock clock(info);

	CHECK(clock.to_ns(info.clock_now) == info.monotonic_ns);
	CHECK(clock.to_ns(info.clock_now + 3) == info.monotonic_ns + 1);
	CHECK(clock.to_ns(info.clock_now + 2) == info.monotonic_ns);
	CHECK(clock.to_ns(info.clock_now - 1) == info.monotonic_ns - 1);
	CHECK(clock.to_ns(info.clock_now - 3) == info.monotonic_ns - 1);
	CHECK(clock.epoch_offset() == 1700000000000000000 - 1000000000000);
	// Before the zero of CLOCK_MONOTONIC there is nothing.
	CHECK(clock.to_ns(0) == 0);
	uint64_t last = 0;
	for (uint64_t t = info.clock_now - 50; t < info.clock_now + 50; ++t) {
		CHECK(clock.to_ns(t) >= last);
		last = clock.to_ns(t);
	}
	CHECK(clock.to_ns(UINT64_MAX) > clock.to_ns(UINT64_MAX - 3000000000));

	info.clock = LTT_CLOCK_MONOTONIC;
	info.clock_freq = 1000000000;
	info.clock_now = info.monotonic_ns;
	CHECK(ltt::Clock(info).to_ns(12345) == 12345);
}

TEST_CASE("nanoseconds are right to one in years of odd frequencies, and never go back")
{
	for (uint64_t freq : {uint64_t{1000000}, uint64_t{999999999}, uint64_t{2596083000},
		     uint64_t{5000000001}}) {
		ltt_trace_info info{};
		info.clock = LTT_CLOCK_TSC;
		info.clock_freq = freq;
		info.clock_now = freq * 86400 * 1000; // up for a thousand days
		info.monotonic_ns = uint64_t{86400} * 1000 * 1000000000;
		ltt::Clock clock(info);
		uint64_t last = 0;
		for (uint64_t second = 0; second < uint64_t{86400} * 2000;
			second += 86400 * 7 + 1) {
			for (uint64_t tick : {uint64_t{0}, uint64_t{1}, freq - 1}) {
				uint64_t ns = clock.to_ns(second * freq + tick);
				uint64_t exact =
					second * 1000000000 +
					static_cast<uint64_t>(static_cast<long double>(tick) *
							      1000000000 /
							      static_cast<long double>(freq));
				INFO(freq << " Hz, second " << second << ", tick " << tick);
				CHECK(ns + 1 >= exact);
				CHECK(ns <= exact + 1);
				CHECK(ns >= last);
				last = ns;
			}
		}
	}
}

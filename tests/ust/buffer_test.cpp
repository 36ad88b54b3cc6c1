// SPDX-License-Identifier: MIT
//
// Where events lie in sub-buffers, and what is counted when there is no room.
#include "decode.h"
#include "test_events.h"

#include <catch2/catch.hpp>

namespace
{

constexpr std::uint32_t SUBBUF = 4096;
constexpr std::uint32_t COUNT = 4;

void fill(std::size_t events)
{
	for (std::size_t i = 0; i < events; ++i)
		UST(test, number, i);
}

// A text whose event takes n bytes: header, bytes, NUL.
std::string text_of(std::size_t n)
{
	return std::string(n - 8 - 1, 'x');
}

std::size_t events_in(unsigned trace)
{
	std::size_t sum = 0;
	for (const fake::packet &packet : fake::read(trace))
		sum += decode(packet).size();
	return sum;
}

} // namespace

TEST_CASE("events fill a sub-buffer to its last byte without a system call")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, COUNT});
	fill(SUBBUF / NUMBER_SIZE);
	const ltt_control *control = fake::control(trace);
	REQUIRE(control);
	CHECK(control->reserve == SUBBUF);
	CHECK(control->commit == SUBBUF);
	CHECK(control->events == SUBBUF / NUMBER_SIZE);
	CHECK(fake::count().change == 0);

	fill(1);
	CHECK(fake::count().change == 1);
	CHECK(control->commit == SUBBUF + NUMBER_SIZE);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 2);
	CHECK(packets[0].bytes.size() == SUBBUF);
	CHECK(packets[1].bytes.size() == NUMBER_SIZE);
}

TEST_CASE("an event that just fits, is one byte less, or one byte more")
{
	const std::size_t first = 1000;
	for (const int difference : {-1, 0, 1}) {
		fake::reset();
		const unsigned trace = fake::create({~0u, SUBBUF, COUNT});
		const std::size_t second =
			static_cast<std::size_t>(static_cast<int>(SUBBUF - first) + difference);
		UST(test, text, text_of(first));
		UST(test, text, text_of(second));
		INFO("difference " << difference);
		CHECK(fake::count().change == (difference > 0 ? 1 : 0));
		const auto packets = fake::read(trace);
		REQUIRE(packets.size() == (difference > 0 ? 2 : 1));
		CHECK(packets[0].bytes.size() == (difference > 0 ? first : first + second));
		CHECK(fake::control(trace)->events == 2);
		CHECK(fake::control(trace)->lost == 0);
	}
}

TEST_CASE("an event of a whole sub-buffer fits; one byte more is too big")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, COUNT});
	UST(test, text, text_of(SUBBUF));
	UST(test, text, text_of(SUBBUF + 1));
	UST(test, text, text_of(1 << 20));
	const ltt_control *control = fake::control(trace);
	CHECK(control->events == 1);
	CHECK(control->too_big == 2);
	CHECK(control->lost == 0);
	CHECK(control->writer == 0);
	CHECK(fake::count().change == 0);
	// The buffer still works, and its next event is in the next sub-buffer.
	UST(test, text, text_of(SUBBUF));
	CHECK(control->events == 2);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 2);
	CHECK(packets[1].bytes.size() == SUBBUF);
}

TEST_CASE("sizes around 256 and 4096 bytes come back")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, 1 << 16, COUNT});
	for (const std::size_t n : {9u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 1u << 16}) {
		UST(test, text, text_of(n));
		const auto packets = fake::read(trace);
		REQUIRE(packets.size() == 1);
		CHECK(packets[0].bytes.size() == n);
		CHECK(decode(packets[0]).at(0).text.size() ==
			n - 9 + sizeof "test:text value=\"\"" - 1);
	}
}

TEST_CASE("what does not fit into a full buffer is counted exactly")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, COUNT});
	const std::size_t room = COUNT * SUBBUF / NUMBER_SIZE;
	fill(room + 1000);
	const ltt_control *control = fake::control(trace);
	CHECK(control->events == room);
	CHECK(control->lost == 1000);
	CHECK(control->too_big == 0);
	// Full costs one system call, not one for each event.
	CHECK(fake::count().change == COUNT);

	CHECK(events_in(trace) == room);
	fill(10);
	CHECK(control->lost == 1000);
	CHECK(control->events == room + 10);
	CHECK(events_in(trace) == 10);
}

TEST_CASE("the ring goes around many times and nothing is lost while it is read")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, 2});
	std::size_t read = 0;
	for (int round = 0; round < 100; ++round) {
		fill(SUBBUF / NUMBER_SIZE / 2 + 3);
		read += events_in(trace);
	}
	CHECK(read == 100 * (SUBBUF / NUMBER_SIZE / 2 + 3));
	CHECK(fake::control(trace)->lost == 0);
	CHECK(fake::control(trace)->commit > 10 * 2 * SUBBUF);
}

TEST_CASE("a flight recorder loses no new event, and keeps the newest sub-buffers")
{
	fake::reset();
	constexpr std::size_t each = SUBBUF / NUMBER_SIZE, written = 10 * each;
	const unsigned trace =
		fake::create({~0u, SUBBUF, COUNT, true, LTT_CLOCK_TSC, LTT_MODE_OVERWRITE});
	fill(written);
	CHECK(fake::control(trace)->events == written);
	CHECK(fake::control(trace)->lost == 0);
	const auto texts = read_texts(trace);
	REQUIRE(texts.size() == COUNT * each);
	CHECK(texts.front() == "test:number value=" + std::to_string(written - COUNT * each));
	CHECK(texts.back() == "test:number value=" + std::to_string(written - 1));
}

TEST_CASE("emitted is recorded plus lost plus too big")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, 2});
	std::uint64_t recorded = 0;
	unsigned random = 1;
	constexpr unsigned EMITTED = 20000;
	for (unsigned i = 0; i < EMITTED; ++i) {
		random = random * 1103515245 + 12345;
		UST(test, text, text_of(9 + (random >> 16) % 4200));
		if (random % 13 == 0)
			recorded += events_in(trace);
	}
	recorded += events_in(trace);
	const ltt_control *control = fake::control(trace);
	CHECK(control->events == recorded);
	CHECK(control->lost > 0);
	CHECK(control->too_big > 0);
	CHECK(recorded + control->lost + control->too_big == EMITTED);
}

TEST_CASE("a switch that fails loses the event and nothing else")
{
	fake::reset();
	const unsigned trace = fake::create({~0u, SUBBUF, COUNT});
	fill(SUBBUF / NUMBER_SIZE);
	fake::fail(LTT_NR_switch, ENOENT);
	fill(3);
	fake::fail(0, 0);
	fill(2);
	CHECK(fake::control(trace)->lost == 3);
	CHECK(events_in(trace) == SUBBUF / NUMBER_SIZE + 2);
}

TEST_CASE("both clocks give times that do not go back")
{
	for (const std::uint32_t clock : {LTT_CLOCK_TSC, LTT_CLOCK_MONOTONIC}) {
		fake::reset();
		const unsigned trace = fake::create({~0u, SUBBUF, COUNT, true, clock});
		fill(100);
		const auto packets = fake::read(trace);
		REQUIRE(packets.size() == 1);
		const auto events = decode(packets[0]);
		REQUIRE(events.size() == 100);
		const std::uint64_t mask = (std::uint64_t{1} << 48) - 1;
		CHECK(events.front().time >= (packets[0].begin & mask));
		CHECK(events.back().time <= (packets[0].end & mask));
		CHECK(events.back().time > events.front().time);
	}
}

TEST_CASE("the time is cut to 48 bits and shares its word with the id")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, nothing);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	REQUIRE(packets[0].bytes.size() == NOTHING_SIZE);
	std::uint64_t header;
	std::memcpy(&header, packets[0].bytes.data(), sizeof header);
	CHECK((header & 0xffff) == ust_provider_test::event_nothing::definition()->id);
}

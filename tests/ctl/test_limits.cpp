// SPDX-License-Identifier: MIT
// Great numbers: of types, of events, of packets and of bytes.
#include <catch2/catch.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>

#include <malloc.h>

#include "lib/error.h"
#include "lib/processes.h"
#include "support/build.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

constexpr uint64_t beyond_32_bits = uint64_t{1} << 32;

template <class T>
T at(const std::string &bytes, size_t offset)
{
	T value{};
	REQUIRE(offset + sizeof(value) <= bytes.size());
	std::memcpy(&value, bytes.data() + offset, sizeof(value));
	return value;
}

// Of the packet at the front of a stream file.
uint64_t packet_size(const std::string &stream)
{
	return at<uint64_t>(stream, 56) / 8;
}
uint64_t sequence(const std::string &stream)
{
	return at<uint64_t>(stream, 64);
}
uint64_t discarded(const std::string &stream)
{
	return at<uint64_t>(stream, 72);
}

} // namespace

TEST_CASE("65535 types of events of one program are told apart, and one more is left out")
{
	// Ids have 16 bits, and 0 means padding. A registration has a MiB at most.
	constexpr unsigned types = 65535, registrations = 8;
	constexpr uint64_t process = 1;
	Directory d;
	TestSession s(d.path());
	unsigned id = 1;
	for (unsigned n = 1; n <= registrations; ++n) {
		Bytes defs;
		for (; id <= types * n / registrations; ++id)
			append(defs, definition(static_cast<uint16_t>(id), "p",
					     "e" + std::to_string(id), {{UST_TYPE_U16, "n"}}));
		if (n == registrations)
			append(defs, definition(0, "p", "one-more", {}));
		REQUIRE(defs.size() <= LTT_MAX_DEFINITIONS);
		s.take(definitions_packet(process, defs));
	}
	Bytes body;
	for (id = 1; id <= types; ++id)
		append(body, event(1000 + id, static_cast<uint16_t>(id),
				     payload(static_cast<uint16_t>(id))));
	s.take(packet(packet_header(), body));
	CHECK(s.reports.empty());
	CHECK(s.totals().events == types);
	CHECK_THAT(content(d / "ust/program/metadata"), !Contains("one-more"));

	const CommandResult reader = babeltrace(d.path());
	REQUIRE(reader.status == 0);
	REQUIRE(reader.err == "");
	std::istringstream lines(reader.out);
	std::string line;
	for (id = 1; std::getline(lines, line); ++id) {
		const std::string n = std::to_string(id);
		if (line.find(" p:e" + n + ": ") == std::string::npos ||
			line.find("{ n = " + n + " }") == std::string::npos)
			FAIL_CHECK("event " << n << " is " << line);
	}
	CHECK(id == types + 1);
}

TEST_CASE("more than 2^32 events and packets are counted")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	ltt_packet h = packet_header();
	h.end = uint64_t{1} << 40; // no count is larger: an event takes a tick at least
	h.events = 1;
	s.take(packet(h, event(2000, 1)));
	h.sequence = beyond_32_bits + 5;
	h.events = 3 * beyond_32_bits;
	h.lost = beyond_32_bits + 1;
	s.take(packet(h, event(3000, 1)));
	CHECK(s.reports.empty());
	CHECK(s.totals().lost == beyond_32_bits + 1);

	const std::string stream = content(d / "ust/program/stream_0");
	const std::string second = stream.substr(packet_size(stream));
	CHECK(sequence(second) == beyond_32_bits + 5);
	CHECK(discarded(second) == beyond_32_bits + 1);
	const CommandResult reader = babeltrace(d.path());
	CHECK(reader.status == 0);
	CHECK_THAT(reader.err, Contains("discarded 4294967297 events") &&
				       Contains("discarded 4294967300 packets"));

	// All but two of three times 2^32 events never came here.
	h.sequence += 1;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, {}));
	CHECK(s.totals().lost == beyond_32_bits + 1 + 3 * beyond_32_bits - 2);
}

TEST_CASE("a stream file of 20 GB grows on")
{
	constexpr uint64_t size = 20000000000;
	Directory d;
	ltt::ctf::Environment environment;
	ltt::ctf::Trace trace(d / "trace", environment, ltt::ctf::Uuid{});
	ltt::ctf::StreamFile &file = *trace.acquire(0);
	ltt_packet h = packet_header();
	file.size = file.written = size;
	// With a hole for what was written so far.
	std::filesystem::create_directories(d / "trace");
	std::ofstream(file.path, std::ios::binary).close();
	std::filesystem::resize_file(file.path, size);
	ltt::ctf::PacketWriter writer;
	const ltt::ctf::Events none;

	const ltt::ctf::Place place = trace.place(file, ltt::Clock(), {none, h, 1, 0});
	REQUIRE(place.has_turn());
	place.put_headers(writer);
	place.write(writer);
	const size_t written = writer.size();
	CHECK(place.size == written);
	CHECK(file.size == size + written);
	REQUIRE(std::filesystem::file_size(file.path) == size + written);
	std::ifstream in(file.path, std::ios::binary);
	in.seekg(static_cast<std::streamoff>(size));
	const std::string packet{std::istreambuf_iterator<char>(in), {}};
	REQUIRE(packet.size() == written);
	CHECK(at<uint32_t>(packet, 0) == ltt::ctf::packet_magic);
	CHECK(packet_size(packet) == written);
}

TEST_CASE("a session keeps a few bytes of each process that has ended, however many there were")
{
	Directory d;
	TestSession s(d.path());
	uint64_t process = 1;
	const auto processes = [&](unsigned n, uint64_t step) {
		const size_t before = mallinfo2().uordblks;
		for (unsigned i = 0; i < n; ++i, process += step) {
			ltt_packet h = packet_header();
			h.process = h.stream = process;
			h.begin = 1000 + process;
			h.end = uint64_t{1} << 40;
			h.flags = LTT_PACKET_LAST;
			s.take(definitions_packet(process, definition(1, "p", "e", {})));
			s.take(packet(h, event(1001 + process, 1)), UINT64_MAX);
		}
		return static_cast<double>(mallinfo2().uordblks - before) / n;
	};
	processes(10000, 1); // and what the session needs anyway
	const double dense = processes(100000, 1), sparse = processes(10000, 100);
	std::cout << "bytes of each process: " << dense << ", of each hundredth: " << sparse
		  << "\n";
	CHECK(s.totals().processes == 120000);
	CHECK(files_in(d.path()).size() == 2); // metadata and one stream
	CHECK(dense < 9);
	CHECK(sparse < 130);
}

TEST_CASE("processes keep their program and whether they were counted, in any order of numbers")
{
	ltt::Processes p;
	std::map<uint64_t, uint32_t> set;
	const std::vector<uint64_t> numbers{0, 1, 15, 16, 17, 1000, UINT64_MAX, UINT64_MAX - 16};
	uint32_t program = 1;
	for (uint64_t number : numbers) {
		CHECK(p.program(number) == 0);
		p.set_program(number, ++program);
		set[number] = program;
	}
	CHECK(p.count(16));
	CHECK(p.count(4711)); // has no program
	p.set_program(16, set[16] = (1U << 31) - 1);
	std::map<uint64_t, uint32_t> found;
	p.for_each([&](uint64_t number, uint32_t its) { found[number] = its; });
	CHECK(found == set);
	CHECK_FALSE(p.count(16));
	CHECK_FALSE(p.count(4711));
	p.forget_programs();
	CHECK(p.program(16) == 0);
	CHECK_FALSE(p.count(16));
	CHECK(p.count(17));
}

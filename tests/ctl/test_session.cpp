// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "support/build.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/kernel_events.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

const Bytes one_event = definition(1, "p", "e", {});

// Packets of thread @number, each with one event at the given time.
ltt_packet thread(uint64_t number, uint64_t begin, uint64_t end)
{
	ltt_packet h = packet_header();
	h.stream = number;
	h.tid = h.vtid = static_cast<uint32_t>(number);
	h.begin = begin;
	h.end = end;
	return h;
}

// The lines that babeltrace2 prints, after a check that it has nothing to complain of.
size_t lines_read(const std::string &directory)
{
	CommandResult r = babeltrace(directory);
	CHECK(r.status == 0);
	CHECK(r.err == "");
	return static_cast<size_t>(std::count(r.out.begin(), r.out.end(), '\n'));
}

std::vector<std::string> with_bad(const std::string &directory)
{
	return files_in(directory + "/bad");
}

} // namespace

TEST_CASE("a thread goes on with the file of one that ended before it")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	for (uint64_t n = 1; n <= 100; ++n) {
		ltt_packet h = thread(n, n * 1000, n * 1000 + 500);
		h.flags = LTT_PACKET_LAST;
		h.events = 1;
		s.take(packet(h, event(n * 1000 + 100, 1)));
	}
	CHECK(files_in(d / "ust/program") == std::vector<std::string>{"metadata", "stream_0"});
	CHECK(lines_read(d.path()) == 100);
	CHECK(s.totals().threads == 100);
	CHECK(s.totals().lost == 0);
}

TEST_CASE("a backlog of threads that are gone does not take a file for each")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	auto all = [&](uint64_t sequence, uint32_t flags, uint64_t read_at) {
		for (uint64_t n = 1; n <= 100; ++n) {
			ltt_packet h = thread(n, n * 1000, n * 1000 + 900);
			h.sequence = sequence;
			h.events = 3;
			h.flags = flags;
			Bytes e = sequence < 2 ? event(n * 1000 + 100 + sequence, 1) : Bytes();
			s.take(packet(h, e), read_at);
		}
	};
	// First a packet of each, then another of each, then their ends, one event missing.
	all(0, 0, 1000000);
	all(1, 0, 1000000);
	all(2, LTT_PACKET_LAST, 1000000);
	CHECK(s.totals().events == 200);
	CHECK(s.totals().lost == 100);
	CHECK(s.totals().threads == 100);
	CHECK(s.totals().bad_packets == 0);
	CHECK(files_in(d / "ust/program").size() <= 1 + 3);
	CommandResult r = babeltrace(d.path());
	CHECK(r.status == 0);
	CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 200);
}

TEST_CASE("a thread that may be alive keeps its file")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	s.take(packet(thread(1, 1000, 9000), event(2000, 1)), 9000);
	s.take(packet(thread(2, 3000, 9000), event(4000, 1)), 9000);
	CHECK(files_in(d / "ust/program").size() == 1 + 2);
}

TEST_CASE("a packet is never put behind a later one")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(8000, 1)));
	// Read later, written earlier: not into stream_0.
	h = thread(2, 1000, 9000);
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(7000, 1)));
	// Fits behind both: behind the one that ends last.
	s.take(packet(thread(3, 8000, 9000), event(8000, 1)));
	s.take(packet(thread(4, 7000, 9000), event(7500, 1)));

	CHECK(files_in(d / "ust/program").size() == 3);
	CHECK(lines_read(d.path()) == 4);
}

TEST_CASE("one bad packet is set aside whole, and the rest of the trace opens")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.events = 1;
	s.take(packet(h, event(2000, 1)));
	h.sequence = 1;
	h.events = 3;
	Bytes bad = packet(h, [] {
		Bytes b = event(3000, 1);
		append(b, event(2999, 1));
		return b;
	}());
	s.take(bad);
	h.sequence = 2;
	h.events = 4;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(5000, 1)));

	CHECK(s.totals().bad_packets == 1);
	CHECK(s.totals().events == 2);
	CHECK(s.totals().lost == 2);
	REQUIRE(with_bad(d.path()) == std::vector<std::string>{"packet-0"});
	std::string raw = content(d / "bad/packet-0");
	CHECK(Bytes(raw.begin(), raw.end()) == bad);
	REQUIRE(s.reports.size() == 1);
	CHECK_THAT(s.reports[0], Contains("time goes back") && Contains("bad/packet-0"));

	CommandResult r = babeltrace(d.path());
	CHECK(r.status == 0);
	CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 2);
	CHECK_THAT(r.err, Contains("discarded 2 events") && Contains("discarded 1 packet"));
}

TEST_CASE("packets that are all rubbish leave no trace")
{
	Directory d;
	TestSession s(d.path());
	s.take(Bytes(1000, 0xa5));
	CHECK(s.totals().bad_packets == 1);
	CHECK(files_in(d.path()) == std::vector<std::string>{"bad/packet-0"});
}

TEST_CASE("a packet that is cut off is set aside, those before it are kept")
{
	Directory d;
	TestSession s(d.path());
	Bytes all = definitions_packet(1, one_event);
	append(all, packet(thread(1, 1000, 9000), event(2000, 1)));
	Bytes cut = packet(thread(2, 1000, 9000), event(2000, 1));
	cut.pop_back();
	append(all, cut);
	s.take(all);
	CHECK(s.totals().events == 1);
	CHECK(s.totals().bad_packets == 1);
	CHECK(lines_read(d.path()) == 1);
}

TEST_CASE("a packet of an unknown type is set aside")
{
	Directory d;
	TestSession s(d.path());
	ltt_packet h = packet_header();
	h.type = 77;
	s.take(packet(h, Bytes(8)));
	CHECK(s.totals().bad_packets == 1);
	CHECK_THAT(s.reports.at(0), Contains("type 77"));
}

TEST_CASE("events without definitions are set aside and counted")
{
	Directory d;
	TestSession s(d.path());
	ltt_packet h = thread(1, 1000, 9000);
	h.events = 3;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().bad_packets == 1);
	CHECK(s.totals().lost == 3);
}

TEST_CASE("hostile definitions spoil their own process only")
{
	Directory d;
	TestSession s(d.path());
	Bytes hostile = one_event;
	hostile[4] = 0xff; // the size
	s.take(definitions_packet(1, hostile));
	s.take(definitions_packet(2, one_event));
	s.take(packet(thread(1, 1000, 9000), event(2000, 1)));
	ltt_packet h = thread(2, 1000, 9000);
	h.process = 2;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().events == 1);
	CHECK(s.totals().bad_packets == 2);
	CHECK(lines_read(d.path()) == 1);
}

TEST_CASE("the same definitions make the same trace, others another one")
{
	Directory d;
	TestSession s(d.path());
	Bytes two = one_event;
	append(two, definition(2, "p", "f", {}));
	uint64_t process = 0;
	for (const Bytes &defs : {one_event, one_event, two}) {
		s.take(definitions_packet(++process, defs));
		ltt_packet h = thread(process, 1000, 9000);
		h.process = process;
		s.take(packet(h, event(2000, 1)));
	}
	CHECK(files_in(d / "ust/program") ==
		std::vector<std::string>{"metadata", "stream_0", "stream_1"});
	CHECK(files_in(d / "ust/program-2") == std::vector<std::string>{"metadata", "stream_0"});
	CHECK(lines_read(d.path()) == 3);
	CHECK(s.totals().processes == 3);
}

TEST_CASE("a library that is loaded later adds its events to the trace")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	s.take(packet(h, event(2000, 1)));
	CHECK_THAT(content(d / "ust/program/metadata"), !Contains("lib:late"));

	s.take(definitions_packet(1, definition(2, "lib", "late", {{UST_TYPE_U8, "n"}})));
	h.sequence = 1;
	Bytes body = event(3000, 2, {9});
	append(body, event(3001, 1));
	s.take(packet(h, body));
	CHECK_THAT(content(d / "ust/program/metadata"), Contains("lib:late"));
	CHECK(lines_read(d.path()) == 3);

	// The other order of registrations, before the first event: the same program.
	Directory e;
	TestSession t(e.path());
	Bytes late = definition(2, "lib", "late", {});
	t.take(definitions_packet(1, one_event));
	t.take(definitions_packet(1, late));
	t.take(definitions_packet(2, late));
	t.take(definitions_packet(2, one_event));
	t.take(packet(thread(1, 1000, 9000), event(2000, 2)));
	h = thread(2, 1000, 9000);
	h.process = 2;
	t.take(packet(h, event(2000, 2)));
	CHECK(files_in(e.path()).size() == 3);
	CHECK(lines_read(e.path()) == 2);
}

TEST_CASE("events are counted as lost once, whatever tells of them")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.events = 5; // ahead of the packet: the thread writes on
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().lost == 0);
	h.sequence = 1;
	h.lost = 3;
	s.take(packet(h, {}));
	h.sequence = 2;
	s.take(packet(h, {}));
	CHECK(s.totals().lost == 3);

	SECTION("an event that a living thread is in the midst of is not lost")
	{
		s.session.finish(true);
		CHECK(s.totals().lost == 3);
	}
	h.sequence = 4; // one is missing
	s.take(packet(h, {}));
	SECTION("a living thread's missing events count only when no one writes")
	{
		s.session.finish(false);
		CHECK(s.totals().lost == 3);
	}
	SECTION("and then they do")
	{
		s.session.finish(true);
		CHECK(s.totals().lost == 3 + 4);
		CommandResult r = babeltrace(d.path());
		CHECK(r.status == 0);
		CHECK_THAT(r.err, Contains("discarded 3 events") &&
					  Contains("discarded 4 events") &&
					  Contains("discarded 1 packet"));
	}
	SECTION("as they do when it dies")
	{
		h.sequence = 5;
		h.events = 6; // one is in flight
		h.flags = LTT_PACKET_LAST | LTT_PACKET_TORN;
		s.take(packet(h, {}));
		CHECK(s.totals().lost == 3 + 4 + 1);
		s.session.finish(true);
		CHECK(s.totals().lost == 3 + 4 + 1);
	}
}

TEST_CASE("events that newer ones replaced are lost, and counted once")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.events = 9;
	h.overwritten = 5;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().lost == 5);
	h.sequence = 1;
	h.lost = 2;
	h.too_big = 1;
	h.overwritten = 6;
	s.take(packet(h, event(3000, 1)));
	CHECK(s.totals().lost == 6 + 2 + 1);
	CommandResult r = babeltrace(d.path());
	CHECK(r.status == 0);
	CHECK_THAT(r.err, Contains("discarded 5 events") && Contains("discarded 4 events"));

	// The end of the stream tells how many there were: two of nine are here, and the kernel
	// counts by sub-buffers, some too few or one too many.
	h.overwritten = GENERATE(6, 7, 8);
	h.sequence = 2;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, {}));
	CHECK(s.totals().lost == 7 + 2 + 1);
	CHECK(s.totals().corrupt_streams == 0);
}

TEST_CASE("a thread with more events replaced than written is a liar")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.events = 3;
	h.overwritten = 4;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().lost == 0);
	CHECK(s.totals().corrupt_streams == 1);
}

TEST_CASE("in a snapshot, what a reader took before is not lost, what was replaced is")
{
	const bool snapshot = GENERATE(true, false);
	Directory d;
	TestSession s(d.path(), false,
		snapshot ? ltt::Session::From::snapshot : ltt::Session::From::reader);
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000); // its sequence begins at 0, as in every snapshot
	h.events = 100;
	h.lost = 1;
	h.overwritten = 3;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().lost == (snapshot ? 4 : 100));
}

TEST_CASE("losses before the first packet of a file are told with their number")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.lost = 6;
	s.take(packet(h, event(2000, 1)));
	CommandResult r = babeltrace(d.path());
	CHECK(r.status == 0);
	CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 1);
	CHECK_THAT(r.err, Contains("discarded 6 events") && !Contains("may have"));
}

TEST_CASE("what an earlier reader took is not missing")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.sequence = 4;
	h.events = 100;
	h.flags = LTT_PACKET_LAST;
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().lost == 0);
	CHECK(lines_read(d.path()) == 1);
}

TEST_CASE("a thread that forges its counts is reported and its numbers are not believed")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	h.lost = UINT64_MAX;
	h.too_big = 7;
	h.events = UINT64_MAX;
	s.take(packet(h, event(2000, 1)));
	h.sequence = 1;
	h.flags = LTT_PACKET_LAST | LTT_PACKET_CORRUPT;
	s.take(packet(h, event(3000, 1)));
	CHECK(s.totals().lost == 0);
	CHECK(s.totals().corrupt_streams == 1);
	CHECK(s.reports.size() == 1);
	CHECK(lines_read(d.path()) == 2);
}

TEST_CASE("a packet that comes twice is set aside")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 9000);
	s.take(packet(h, event(2000, 1)));
	s.take(packet(h, event(2000, 1)));
	CHECK(s.totals().bad_packets == 1);
	CHECK(lines_read(d.path()) == 1);
}

TEST_CASE("two packets of one sub-buffer, read while it fills, follow each other")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, one_event));
	ltt_packet h = thread(1, 1000, 3000);
	s.take(packet(h, event(2000, 1)));
	h.sequence = 1; // the same begin, before the last packet's end
	h.end = 5000;
	s.take(packet(h, event(2500, 1)));
	CHECK(s.totals().bad_packets == 0);
	CHECK(lines_read(d.path()) == 2);
}

TEST_CASE("names of programs cannot leave the directory")
{
	Directory d;
	TestSession s(d.path());
	uint64_t n = 0;
	for (const char *comm : {"../../x", "", "..", "a b"}) {
		++n;
		s.take(definitions_packet(n, definition(1, "p", "e" + std::to_string(n), {})));
		ltt_packet h = thread(n, 1000, 9000);
		h.process = n;
		std::memset(h.comm, 0, sizeof(h.comm));
		std::strcpy(h.comm, comm);
		s.take(packet(h, event(2000, 1)));
	}
	CHECK(files_in(d.path()) == std::vector<std::string>{"ust/_./metadata", "ust/_./stream_0",
					    "ust/_._.._x/metadata", "ust/_._.._x/stream_0",
					    "ust/_/metadata", "ust/_/stream_0", "ust/a_b/metadata",
					    "ust/a_b/stream_0"});
	CHECK(lines_read(d.path()) == 4);
}

TEST_CASE("an event takes no more bytes than promised, of up to 30 types, and 9 more from the 32nd")
{
	// Odd numbers are (int32, uint64), even ones (int32, string).
	constexpr uint16_t types = 40;
	Bytes defs, text = payload(int32_t{1});
	for (uint16_t id = 1; id <= types; ++id)
		append(defs, definition(id, "p", "e" + std::to_string(id),
				     {{UST_TYPE_I32, "a"},
					     {id % 2 ? UST_TYPE_U64 : UST_TYPE_STRING, "b"}}));
	put_string(text, "eighteen letters..");
	const Bytes number = payload(int32_t{1}, uint64_t{2});

	auto bytes_for = [&](uint16_t id, int times) {
		Directory d;
		TestSession s(d.path());
		s.take(definitions_packet(1, defs));
		Bytes body;
		for (int i = 0; i < times; ++i)
			append(body, event(2000, id, id % 2 ? number : text));
		s.take(packet(thread(1, 1000, 9000), body));
		return content(d / "ust/program/stream_0").size();
	};
	for (uint16_t id = 1; id <= types; ++id) {
		INFO("type " << id);
		const size_t promised = (id % 2 ? 16 : 27) + (id < 32 ? 0 : 9);
		CHECK(bytes_for(id, 2) - bytes_for(id, 1) == promised);
	}
}

TEST_CASE("events of the kernel make a trace of their own, without contexts")
{
	Directory d;
	TestSession s(d.path(), LTT_CONTEXT_CPU | LTT_CONTEXT_VPID);
	s.take(kernel_definitions());
	s.take(packet(kernel_packet(3), switch_event(2000, "a", 1, "b", 2)));
	CHECK(s.totals().events == 1);
	CHECK(s.totals().threads == 0);
	CHECK(s.totals().processes == 0);
	CHECK(s.reports.empty());
	const CommandResult r = babeltrace(d / "kernel");
	CHECK(r.err == "");
	CHECK_THAT(r.out, Contains("sched_switch: { cpu_id = 3 }, { prev_comm = \"a\", prev_tid = "
				   "1, next_comm = \"b\", next_tid = 2 }"));
}

TEST_CASE("a program with the same definitions as the kernel is none of it")
{
	Directory d;
	TestSession s(d.path());
	s.take(kernel_definitions());
	Bytes same = kernel_definitions();
	ltt_packet h;
	std::memcpy(&h, same.data(), sizeof(h));
	h.process = 1;
	std::memcpy(same.data(), &h, sizeof(h));
	s.take(same);
	s.take(packet(kernel_packet(0), switch_event(2000, "a", 1, "b", 2)));
	s.take(packet(packet_header(), switch_event(2001, "a", 1, "b", 2)));
	CHECK(s.totals().events == 2);
	CHECK(s.totals().threads == 1);
	CHECK_THAT(babeltrace(d / "kernel").out, Contains(" sched_switch: { cpu_id = 0 }") ||
							 Contains("sched_switch: { cpu_id = 0 }"));
	CHECK_THAT(babeltrace(d / "ust").out, Contains("sched:sched_switch: { vpid = 3"));
}

TEST_CASE("a session that goes on after another one knows the kernel's events")
{
	Directory d;
	TestSession first(d / "first"), second(d / "second");
	first.take(kernel_definitions());
	first.take(packet(kernel_packet(0), switch_event(2000, "a", 1, "b", 2)));
	second.session.restore(first.session.save(true));
	ltt_packet h = kernel_packet(0);
	h.sequence = 1;
	const Bytes next = packet(h, switch_event(3000, "b", 2, "a", 1));
	second.session.take_again(next.data(), next.size());
	CHECK(second.totals().events == 1);
	CHECK(second.totals().threads == 0);
	CHECK(second.reports.empty());
	CHECK_THAT(babeltrace(d / "second/kernel").out, Contains("prev_comm = \"b\""));
}

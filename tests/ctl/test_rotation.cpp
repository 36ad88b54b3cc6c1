// SPDX-License-Identifier: MIT
// Chunks of a recording, and who may have them.
#include <catch2/catch.hpp>

#include <atomic>
#include <csignal>
#include <regex>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/error.h"
#include "lib/recording.h"
#include "support/capture.h"
#include "support/child.h"
#include "support/found.h"
#include "support/recorded.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

std::vector<std::string> chunks_of(const std::string &directory)
{
	std::vector<std::string> names;
	for (const auto &entry : std::filesystem::directory_iterator(directory + "/chunks"))
		names.push_back(entry.path().filename().string());
	std::sort(names.begin(), names.end());
	return names;
}

// A packet of a thread with so many events, the last of which is @sequence.
Bytes large_packet(uint64_t sequence, size_t events)
{
	ltt_packet h = packet_header();
	h.sequence = sequence;
	h.end = 1u << 30;
	h.events = (sequence + 1) * events;
	Bytes body;
	for (size_t i = 0; i < events; ++i)
		append(body, event(2000 + sequence * 1000, 1));
	return packet(h, body);
}

// Each has 5000 events.
FakeKernel kernel_with_large_packets(uint64_t n)
{
	FakeKernel k = kernel_with_trace();
	k.state.ready = {definitions};
	k.state.in_open.clear();
	for (uint64_t i = 0; i < n; ++i)
		k.state.ready.push_back(large_packet(i, 5000));
	return k;
}

} // namespace

TEST_CASE("a chunk has the events and the losses of its time, and the sum is exact")
{
	Directory d;
	TestSession s(d / "now");
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	auto end_chunk = [&](const std::string &name) {
		s.session.end_chunk();
		std::filesystem::rename(d / "now", d / name);
	};
	ltt_packet h = packet_header();
	auto take = [&](uint64_t lost, uint32_t flags = 0) {
		h.events += 1;
		h.lost += lost;
		h.flags = flags;
		s.take(packet(h, event(2000 + h.sequence, 1)));
		++h.sequence;
	};
	take(3);
	take(0);
	end_chunk("a");
	take(4);
	end_chunk("b");
	end_chunk("c"); // nothing happened
	take(0);
	h.events += 5; // died in their midst, or newer ones replaced them
	take(0, LTT_PACKET_LAST);
	end_chunk("d");

	Found a = found(d / "a"), b = found(d / "b"), c = found(d / "c"), e = found(d / "d");
	CHECK(a.events == 2);
	CHECK(a.lost == 3);
	CHECK(b.events == 1);
	CHECK(b.lost == 4);
	CHECK(c.events == 0);
	CHECK(c.lost == 0);
	CHECK(e.events == 2);
	CHECK(e.lost == 5);
	CHECK(s.totals().events == a.events + b.events + c.events + e.events);
	CHECK(s.totals().lost == a.lost + b.lost + c.lost + e.lost);
	// Readers take all of them together, too: no two are the same trace.
	CHECK(found(d.path()).events == 5);
}

TEST_CASE("what is found missing when all is over is told in the last chunk")
{
	Directory d;
	TestSession s(d / "now");
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	ltt_packet h = packet_header();
	h.events = 1;
	s.take(packet(h, event(2000, 1)));
	h.sequence = 2; // one is missing
	h.events = 10;
	s.take(packet(h, event(3000, 1)));
	s.session.end_chunk();
	std::filesystem::rename(d / "now", d / "a");
	s.session.finish(true);
	CHECK(s.totals().lost == 8);
	CHECK(found(d / "now").lost == 8);
}

TEST_CASE("events that are defined after a chunk has ended have their numbers in the next one")
{
	Directory d;
	TestSession s(d / "now");
	s.take(definitions_packet(1, definition(1, "p", "early", {})));
	ltt_packet h = packet_header();
	s.take(packet(h, event(2000, 1)));
	s.session.end_chunk();
	std::filesystem::rename(d / "now", d / "a");
	s.take(definitions_packet(1, definition(2, "p", "late", {})));
	h.sequence = 1;
	s.take(packet(h, event(3000, 2)));
	CHECK(found(d / "now").events == 1);
	CHECK_THAT(babeltrace(d / "now").out, Contains("p:late"));
}

TEST_CASE("record --rotate-size: chunks of about this size, that are all there is")
{
	Directory d;
	FakeKernel k = kernel_with_large_packets(10);
	k.state.on_wait = [&] { k.state.destroyed = k.state.ready.empty(); };
	ltt::RecordOptions o = record_options(d);
	o.rotate_size = 50000; // 5000 events have 20000 bytes
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK_THAT(c.out(), Contains("50000 events"));
	const std::vector<std::string> names = chunks_of(o.directory);
	REQUIRE(names.size() == 4);
	for (size_t i = 0; i < names.size(); ++i) {
		CHECK(std::regex_match(names[i],
			std::regex("00000" + std::to_string(i + 1) + "-[0-9]{8}T[0-9]{6}Z")));
		CHECK(found(o.directory + "/chunks/" + names[i]).events == (i < 3 ? 15000 : 5000));
	}
	for (const std::string &file : files_in(o.directory))
		CHECK(file.find("chunks/0") == 0);
}

TEST_CASE("record --keep: the newest chunks")
{
	Directory d;
	FakeKernel k = kernel_with_large_packets(6);
	k.state.on_wait = [&] { k.state.destroyed = k.state.ready.empty(); };
	ltt::RecordOptions o = record_options(d);
	o.rotate_size = 15000;
	o.keep = 2;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	const std::vector<std::string> names = chunks_of(o.directory);
	REQUIRE(names.size() == 2);
	CHECK(names[0].find("000005-") == 0);
	CHECK(names[1].find("000006-") == 0);
	CHECK(found(o.directory).events == 10000);
}

TEST_CASE("record --rotate-time: what is in open sub-buffers by then, and empty chunks")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.rotate_seconds = 1;
	k.state.on_wait = [&] {
		usleep(10000);
		std::error_code none;
		k.state.destroyed = std::distance(std::filesystem::directory_iterator(
							  o.directory + "/chunks", none),
					    std::filesystem::directory_iterator()) == 2;
	};
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	const std::vector<std::string> names = chunks_of(o.directory);
	REQUIRE(names.size() == 2); // none for what came after, since nothing did
	CHECK(found(o.directory + "/chunks/" + names[0]).events == 2);
	CHECK(found(o.directory + "/chunks/" + names[1]).events == 0);
}

TEST_CASE("rotate returns when the chunk is complete, with all that was written before")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	const bool several = GENERATE(false, true);
	if (several) {
		k.others.push_back(kernel_with_trace().state);
		k.others[0].params.name = "other";
		o.names.push_back("other");
	}
	std::thread asker;
	std::string first, second;
	size_t in_first = 0;
	std::atomic<bool> done{false};
	int waits = 0;
	k.state.on_wait = [&] {
		if (++waits == 1)
			asker = std::thread([&] {
				first = ltt::ask_for_chunk(o.directory);
				// Complete, and here before anything else happens.
				in_first = files_in(first).size();
				second = ltt::ask_for_chunk(o.directory);
				done = true;
			});
		usleep(1000);
		k.state.destroyed = done;
		if (several)
			k.others[0].destroyed = done;
	};
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	asker.join();
	CHECK(c.out().find("2 events") == 0);
	CHECK(first.find(o.directory + "/chunks/000001-") == 0);
	CHECK(second.find(o.directory + "/chunks/000002-") == 0);
	CHECK(in_first == (several ? 4 : 2));
	CHECK(found(first).events == (several ? 4 : 2));
	CHECK(found(second).events == 0);
	CHECK(chunks_of(o.directory).size() == 2);
	CHECK_THAT(files_in(o.directory).front(), Contains("chunks/000001-"));
}

TEST_CASE("rotate, when the recording ends meanwhile, gets the last chunk")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	ltt::FileDescriptor asker;
	k.state.on_read = [&] {
		if (asker.get() < 0)
			asker = ltt::connect_to_recorder(o.directory);
	};
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	char name[64] = "";
	CHECK(read(asker.get(), name, sizeof(name) - 1) > 0);
	CHECK(found(o.directory + "/" + name).events == 2);
}

TEST_CASE("rotate says why there is no chunk")
{
	Directory d;
	CHECK_THROWS_WITH(ltt::ask_for_chunk(d.path()), "no recorder is at work in " + d.path());
	CHECK_THROWS_WITH(ltt::ask_for_chunk(d / "nowhere"), Contains("nowhere: No such file"));
	const pid_t child = child_that_stays([&] {
		static ltt::Control control(d.path());
		std::thread([] {
			while (!control.asked())
				usleep(1000);
			raise(SIGKILL);
		}).detach();
	});
	CHECK_THROWS_WITH(ltt::ask_for_chunk(d.path()), Contains("has ended before"));
	kill_and_reap(child);
	CHECK_THROWS_WITH(ltt::ask_for_chunk(d.path()), "no recorder is at work in " + d.path());
}

TEST_CASE("a directory has one recorder, until that is gone, however")
{
	Directory d;
	const pid_t child = child_that_stays([&] { static ltt::Control control(d.path()); });
	CHECK_THROWS_WITH(ltt::Control(d.path()),
		Contains("process " + std::to_string(child) + " records into " + d.path()));
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.directory = d.path();
	o.drain = true;
	Capture c;
	CHECK_THROWS_WITH(ltt::record_traces(k, o), Contains("process " + std::to_string(child)));
	kill_and_reap(child);
	CHECK(ltt::record_traces(k, o) == 0);
	// It leaves nothing of its own but where it was.
	CHECK(files_in(d.path()) == std::vector<std::string>{".mine.state", "ust/program/metadata",
					    "ust/program/stream_0"});
}

TEST_CASE("the path of a recording may be long")
{
	Directory d;
	const std::string deep = d / std::string(100, 'x') + "/" + std::string(100, 'y');
	std::filesystem::create_directories(deep);
	ltt::Control control(deep);
	std::thread asker([&] { CHECK(ltt::ask_for_chunk(deep) == deep + "/chunks/1"); });
	while (!control.asked())
		usleep(1000);
	control.answer("chunks/1");
	asker.join();
}

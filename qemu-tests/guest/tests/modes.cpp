// SPDX-License-Identifier: MIT
//
// What a writer does when every sub-buffer is unread: overwrite the oldest, or wait for
// a reader. (Discarding is what loss.cpp tries.)

#include "../process.h"
#include "../streams.h"

#include <csignal>
#include <sys/time.h>
#include <sys/wait.h>

namespace
{

using namespace ktap;

// 256 events of 16 bytes fill a sub-buffer.
constexpr uint64_t per_sub_buffer = 4096 / 16;

ltt_trace_params overwriting()
{
	ltt_trace_params p = ltt::params();
	p.mode = LTT_MODE_OVERWRITE;
	return p;
}

ltt_trace_params blocking(__u32 timeout_us)
{
	ltt_trace_params p = ltt::params();
	p.mode = LTT_MODE_BLOCK;
	p.timeout_us = timeout_us;
	return p;
}

// Numbers that end with the last one written, without a hole.
void check_newest(const ltt::Stream &s, uint64_t written, uint64_t at_least)
{
	REQUIRE(!s.events.empty());
	CHECK_EQ(s.events.back().as<uint64_t>(), written - 1);
	CHECK_GE(s.events.size(), at_least);
	s.check_numbers(written - s.events.size(), s.events.size());
}

uint64_t milliseconds()
{
	timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<uint64_t>(now.tv_sec) * 1000 +
	       static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

} // namespace

TEST("overwrite: the newest are kept, the others counted, after the thread's death too")
{
	constexpr uint64_t n = 100 * per_sub_buffer + 7;
	ltt::Trace trace(overwriting());
	trace.start();
	pid_t child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, n); });
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream s = ltt::stream_of(ltt::read_streams(trace, 1), child);
	check_newest(s, n, 3 * per_sub_buffer);
	CHECK(s.last());
	CHECK_EQ(s.header.lost, 0);
	CHECK_EQ(s.header.events, n);
	CHECK_EQ(s.header.overwritten, n - s.events.size());
	CHECK_EQ(trace.info().overwritten, n - s.events.size());
	CHECK_EQ(trace.info().lost, 0);
}

TEST("overwrite: a writer that lives on is read, overwrites again, and is read again")
{
	ltt::Trace trace(overwriting());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	uint64_t written = 0, recorded = 0;
	std::vector<ltt::Packet> packets;
	for (uint64_t n :
		{10 * per_sub_buffer, uint64_t(3), 2 * per_sub_buffer, 9 * per_sub_buffer}) {
		ltt::write_numbers(buffer, written, n);
		written += n;
		trace.flush();
		std::vector<ltt::Packet> some = trace.read_events();
		std::vector<ltt::Event> events = ltt::events_of(some);
		REQUIRE(!events.empty());
		CHECK_EQ(events.back().as<uint64_t>(), written - 1);
		CHECK_EQ(events.front().as<uint64_t>(), written - events.size());
		recorded += events.size();
		CHECK_EQ(recorded + some.back().header.overwritten, written);
		packets.insert(packets.end(), some.begin(), some.end());
	}
	ltt::streams_of(packets); // sequence without a hole
}

TEST("overwrite: a handler goes round the ring on top of an event: that one is whole")
{
	ltt::Trace trace(overwriting());
	trace.start();
	static ltt::Buffer buffer;
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	static uint64_t nested;
	nested = 20 * per_sub_buffer;
	signal(SIGUSR1, [](int) { ltt::write_numbers(buffer, 1000, nested); });
	ltt::write_event(buffer.operator->(), 16, 8, [&](char *at) {
		raise(SIGUSR1);
		uint64_t payload = 2;
		memcpy(at, &payload, sizeof(payload));
	});
	trace.flush();
	std::vector<ltt::Packet> packets = trace.read_events();
	buffer.write(uint64_t{3});
	trace.flush();
	for (ltt::Packet &packet : trace.read_events())
		packets.push_back(std::move(packet));
	std::vector<ltt::Event> events = ltt::events_of(packets);
	REQUIRE(events.size() > 3);
	CHECK_EQ(events[0].as<uint64_t>(), 1);
	CHECK_EQ(events[1].as<uint64_t>(), 2);
	CHECK_EQ(events[2].as<uint64_t>(), 1000);
	// The flight goes on: the newest event is there, those without room are counted.
	CHECK_EQ(events.back().as<uint64_t>(), 3);
	const ltt_packet &last = packets.back().header;
	CHECK_EQ(events.size() + last.lost + last.overwritten, nested + 3);
	CHECK_GT(last.lost, 0);
}

TEST("overwrite: a reader beside a writer at full speed gets whole events only", seconds(60))
{
	ltt_trace_params p = overwriting();
	p.n_subbufs = 2;
	ltt::Trace trace(p);
	trace.start();
	auto *stop = shared<int>();
	auto *written = shared<uint64_t>();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		for (uint64_t i = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); ++i) {
			buffer.write(i);
			*written = i + 1;
		}
	});
	WAIT_UNTIL(__atomic_load_n(written, __ATOMIC_RELAXED) > 0);
	std::vector<ltt::Packet> packets;
	for (int i = 0; i < 300; ++i) {
		trace.flush();
		for (ltt::Packet &packet : trace.read_events())
			packets.push_back(std::move(packet));
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	CHECK_EQ(wait_for(child), 0);
	for (ltt::Packet &packet : trace.read_events())
		packets.push_back(std::move(packet));
	ltt::Stream s = ltt::stream_of(ltt::streams_of(packets), child);
	uint64_t next = 0;
	for (const ltt::Event &e : s.events) {
		if (!CHECK_GE(e.as<uint64_t>(), next))
			break;
		next = e.as<uint64_t>() + 1;
	}
	CHECK_EQ(s.header.events + s.header.lost, *written);
	CHECK(s.last());
	// Open sub-buffers were read in mid-write: some events are counted in neither.
	uint64_t accounted = s.events.size() + s.header.overwritten + s.header.lost;
	CHECK_LE(accounted, *written);
	CHECK_GE(accounted + 300, *written);
}

TEST("overwrite: over its memory limit, what the first of the dead left goes first")
{
	ltt_trace_params p = overwriting();
	p.max_memory = 6 * 4 * 4096;
	ltt::Trace trace(p);
	trace.start();
	std::vector<pid_t> children;
	for (uint64_t i = 0; i < 40; ++i) {
		children.push_back(
			spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), i, 900); }));
		CHECK_EQ(wait_for(children.back()), 0);
		CHECK_LE(trace.info().memory, p.max_memory + 900 * 16);
	}
	CHECK_EQ(trace.info().refused, 0);
	auto streams = ltt::streams_of(trace.read_packets());
	CHECK_GE(streams.size(), 3u);
	CHECK_LT(streams.size(), 10u);
	for (size_t i = 0; i < streams.size(); ++i) {
		uint64_t child = children.size() - streams.size() + i;
		ltt::stream_of(streams, children[child]).check_ended(child, 900);
	}
	CHECK_EQ(trace.info().lost, (children.size() - streams.size()) * 900);
}

TEST("block: a writer waits for its reader and loses nothing")
{
	constexpr uint64_t n = 40 * per_sub_buffer;
	ltt::Trace trace(blocking(60000000));
	trace.start();
	pid_t child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, n); });
	// It fills its four sub-buffers and sleeps.
	WAIT_UNTIL(blocked_in(child) == LTT_NR_switch);
	std::vector<ltt::Packet> packets;
	int status = -1;
	WAIT_UNTIL([&] {
		for (ltt::Packet &packet : trace.read_events())
			packets.push_back(std::move(packet));
		return waitpid(child, &status, WNOHANG) == child;
	}());
	CHECK_EQ(status, 0);
	for (ltt::Packet &packet : trace.read_events())
		packets.push_back(std::move(packet));
	ltt::stream_of(ltt::streams_of(packets), child).check_ended(0, n);
}

TEST("block: without a reader it waits once, then discards until there is room")
{
	constexpr uint64_t extra = 1000;
	ltt::Trace trace(blocking(300000));
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	uint64_t begin = milliseconds();
	ltt::write_numbers(buffer, 0, 4 * per_sub_buffer + extra);
	uint64_t took = milliseconds() - begin;
	CHECK_GE(took, 299u);
	CHECK_LT(took, 20000u); // once, not a thousand times
	CHECK_EQ(buffer.control().lost, extra);
	CHECK_EQ(buffer.control().full, 1u);
	std::vector<ltt::Event> events = ltt::events_of(trace.read_events());
	CHECK_EQ(events.size(), 4 * per_sub_buffer);
	CHECK_EQ(buffer.control().full, 0u);
	buffer.write(uint64_t{7});
	trace.flush();
	events = ltt::events_of(trace.read_events());
	REQUIRE_EQ(events.size(), 1u);
	CHECK_EQ(events[0].as<uint64_t>(), 7u);
}

TEST("block: stop and destroy wake who waits; so does SIGKILL")
{
	for (const char *end : {"stop", "destroy", "kill"}) {
		ltt::Trace trace(blocking(60000000));
		trace.start();
		pid_t child = spawn([&] {
			ltt::write_numbers(ltt::Buffer::of(trace), 0, 4 * per_sub_buffer + 1);
		});
		WAIT_UNTIL(blocked_in(child) == LTT_NR_switch);
		if (!strcmp(end, "stop"))
			trace.stop();
		else if (!strcmp(end, "destroy"))
			trace.destroy();
		else
			REQUIRE_OK(kill(child, SIGKILL));
		int status = wait_for(child);
		CHECK_EQ(status, strcmp(end, "kill") ? 0 : SIGKILL);
		ltt::Stream s = ltt::stream_of(ltt::streams_of(trace.read_packets()), child);
		s.check_numbers(0, 4 * per_sub_buffer);
		CHECK_LE(s.header.lost, 1u);
	}
}

TEST("block: signals run their handlers while the writer waits, and put nothing off")
{
	static volatile int handled;
	ltt::Trace trace(blocking(700000));
	trace.start();
	pid_t child = spawn([&] {
		struct sigaction action = {};
		action.sa_handler = [](int) { handled = handled + 1; }; // no SA_RESTART
		REQUIRE_OK(sigaction(SIGALRM, &action, nullptr));
		itimerval every = {{0, 20000}, {0, 20000}};
		REQUIRE_OK(setitimer(ITIMER_REAL, &every, nullptr));
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		uint64_t begin = milliseconds();
		ltt::write_numbers(buffer, 0, 4 * per_sub_buffer + 2);
		uint64_t took = milliseconds() - begin;
		every = {};
		setitimer(ITIMER_REAL, &every, nullptr);
		CHECK_GE(took, 699u);
		CHECK_LT(took, 20000u);
		CHECK_GE(handled, 5);
		CHECK_EQ(buffer.control().lost, 2u);
	});
	CHECK_EQ(wait_for(child), 0);
}

TEST("block: a wait that a signal ended does not shorten the next")
{
	ltt::Trace trace(blocking(1000000));
	trace.start();
	auto *waiting = shared<int>();
	pid_t child = spawn([&] {
		static ltt::Trace *reader;
		reader = &trace;
		// The handler makes room: the call that it interrupted need not wait again.
		signal(SIGALRM, [](int) { reader->read_packets(); });
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		itimerval once = {{0, 0}, {0, 300000}};
		REQUIRE_OK(setitimer(ITIMER_REAL, &once, nullptr));
		ltt::write_numbers(buffer, 0, 4 * per_sub_buffer + 1);
		CHECK_EQ(buffer.control().lost, 0u);
		usleep(1500000); // longer than the first wait had left
		*waiting = 1;
		ltt::write_numbers(buffer, 0, 4 * per_sub_buffer + 1);
		CHECK_EQ(buffer.control().lost, 0u);
	});
	WAIT_UNTIL(*waiting && blocked_in(child) == LTT_NR_switch);
	trace.read_packets();
	CHECK_EQ(wait_for(child), 0);
}

TEST("what does not go with a mode is refused")
{
	auto refused = [](__u32 mode, __u32 timeout) {
		ltt_trace_params p = ltt::params();
		p.mode = mode;
		p.timeout_us = timeout;
		CHECK_EQ(ltt::create(p), -1);
		CHECK_EQ(errno, EINVAL);
	};
	refused(LTT_MODE_BLOCK + 1, 0);
	refused(~0u, 0);
	// errno: LTT_IOC_CREATE EINVAL: timeout_us
	refused(LTT_MODE_DISCARD, 1);
	refused(LTT_MODE_OVERWRITE, 1);
	refused(LTT_MODE_BLOCK, 0);
	refused(LTT_MODE_BLOCK, LTT_MAX_TIMEOUT_US + 1);
}

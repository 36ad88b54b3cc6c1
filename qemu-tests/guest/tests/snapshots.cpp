// SPDX-License-Identifier: MIT
//
// Snapshots: what a trace holds, from the oldest to the newest, without taking it away.

#include "../streams.h"

#include <poll.h>

namespace
{

using namespace ktap;

constexpr uint64_t per_sub_buffer = 4096 / 16;

ltt_trace_params recorder(__u32 mode = LTT_MODE_OVERWRITE)
{
	ltt_trace_params p = ltt::params();
	p.mode = mode;
	return p;
}

int begin_snapshot(const ltt::Trace &trace)
{
	int fd = ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT);
	REQUIRE(fd >= 0);
	return fd;
}

// The rest of a snapshot, read in pieces of this size.
std::vector<ltt::Packet> read_to_end(int fd, size_t size)
{
	std::vector<uint8_t> memory(size);
	std::vector<ltt::Packet> packets;
	ssize_t n;
	while ((n = read(fd, memory.data(), memory.size())) > 0)
		for (ltt::Packet &p : ltt::split_packets(memory.data(), static_cast<size_t>(n)))
			if (p.header.type == LTT_PACKET_EVENTS)
				packets.push_back(std::move(p));
	CHECK_EQ(n, 0);
	CHECK_EQ(read(fd, memory.data(), memory.size()), 0);
	close(fd);
	return packets;
}

// All packets of a new snapshot.
std::vector<ltt::Packet> snapshot(const ltt::Trace &trace, size_t size = 1 << 20)
{
	return read_to_end(begin_snapshot(trace), size);
}

} // namespace

TEST("twice in a row, the same; and a reader still finds all of it")
{
	ltt::Trace trace(recorder());
	trace.start();
	pid_t child =
		spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 10 * per_sub_buffer); });
	CHECK_EQ(wait_for(child), 0);
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 5000, 6 * per_sub_buffer + 5);

	auto first = ltt::streams_of(snapshot(trace));
	auto second = ltt::streams_of(snapshot(trace, sizeof(ltt_packet) + 4096));
	auto read = ltt::read_streams(trace, 2);
	CHECK_EQ(first.size(), 2u);
	CHECK_EQ(second.size(), 2u);
	for (pid_t tid : {child, getpid()}) {
		ltt::Stream a = ltt::stream_of(first, tid), b = ltt::stream_of(second, tid);
		uint64_t end = tid == child ? 10 * per_sub_buffer : 5000 + 6 * per_sub_buffer + 5;
		a.check_numbers(end - a.events.size(), a.events.size());
		CHECK_GE(a.events.size(), 3 * per_sub_buffer);
		CHECK_EQ(a.events.size(), b.events.size());
		b.check_numbers(end - a.events.size(), a.events.size());
		CHECK_EQ(a.header.overwritten + a.events.size(), a.header.events);
	}
	// Of the living, the open sub-buffer waits for a flush.
	ltt::Stream dead = ltt::stream_of(read, child);
	CHECK_EQ(dead.events.size(), ltt::stream_of(first, child).events.size());
	CHECK(dead.last());
}

TEST("under load: it ends, and has no hole from its oldest to its newest event", seconds(60))
{
	ltt_trace_params p = recorder();
	p.n_subbufs = 8;
	ltt::Trace trace(p);
	trace.start();
	auto *stop = shared<int>();
	std::vector<pid_t> children;
	for (int i = 0; i < 3; ++i)
		children.push_back(spawn([&] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			for (uint64_t n = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); ++n)
				buffer.write(n);
		}));
	auto all_write = [&] {
		auto streams = ltt::streams_of(snapshot(trace));
		return streams.size() == 3 && trace.info().overwritten > 1000;
	};
	WAIT_UNTIL(all_write());
	for (int i = 0; i < 20; ++i) {
		auto streams = ltt::streams_of(snapshot(trace, 16384));
		CHECK_EQ(streams.size(), 3u);
		for (auto &[number, s] : streams) {
			REQUIRE(!s.events.empty());
			// A writer may overwrite what comes next, never what was given out.
			uint64_t next = 0;
			for (const ltt::Event &e : s.events) {
				CHECK_GE(e.as<uint64_t>(), next);
				next = e.as<uint64_t>() + 1;
			}
		}
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	for (pid_t child : children)
		CHECK_EQ(wait_for(child), 0);
}

TEST("a stream is overwritten while its reader is away: its newest are there")
{
	ltt::Trace trace(recorder());
	trace.start();
	CHECK_EQ(wait_for(spawn([&] { ltt::Buffer::of(trace).write(uint64_t{1}); })), 0);
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 2 * per_sub_buffer);
	int fd = begin_snapshot(trace);
	// Room for the child's stream, and not for what comes next.
	char memory[sizeof(ltt_packet) + 16];
	REQUIRE_EQ(read(fd, memory, sizeof(memory)), static_cast<ssize_t>(sizeof(memory)));
	constexpr uint64_t end = 12 * per_sub_buffer;
	ltt::write_numbers(buffer, 2 * per_sub_buffer, end - 2 * per_sub_buffer);
	ltt::Stream s = ltt::stream_of(ltt::streams_of(read_to_end(fd, 1 << 20)), getpid());
	CHECK_GE(s.events.size(), 3 * per_sub_buffer);
	s.check_numbers(end - s.events.size(), s.events.size());
}

TEST("of a trace in discard mode: what no reader had yet, and losses")
{
	ltt::Trace trace(recorder(LTT_MODE_DISCARD));
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5 * per_sub_buffer);
	ltt::Stream s = ltt::stream_of(ltt::streams_of(snapshot(trace)), getpid());
	s.check_numbers(0, 4 * per_sub_buffer);
	CHECK_EQ(s.header.lost, per_sub_buffer);
	trace.read_packets();
	CHECK_EQ(ltt::events_of(snapshot(trace)).size(), 0u);
}

TEST("of nothing: the end at once; poll does not wait")
{
	ltt::Trace trace(recorder());
	CHECK_EQ(snapshot(trace).size(), 0u);
	int fd = begin_snapshot(trace);
	pollfd p = {fd, POLLIN, 0};
	CHECK_EQ(poll(&p, 1, 0), 1);
	trace.destroy();
	char byte;
	CHECK_EQ(read(fd, &byte, 1), 0);
	close(fd);
}

TEST("too small a memory is refused, and loses nothing")
{
	ltt::Trace trace(recorder());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 3);
	int fd = begin_snapshot(trace);
	char memory[sizeof(ltt_packet) + 3 * 16];
	CHECK_EQ(read(fd, memory, sizeof(memory) - 1), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(syscall(SYS_read, fd, nullptr, 1 << 20), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(read(fd, memory, sizeof(memory)), static_cast<ssize_t>(sizeof(memory)));
	close(fd);
}

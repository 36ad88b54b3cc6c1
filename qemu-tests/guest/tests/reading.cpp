// SPDX-License-Identifier: MIT
//
// Readers of a trace: each event comes once, whoever reads, however little at
// a time, and whatever happens to the reader.

#include "../seccomp.h"
#include "../streams.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

constexpr size_t full_packet = sizeof(ltt_packet) + 4096;
constexpr size_t per_subbuf = 4096 / 16;

// A trace with room for much; readers that are too slow are not the subject.
ltt_trace_params roomy()
{
	ltt_trace_params p = ltt::params();
	p.n_subbufs = 256;
	return p;
}

// Calls take(packet) for each until the end of the trace, or until there is
// nothing now.
template <class Take>
void read_to_the_end(int fd, Take take, bool wait = true)
{
	std::vector<uint8_t> memory(64 * 1024);
	for (;;) {
		ssize_t n = read(fd, memory.data(), memory.size());
		if (n < 0 && errno == EAGAIN && !wait)
			return;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		CHECK_GE(n, 0);
		if (n <= 0)
			return;
		for (const ltt::Packet &p :
			ltt::split_packets(memory.data(), static_cast<size_t>(n)))
			take(p);
	}
}

} // namespace

TEST("a sub-buffer that was read to its end before it is closed does not hold up the next ones")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	std::map<uint64_t, ltt::Stream> streams;
	size_t written = 0;
	// Closed because it is full, and closed by hand; more often than there
	// are sub-buffers.
	for (size_t n : {per_subbuf, size_t(10), per_subbuf, per_subbuf, size_t(1), per_subbuf,
		     size_t(10), size_t(10)}) {
		ltt::write_numbers(buffer, written, n);
		written += n;
		trace.flush();
		for (const ltt::Packet &p : trace.read_events())
			ltt::add_packet(streams, p);
		CHECK_EQ(ltt_switch(buffer.address()), 0);
	}
	trace.flush();
	for (const ltt::Packet &p : trace.read_events())
		ltt::add_packet(streams, p);
	REQUIRE_EQ(streams.size(), 1);
	streams.begin()->second.check_numbers(0, written);
	CHECK_EQ(streams.begin()->second.header.lost, 0);
}

TEST("flushed after every event, a stream comes whole and in order")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	fcntl(trace.descriptor(), F_SETFL, O_NONBLOCK);
	std::map<uint64_t, ltt::Stream> streams;
	for (uint64_t i = 0; i < 3 * 4 * per_subbuf; ++i) {
		buffer.write(i);
		trace.flush();
		read_to_the_end(
			trace.descriptor(),
			[&](const ltt::Packet &p) { ltt::add_packet(streams, p); }, false);
	}
	REQUIRE_EQ(streams.size(), 1);
	streams.begin()->second.check_numbers(0, 3 * 4 * per_subbuf);
}

TEST("an event in flight at the stop of its trace can be read once it is complete")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 2);
	ltt::write_event(buffer.operator->(), 16, 8, [&](char *at) {
		trace.stop();
		CHECK_EQ(ltt::events_of(trace.read_events()).size(), 2);
		uint64_t number = 2;
		memcpy(at, &number, sizeof(number));
	});
	trace.flush();
	std::vector<ltt::Event> events = ltt::events_of(trace.read_events());
	REQUIRE_EQ(events.size(), 1);
	CHECK_EQ(events[0].as<uint64_t>(), 2);
}

TEST("memory for one packet gives one packet; one byte less is refused, and nothing is lost")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::write_numbers(ltt::Buffer::of(trace), 0, 3 * per_subbuf);
	trace.stop();
	std::vector<uint8_t> memory(full_packet);
	std::map<uint64_t, ltt::Stream> streams;
	for (int i = 0; i < 3; ++i) {
		// errno: read EINVAL
		CHECK_ERRNO(read(trace.descriptor(), memory.data(), full_packet - 1), EINVAL);
		CHECK_ERRNO(read(trace.descriptor(), memory.data(), 0), EINVAL);
		REQUIRE_EQ(read(trace.descriptor(), memory.data(), memory.size()), full_packet);
		for (const ltt::Packet &p : ltt::split_packets(memory.data(), full_packet))
			ltt::add_packet(streams, p);
	}
	REQUIRE_EQ(streams.size(), 1);
	streams.begin()->second.check_numbers(0, 3 * per_subbuf);
	CHECK(trace.read_packets().empty());
}

TEST("a fault in the reader's memory consumes no packet but the whole ones before it")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::write_numbers(ltt::Buffer::of(trace), 0, 3 * per_subbuf);
	trace.stop();
	size_t pages = 4 * 4096;
	auto *memory = static_cast<uint8_t *>(
		mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(memory != MAP_FAILED);
	REQUIRE_OK(mprotect(memory + pages - 4096, 4096, PROT_NONE));
	uint8_t *end = memory + pages - 4096;
	// Not even the header; the header alone; all but one byte.
	for (size_t room : {size_t(8), sizeof(ltt_packet), full_packet - 1})
		// errno: read EFAULT
		CHECK_ERRNO(read(trace.descriptor(), end - room, pages), EFAULT);
	std::map<uint64_t, ltt::Stream> streams;
	ssize_t n = read(trace.descriptor(), end - full_packet - 100, pages);
	REQUIRE_EQ(n, full_packet);
	for (const ltt::Packet &p : ltt::split_packets(end - full_packet - 100, full_packet))
		ltt::add_packet(streams, p);
	for (const ltt::Packet &p : trace.read_events())
		ltt::add_packet(streams, p);
	REQUIRE_EQ(streams.size(), 1);
	streams.begin()->second.check_numbers(0, 3 * per_subbuf);
}

TEST("two readers at once: each event comes to one of them")
{
	constexpr uint64_t n = 200 * per_subbuf;
	ltt::Trace trace(roomy());
	trace.start();
	std::vector<int> seen(n);
	uint64_t events[2] = {};
	std::vector<std::thread> readers;
	std::mutex mutex;
	for (uint64_t &count : events)
		readers.emplace_back([&] {
			ltt::Trace own = ltt::Trace::open("test");
			read_to_the_end(own.descriptor(), [&](const ltt::Packet &p) {
				std::lock_guard<std::mutex> lock(mutex);
				for (const ltt::Event &e : p.events()) {
					++count;
					if (CHECK_LT(e.as<uint64_t>(), n))
						++seen[e.as<uint64_t>()];
				}
			});
		});
	pid_t child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, n); });
	CHECK_EQ(wait_for(child), 0);
	trace.destroy();
	for (std::thread &reader : readers)
		reader.join();
	CHECK_EQ(events[0] + events[1], n);
	for (uint64_t i = 0; i < n; ++i)
		if (!CHECK_EQ(seen[i], 1))
			return;
}

TEST("readers are killed while they read: the next one misses one packet of each at most",
	seconds(40))
{
	constexpr uint64_t n = 200 * per_subbuf;
	constexpr int kills = 20;
	auto *counted = shared<std::atomic<uint64_t>>();
	ltt::Trace trace(roomy());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	for (uint64_t i = 0; i < kills; ++i) {
		ltt::write_numbers(buffer, i * n / kills, n / kills);
		trace.flush();
		uint64_t before = *counted;
		pid_t reader = spawn([&] {
			std::vector<uint8_t> memory(full_packet);
			for (;;) {
				ssize_t got =
					read(trace.descriptor(), memory.data(), memory.size());
				for (auto &p :
					ltt::split_packets(memory.data(), static_cast<size_t>(got)))
					*counted += p.data.size() / 16;
			}
		});
		WAIT_UNTIL(*counted > before);
		for (volatile uint64_t spin = 0; spin < i * 1000; ++spin)
			;
		kill(reader, SIGKILL);
		wait_for(reader);
	}
	trace.destroy();
	uint64_t last = 0, mine = 0, lost = 0;
	for (const ltt::Packet &p : trace.read_events())
		for (const ltt::Event &e : p.events()) {
			CHECK(!mine || e.as<uint64_t>() > last);
			last = e.as<uint64_t>();
			lost = p.header.lost;
			++mine;
		}
	CHECK_EQ(lost, 0);
	CHECK_LE(mine + *counted, n);
	CHECK_GE(mine + *counted + kills * per_subbuf, n);
}

TEST("a writer faster than its reader: emitted = recorded + lost")
{
	auto *emitted = shared<std::atomic<uint64_t>>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		double end = ktap::now() + 0.5;
		for (uint64_t i = 0; i % 1024 || ktap::now() < end; ++i, ++*emitted)
			buffer.write(i);
	});
	std::map<uint64_t, ltt::Stream> streams;
	std::thread reader([&] {
		ltt::Trace own = ltt::Trace::open("test");
		read_to_the_end(own.descriptor(), [&](const ltt::Packet &p) {
			if (p.header.type == LTT_PACKET_EVENTS)
				ltt::add_packet(streams, p);
		});
	});
	CHECK_EQ(wait_for(child), 0);
	trace.destroy();
	reader.join();
	ltt::Stream stream = ltt::stream_of(streams, child);
	CHECK(stream.last());
	CHECK_EQ(stream.events.size() + stream.header.lost, emitted->load());
	CHECK_EQ(stream.events.size(), stream.header.events);
	CHECK_GT(stream.packets, 4);
	printf("%zu recorded, %llu lost\n", stream.events.size(), stream.header.lost);
}

TEST("a full buffer costs no system call; when a reader has made room, one")
{
	auto *step = shared<std::atomic<int>>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		while (!buffer.control().full)
			buffer.write(uint64_t{1});
		ktap::forbid_calls(LTT_NR_switch, LTT_NR_switch);
		uint64_t lost = buffer.control().lost;
		ltt::write_numbers(buffer, 0, 10000);
		CHECK_EQ(buffer.control().lost, lost + 10000);
		*step = 1;
		while (*step == 1)
			;
		buffer.write(uint64_t{2}); // and here it asks the kernel
		CHECK(!"the writer asked for room");
	});
	WAIT_UNTIL(*step == 1);
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 4 * per_subbuf);
	*step = 2;
	int status = wait_for(child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

TEST("poll: nothing, then data, then data of a destroyed trace, then the end")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	pollfd set = {trace.descriptor(), POLLIN, 0};
	CHECK_EQ(poll(&set, 1, 0), 0);
	buffer.write(uint64_t{1});
	trace.destroy();
	CHECK_EQ(poll(&set, 1, 0), 1);
	CHECK_EQ(set.revents & POLLIN, POLLIN);
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 1);
	CHECK_EQ(poll(&set, 1, 0), 1);
	CHECK_EQ(set.revents, POLLHUP);
}

TEST("who sees the end of a trace has seen all of it, even while it is being destroyed",
	seconds(40))
{
	constexpr uint64_t n = 8, written = 10 * per_subbuf + 1, rounds = 20;
	for (uint64_t round = 0; round < rounds; ++round) {
		ltt_trace_params params = ltt::params();
		params.n_subbufs = 16;
		ltt::Trace trace(params);
		trace.start();
		pthread_barrier_t start, end;
		REQUIRE_EQ(pthread_barrier_init(&start, nullptr, n + 2), 0);
		REQUIRE_EQ(pthread_barrier_init(&end, nullptr, n / 2 + 1), 0);
		std::vector<std::thread> writers;
		for (uint64_t t = 0; t < n; ++t)
			writers.emplace_back([&, t] {
				ltt::write_numbers(ltt::Buffer::of(trace), 0, written);
				// Half of them die at the moment of the destruction.
				pthread_barrier_wait(&start);
				if (t % 2)
					pthread_barrier_wait(&end);
			});
		size_t events = 0;
		std::thread reader([&] {
			ltt::Trace own = ltt::Trace::open("test");
			fcntl(own.descriptor(), F_SETFL, O_NONBLOCK);
			pthread_barrier_wait(&start);
			read_to_the_end(own.descriptor(),
				[&](const ltt::Packet &p) { events += p.data.size() / 16; });
		});
		pthread_barrier_wait(&start);
		trace.destroy();
		reader.join();
		pthread_barrier_wait(&end);
		for (std::thread &writer : writers)
			writer.join();
		if (!CHECK_EQ(events, n * written))
			return;
	}
}

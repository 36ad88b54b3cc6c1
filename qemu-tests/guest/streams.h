/* SPDX-License-Identifier: MIT */
/*
 * What one thread left in a trace: its packets put together and checked, for
 * tests of lives and deaths. And the children and threads that leave it.
 */
#ifndef GUEST_STREAMS_H
#define GUEST_STREAMS_H

#include "ltt.h"

#include <map>

#include <sys/syscall.h>
#include <sys/wait.h>

namespace ltt
{

struct Stream {
	ltt_packet header = {}; /* the newest; flags of all packets */
	std::vector<Event> events;
	size_t packets = 0;

	bool last() const { return header.flags & LTT_PACKET_LAST; }
	bool torn() const { return header.flags & LTT_PACKET_TORN; }

	/* Payloads are numbers that count from first: nothing twice, nothing missing. */
	void check_numbers(uint64_t first, size_t n) const
	{
		if (!CHECK_EQ(events.size(), n))
			ktap::fail(__FILE__, __LINE__, "stream %llu of tid %u", header.stream,
				header.tid);
		for (size_t i = 0; i < events.size() && i < n; ++i)
			if (!CHECK_EQ(events[i].as<uint64_t>(), first + i))
				return;
	}

	/* A thread that is gone, all of whose events are here. */
	void check_ended(uint64_t first, size_t n) const
	{
		check_numbers(first, n);
		CHECK(last());
		CHECK(!torn());
		CHECK_EQ(header.events, n);
		CHECK_EQ(header.lost, 0);
		CHECK_EQ(header.too_big, 0);
	}
};

/* Adds a packet to its stream; it must be the next one, of the same thread. */
inline void add_packet(std::map<uint64_t, Stream> &streams, const Packet &p)
{
	Stream &s = streams[p.header.stream];
	CHECK(!p.corrupt());
	if (s.packets)
		check_follows(s.header, p.header);
	else
		CHECK_EQ(p.header.sequence, 0);
	__u32 flags = s.header.flags | p.header.flags;
	s.header = p.header;
	s.header.flags = flags;
	s.packets++;
	for (Event &e : p.events())
		s.events.push_back(std::move(e));
}

inline std::map<uint64_t, Stream> streams_of(const std::vector<Packet> &packets)
{
	std::map<uint64_t, Stream> streams;
	for (const Packet &p : packets)
		if (p.header.type == LTT_PACKET_EVENTS)
			add_packet(streams, p);
	return streams;
}

/* Everything that can be read now; the n streams that are expected. */
inline std::map<uint64_t, Stream> read_streams(Trace &trace, size_t n)
{
	std::map<uint64_t, Stream> streams = streams_of(trace.read_packets());
	CHECK_EQ(streams.size(), n);
	return streams;
}

/* The only stream of this thread. */
inline Stream stream_of(const std::map<uint64_t, Stream> &streams, pid_t tid)
{
	const Stream *found = nullptr;
	for (auto &[number, stream] : streams)
		if (stream.header.tid == static_cast<__u32>(tid)) {
			if (found)
				ktap::fail(__FILE__, __LINE__, "tid %d has two streams", tid);
			found = &stream;
		}
	if (!found) {
		ktap::fail(__FILE__, __LINE__, "tid %d has no stream", tid);
		return {};
	}
	return *found;
}

/* Events numbered from first, each 16 bytes long. */
inline void write_numbers(const Buffer &buffer, uint64_t first, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		buffer.write(first + i);
}

/* The notification signal, taken and ignored: whoever registers gets it. */
inline void handle_signal(void (*handler)(int) = [](int) {})
{
	struct sigaction action = {};
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	REQUIRE_EQ(sigaction(LTT_SIGNAL_DEFAULT, &action, nullptr), 0);
}

} // namespace ltt

namespace ktap
{

inline pid_t gettid()
{
	return static_cast<pid_t>(syscall(SYS_gettid));
}

/* A child that runs f and ends with 0; its failed checks count. */
template <class F>
pid_t spawn(F f)
{
	fflush(nullptr);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child)
		return child;
	f();
	end_test(0);
}

/* Its status as waitpid() gives it. */
inline int wait_for(pid_t child)
{
	int status = -1;
	WAIT_UNTIL(waitpid(child, &status, WNOHANG) == child);
	return status;
}

/* A page that children share with the test. */
template <class T>
T *shared()
{
	void *p =
		mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	return static_cast<T *>(p);
}

} // namespace ktap

#endif /* GUEST_STREAMS_H */

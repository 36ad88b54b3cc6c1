/* SPDX-License-Identifier: MIT */
/*
 * Real markers that count: mark() writes the next number of this process. And
 * what a reader finds of them, thread by thread.
 */
#ifndef GUEST_MARKS_H
#define GUEST_MARKS_H

#include "streams.h"

#include <ust/ust.h>

#include <map>

UST_EVENT(marks, number, UST_BIT(0), (std::uint64_t, value))

namespace marks
{

constexpr size_t event_size = 16;

inline uint64_t last; /* that this process wrote; children begin anew */

inline void mark()
{
	UST(marks, number, ++last);
}

inline void mark(uint64_t n)
{
	for (uint64_t i = 0; i < n; ++i)
		mark();
}

/* A number, and when it was written. */
struct Mark {
	uint64_t time, value;
};

/* What one process left in a stream. */
struct Stream {
	ltt_packet header = {}; /* the newest; flags of all packets */
	std::vector<Mark> marks;

	/* From first on, n of them, and nothing else. */
	void check(uint64_t first, uint64_t n) const
	{
		CHECK_EQ(marks.size(), n);
		for (const Mark &m : marks)
			if (!CHECK_EQ(m.value, first++))
				break;
	}
};

/* By stream, whose order is that in which their buffers were made. */
inline std::map<uint64_t, Stream> read(ltt::Trace &trace)
{
	std::map<uint64_t, Stream> streams;
	for (const ltt::Packet &p : trace.read_events()) {
		Stream &s = streams[p.header.stream];
		CHECK(!p.corrupt());
		CHECK(!p.torn());
		const __u32 flags = s.header.flags | p.header.flags;
		s.header = p.header;
		s.header.flags = flags;
		uint64_t time = p.header.begin;
		CHECK_EQ(p.data.size() % event_size, 0);
		for (size_t at = 0; at + event_size <= p.data.size(); at += event_size) {
			uint64_t words[2];
			memcpy(words, &p.data[at], sizeof(words));
			CHECK_GE(words[0] >> 16, time);
			time = words[0] >> 16;
			s.marks.push_back({time, words[1]});
		}
	}
	return streams;
}

/* The only stream of this thread. */
inline Stream of(const std::map<uint64_t, Stream> &streams, pid_t tid)
{
	Stream found;
	size_t n = 0;
	for (const auto &[number, stream] : streams)
		if (stream.header.tid == static_cast<__u32>(tid)) {
			found = stream;
			++n;
		}
	CHECK_EQ(n, 1);
	return found;
}

} // namespace marks

#endif /* GUEST_MARKS_H */

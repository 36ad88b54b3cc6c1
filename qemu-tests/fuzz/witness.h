/* SPDX-License-Identifier: MIT */
/*
 * The witness: a program that behaves, and notes in shared memory what it
 * wrote. And the judge, who holds every packet of the trace against that.
 */
#ifndef FUZZ_WITNESS_H
#define FUZZ_WITNESS_H

#include "../guest/ltt.h"
#include "random.h"

#include <atomic>
#include <map>

namespace fuzz
{

/* What one thread of the witness wrote: numbers from 0, in events of 16 bytes and more. */
struct Promise {
	std::atomic<uint32_t> tid;
	std::atomic<uint64_t> begun; /* events whose write began */
	std::atomic<uint64_t> ended; /* events whose write returned */
	std::atomic<bool> finished;  /* it ended by itself */
};

struct Testimony {
	static constexpr size_t max_promises = 8192;

	std::atomic<bool> stop;
	std::atomic<size_t> n;
	Promise promises[max_promises];
};

/* Two threads that write until they are told to stop, and one that forks children. */
[[noreturn]] void be_the_witness(Random random, const ltt::Trace &trace, Testimony &testimony);

class Judge
{
public:
	Judge(const Testimony &testimony, const ltt_trace_info &info)
		: testimony(testimony), info(info)
	{
	}

	/* One packet, in the order of reading. */
	void take(const ltt::Packet &packet);

	/* When everybody is dead and everything read. */
	void check_witness() const;

	uint64_t packets() const { return n_packets; }
	uint64_t corrupt() const { return n_corrupt; }
	uint64_t witnessed() const;

private:
	struct Stream {
		ltt_packet last = {}; /* the newest header */
		uint64_t packets = 0;
		uint64_t recorded = 0;
		uint64_t next = 0; /* least number that the next event may have */
		bool witness = false;
		bool in_order = true;
		__u32 flags = 0;
	};

	void check_header(const ltt_packet &h, const Stream &s) const;
	void check_events(const ltt::Packet &packet, Stream &s) const;
	const Promise *promise_of(__u32 tid) const;

	const Testimony &testimony;
	ltt_trace_info info;
	std::map<uint64_t, Stream> streams;
	uint64_t n_packets = 0, n_corrupt = 0;
};

} // namespace fuzz

#endif /* FUZZ_WITNESS_H */

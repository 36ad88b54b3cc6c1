// SPDX-License-Identifier: MIT
// One packet of a CTF stream, in the compact form that metadata.cpp describes. First come the
// events, checked and encoded in one pass; then the header in front of them and the trailer
// behind, when all that they tell is known.
#ifndef LTT_CTL_CTF_ENCODE_H
#define LTT_CTL_CTF_ENCODE_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../clock.h"
#include "../packet.h"
#include "event_context.h"
#include "metadata.h"

namespace ltt::ctf
{

struct PacketInfo {
	Uuid uuid{};
	uint64_t instance = 0; // number of the stream file
	uint64_t begin = 0;    // ns
	uint64_t end = 0;      // ns
	uint64_t sequence = 0;
	uint64_t discarded = 0; // events lost in the file so far
	uint64_t events = 0;	// in the file up to the end of this packet
	Domain domain = Domain::user;
	ltt_packet origin{}; // whose events these are
};

// What was put of a packet.
struct Events {
	uint64_t count = 0;
	uint64_t first = 0; // time of the first one, ns
	uint64_t last = 0;  // and of the last one
	uint64_t last_ticks = 0;
	size_t size = 0; // bytes on disk
};

class PacketWriter
{
public:
	PacketWriter();

	void clear();
	// Checks @packet, whose events have these @contexts (see check_packet()), and puts the
	// events; their tags in @table are their numbers in the metadata. @context is what they
	// have there, null for none. Throws BadData, and then none of them is there.
	Events put_events(const Packet &packet, const EventTable &table, uint32_t contexts,
		uint64_t not_before, const Clock &clock, const EventContext *context);
	// Header and trailer of what was put since clear(), or else of a packet without events, in
	// front of all that is there. For two packets at most.
	void put_header(const PacketInfo &info);

	const uint8_t *data() const { return begin_; }
	size_t size() const { return static_cast<size_t>(end_ - begin_); }

private:
	uint8_t *grow(uint8_t *at, size_t need);

	std::unique_ptr<uint8_t[]> memory_;
	uint8_t *begin_;
	uint8_t *end_;
	uint8_t *limit_;	// of the memory
	size_t without_header_; // bytes of events
};

} // namespace ltt::ctf

#endif

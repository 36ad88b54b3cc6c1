// SPDX-License-Identifier: MIT
// One packet of a CTF stream, in the compact form that metadata.cpp describes.
#ifndef LTT_CTL_CTF_ENCODE_H
#define LTT_CTL_CTF_ENCODE_H

#include <cstdint>
#include <vector>

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
	uint64_t discarded = 0;		       // events lost in the file so far
	ltt_packet thread{};		       // whose events these are
	const EventContext *context = nullptr; // null: they have none
	const EventTable *table = nullptr;     // needed with one
};

// Encodes @events, whose entry->tag is the number of the event in the metadata, at the end of
// @out.
void encode_packet(const PacketInfo &info, const Clock &clock, const std::vector<EventRef> &events,
	std::vector<uint8_t> &out);

} // namespace ltt::ctf

#endif

// SPDX-License-Identifier: MIT
// Packets as the kernel delivers them, and the checks that each must pass before it may
// become part of a trace.
#ifndef LTT_CTL_PACKET_H
#define LTT_CTL_PACKET_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <ust/detail/abi.h>

#include "definitions.h"
#include "layout.h"

namespace ltt
{

// What the ids in the events of one process mean.
class EventTable
{
public:
	struct Entry {
		Definition definition;
		Layout layout;
		uint32_t tag = 0;	// free for the owner of the table
		bool ambiguous = false; // two definitions claim this id: neither is believed
	};

	// Adds the definitions of one more registration: its events, and its contexts.
	void add(const Definitions &definitions);
	const Entry *find(uint16_t id) const
	{
		return id < by_id_.size() && by_id_[id] >= 0
			       ? &entries_[static_cast<size_t>(by_id_[id])]
			       : nullptr;
	}
	std::vector<Entry> &entries() { return entries_; }
	const std::vector<Entry> &entries() const { return entries_; }

private:
	void add(const std::vector<Definition> &definitions);

	std::vector<Entry> entries_;
	std::vector<int32_t> by_id_;
};

// One event of a packet that passed.
struct EventRef {
	uint64_t ticks; // whole, no longer 48 bits
	const EventTable::Entry *entry;
	const uint8_t *payload;
	uint32_t size;		// of the payload
	uint32_t contexts_size; // bytes of contexts before it
};

struct Packet {
	ltt_packet header;
	const uint8_t *raw; // with the header
	size_t raw_size;
	const uint8_t *body;
	size_t body_size;
};

// The packet at the front of what read() returned. Throws BadData if there is none.
Packet first_packet(const uint8_t *data, size_t size);

// The full time of a 48-bit timestamp that is not earlier than @reference.
inline uint64_t extend_timestamp(uint64_t reference, uint64_t low48)
{
	constexpr uint64_t mask = (uint64_t{1} << 48) - 1;
	return reference + ((low48 - reference) & mask);
}

// Bytes of those that all events of a trace with these contexts have: without the program's
// own.
inline size_t event_contexts_size(uint32_t contexts)
{
	const uint32_t words = contexts & LTT_CONTEXTS_IN_EVENT & ~LTT_CONTEXT_APP;
	return sizeof(uint64_t) * static_cast<size_t>(__builtin_popcount(words)) -
	       (contexts & LTT_CONTEXT_CPU ? sizeof(uint32_t) : 0);
}

// The id in front of the value of one of the program's own.
inline uint16_t own_context_id(const uint8_t *at)
{
	uint16_t id;
	std::memcpy(&id, at, sizeof(id));
	return id;
}

// Walks every event of @packet, which has these @contexts: its id is known, it fits, time
// does not go back, and lies between begin and end of the packet and not before @not_before
// (the last event of the stream). Fills @events, or throws BadData with the reason.
void check_packet(const Packet &packet, const EventTable &table, uint32_t contexts,
	uint64_t not_before, std::vector<EventRef> &events);

} // namespace ltt

#endif

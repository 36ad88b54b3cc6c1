// SPDX-License-Identifier: MIT
// Packets as the kernel delivers them, and the checks that each must pass before it may
// become part of a trace.
#ifndef LTT_CTL_PACKET_H
#define LTT_CTL_PACKET_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <ust/detail/abi.h>

#include "definitions.h"
#include "error.h"
#include "layout.h"

namespace ltt
{

// What the ids in the events of one process mean.
class EventTable
{
public:
	struct Entry {
		Definition definition;
		std::shared_ptr<const Layout> layout; // of copies of the table, too
		bool ambiguous = false; // two definitions claim this id: neither is believed
	};
	// What the walk from event to event needs of an id, close together.
	struct Slot {
		uint32_t fixed = Layout::varies;     // bytes of the payload
		uint32_t tag = 0;		     // free for the owner of the table
		const Layout::Step *steps = nullptr; // if it is known which event that is
	};

	// Adds the definitions of one more registration: its events, and its contexts.
	void add(const Definitions &definitions);
	// Asks for the tag of each by its definition.
	template <class Tag>
	void set_tags(Tag tag)
	{
		for (const Entry &entry : entries_)
			slots_[entry.definition.id].tag = tag(entry.definition);
	}

	const std::vector<Entry> &entries() const { return entries_; }
	const Entry *find(uint16_t id) const
	{
		return id < by_id_.size() && by_id_[id] >= 0
			       ? &entries_[static_cast<size_t>(by_id_[id])]
			       : nullptr;
	}
	const Slot &slot(uint16_t id) const
	{
		static const Slot unknown;
		return id < slots_.size() ? slots_[id] : unknown;
	}

	uint32_t tag(uint16_t id) const { return slot(id).tag; }

private:
	void add(const std::vector<Definition> &definitions);

	std::vector<Entry> entries_;
	std::vector<int32_t> by_id_;
	std::vector<Slot> slots_; // by id
};

// One event of a packet that passed.
struct EventRef {
	uint64_t ticks; // whole, no longer 48 bits
	uint32_t tag;
	uint32_t size; // of the payload
	const uint8_t *payload;
	size_t contexts_size; // bytes of contexts before it
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

namespace detail
{

[[noreturn]] void bad_event(const Packet &packet, const uint8_t *at, const std::string &why);
// What the event at @at has of contexts.
size_t measure_contexts(
	const Packet &packet, const uint8_t *at, uint32_t contexts, const EventTable &table);

// Of an event that does not fit, or whose id means nothing.
[[noreturn]] void bad_event(const Packet &packet, const uint8_t *at, const EventTable &table);

} // namespace detail

// Walks every event of @packet, which has these @contexts: its id is known, it fits, time
// does not go back, and lies between begin and end of the packet and not before @not_before
// (the last event of the stream). Calls @take with each EventRef, and returns the time of the last
// one, or what it may not be before. Throws BadData with the reason; what @take got till then is
// not to be believed.
template <class Take>
uint64_t check_packet(const Packet &packet, const EventTable &table, uint32_t contexts,
	uint64_t not_before, Take &&take)
{
	const ltt_packet &h = packet.header;
	const uint8_t *at = packet.body;
	const uint8_t *const end = at + packet.body_size;
	const uint64_t latest = h.end;
	const bool in_event = contexts & LTT_CONTEXTS_IN_EVENT;

	if (h.end < h.begin)
		throw BadData("packet ends before it begins");
	// A flush in mid-packet gives two packets of one sub-buffer, both with its begin.
	uint64_t now = std::max<uint64_t>(h.begin, not_before);

	while (at < end) {
		uint64_t head;
		size_t room = static_cast<size_t>(end - at);
		if (room < sizeof(head))
			detail::bad_event(packet, at, "cut off in its header");
		std::memcpy(&head, at, sizeof(head));
		const auto id = static_cast<uint16_t>(head);
		if (id == 0) {
			const uint64_t padding = head >> 16;
			if (padding < sizeof(head))
				detail::bad_event(packet, at,
					"padding of " + std::to_string(padding) + " bytes");
			at += std::min<uint64_t>(padding, room);
			continue;
		}

		const EventTable::Slot &slot = table.slot(id);
		const uint8_t *payload = at + sizeof(head);
		size_t contexts_size = 0;
		Layout::Size size{slot.fixed, slot.fixed};
		room -= sizeof(head);
		if (in_event) {
			contexts_size = detail::measure_contexts(packet, at, contexts, table);
			payload += contexts_size;
			room -= contexts_size;
		}
		if (slot.fixed > room) {
			if (slot.steps)
				size = Layout::measure(slot.steps, payload, room);
			if (size.all > room)
				detail::bad_event(packet, at, table);
		}
		// Were it earlier than the one before, it would seem a whole turn of the 48 bits
		// later, and so after the end.
		const uint64_t ticks = extend_timestamp(now, head >> 16);
		if (ticks > latest || ticks < now)
			detail::bad_event(
				packet, at, "its time goes back or lies outside the packet");

		now = ticks;
		at = payload + size.all;
		take(EventRef{ticks, slot.tag, static_cast<uint32_t>(size.content), payload,
			contexts_size});
	}
	return now;
}

} // namespace ltt

#endif

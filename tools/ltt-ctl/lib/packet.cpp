// SPDX-License-Identifier: MIT
#include "packet.h"

#include <algorithm>
#include <cstring>

#include "error.h"

namespace ltt
{

void EventTable::add(const Definitions &definitions)
{
	add(definitions.events);
	add(definitions.contexts);
}

void EventTable::add(const std::vector<Definition> &definitions)
{
	for (const Definition &d : definitions) {
		if (d.id == 0)
			continue; // beyond what a program can number: never written
		if (d.id >= by_id_.size())
			by_id_.resize(d.id + 1U, -1);
		int32_t &slot = by_id_[d.id];
		if (slot < 0) {
			slot = static_cast<int32_t>(entries_.size());
			entries_.push_back(Entry{d, Layout(d.fields)});
		} else {
			Entry &old = entries_[static_cast<size_t>(slot)];
			if (old.definition.identity() != d.identity())
				old.ambiguous = true;
		}
	}
}

Packet first_packet(const uint8_t *data, size_t size)
{
	// Definitions use the header up to header_size and process only, but the kernel
	// always delivers a whole one.
	if (size < sizeof(ltt_packet))
		throw BadData("packet is cut off in its header");

	Packet p;
	std::memcpy(&p.header, data, sizeof(p.header));
	if (p.header.magic != LTT_PACKET_MAGIC)
		throw BadData("no packet here: wrong magic number");
	if (p.header.header_size < sizeof(ltt_packet) || p.header.header_size > size)
		throw BadData("packet header of " + std::to_string(p.header.header_size) +
			      " bytes does not fit");
	if (p.header.size > size - p.header.header_size)
		throw BadData("packet is cut off: " + std::to_string(p.header.size) +
			      " bytes announced, " + std::to_string(size - p.header.header_size) +
			      " there");
	p.raw = data;
	p.raw_size = size_t{p.header.header_size} + p.header.size;
	p.body = data + p.header.header_size;
	p.body_size = p.header.size;
	return p;
}

namespace
{

[[noreturn]] void bad(size_t offset, const std::string &why)
{
	throw BadData("event at byte " + std::to_string(offset) + ": " + why);
}

// What the event at @offset has of contexts, in the @room behind its header.
size_t measure_contexts(
	const uint8_t *data, size_t room, uint32_t contexts, const EventTable &table, size_t offset)
{
	size_t size = event_contexts_size(contexts);

	if (!(contexts & LTT_CONTEXT_APP)) {
		if (size > room)
			bad(offset, "cut off in its contexts");
		return size;
	}
	if (size + 1 > room)
		bad(offset, "cut off in its contexts");
	for (uint8_t n = data[size++]; n; --n) {
		if (room - size < sizeof(uint16_t))
			bad(offset, "cut off in its contexts");
		const uint16_t id = own_context_id(data + size);
		const EventTable::Entry *entry = table.find(id);
		if (!entry || !entry->definition.is_context || entry->ambiguous)
			bad(offset, "id " + std::to_string(id) + " is no context");
		size += sizeof(id);
		Layout::Size value;
		if (!entry->layout.measure(data + size, room - size, value))
			bad(offset, "cut off in its contexts");
		size += value.all;
	}
	return size;
}

} // namespace

void check_packet(const Packet &packet, const EventTable &table, uint32_t contexts,
	uint64_t not_before, std::vector<EventRef> &events)
{
	const ltt_packet &h = packet.header;
	const uint8_t *body = packet.body;
	size_t at = 0;

	events.clear();
	if (h.end < h.begin)
		throw BadData("packet ends before it begins");
	// A flush in mid-packet gives two packets of one sub-buffer, both with its begin.
	uint64_t now = std::max<uint64_t>(h.begin, not_before);

	while (at < packet.body_size) {
		size_t room = packet.body_size - at;
		uint64_t head;
		if (room < sizeof(head))
			bad(at, "cut off in its header");
		std::memcpy(&head, body + at, sizeof(head));
		if (static_cast<uint16_t>(head) == 0) {
			uint64_t padding = head >> 16;
			if (padding < sizeof(head))
				bad(at, "padding of " + std::to_string(padding) + " bytes");
			at += std::min<uint64_t>(padding, room);
			continue;
		}

		const EventTable::Entry *entry = table.find(static_cast<uint16_t>(head));
		if (!entry || entry->definition.is_context)
			bad(at, "id " + std::to_string(head & 0xffff) + " is not defined");
		if (entry->ambiguous)
			bad(at, "id " + std::to_string(head & 0xffff) + " has two definitions");
		// Were it earlier than the one before, it would seem a whole turn of the 48 bits
		// later, and so after the end.
		uint64_t ticks = extend_timestamp(now, head >> 16);
		if (ticks > h.end || ticks < now)
			bad(at, "its time goes back or lies outside the packet");
		const size_t offset = at;
		at += sizeof(head);
		size_t before = 0;
		if (contexts & LTT_CONTEXTS_IN_EVENT)
			before = measure_contexts(
				body + at, packet.body_size - at, contexts, table, offset);
		at += before;
		Layout::Size size;
		if (!entry->layout.measure(body + at, packet.body_size - at, size))
			bad(offset,
				entry->definition.full_name() + " does not end within the packet");

		events.push_back({ticks, entry, body + at, static_cast<uint32_t>(size.content),
			static_cast<uint32_t>(before)});
		now = ticks;
		at += size.all;
	}
}

} // namespace ltt

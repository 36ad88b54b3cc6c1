// SPDX-License-Identifier: MIT
#include "packet.h"

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
		if (d.id >= slots_.size()) {
			by_id_.resize(d.id + 1U, -1);
			slots_.resize(d.id + 1U);
		}
		Slot &slot = slots_[d.id];
		int32_t &number = by_id_[d.id];
		if (number < 0) {
			auto layout = std::make_shared<const Layout>(d.fields);
			if (!d.is_context) {
				slot.fixed = layout->fixed();
				slot.steps = layout->steps();
			}
			number = static_cast<int32_t>(entries_.size());
			entries_.push_back(Entry{d, std::move(layout)});
		} else {
			Entry &old = entries_[static_cast<size_t>(number)];
			if (old.definition.identity() != d.identity()) {
				old.ambiguous = true;
				slot = Slot();
			}
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

void detail::bad_event(const Packet &packet, const uint8_t *at, const std::string &why)
{
	throw BadData("event at byte " + std::to_string(at - packet.body) + ": " + why);
}

void detail::bad_event(const Packet &packet, const uint8_t *at, const EventTable &table)
{
	uint16_t id;
	std::memcpy(&id, at, sizeof(id));
	const EventTable::Entry *entry = table.find(id);

	if (!entry || entry->definition.is_context)
		bad_event(packet, at, "id " + std::to_string(id) + " is not defined");
	if (entry->ambiguous)
		bad_event(packet, at, "id " + std::to_string(id) + " has two definitions");
	bad_event(packet, at, entry->definition.full_name() + " does not end within the packet");
}

size_t detail::measure_contexts(
	const Packet &packet, const uint8_t *at, uint32_t contexts, const EventTable &table)
{
	const uint8_t *const data = at + sizeof(uint64_t); // behind the header
	const size_t room = packet.body_size - static_cast<size_t>(data - packet.body);
	const char *const cut_off = "cut off in its contexts";
	size_t size = event_contexts_size(contexts);

	if (!(contexts & LTT_CONTEXT_APP)) {
		if (size > room)
			bad_event(packet, at, cut_off);
		return size;
	}
	if (size + 1 > room)
		bad_event(packet, at, cut_off);
	for (uint8_t n = data[size++]; n; --n) {
		if (room - size < sizeof(uint16_t))
			bad_event(packet, at, cut_off);
		const uint16_t id = own_context_id(data + size);
		const EventTable::Entry *entry = table.find(id);
		if (!entry || !entry->definition.is_context || entry->ambiguous)
			bad_event(packet, at, "id " + std::to_string(id) + " is no context");
		size += sizeof(id);
		const Layout::Size value =
			Layout::measure(entry->layout->steps(), data + size, room - size);
		if (value.all > room - size)
			bad_event(packet, at, cut_off);
		size += value.all;
	}
	return size;
}

} // namespace ltt

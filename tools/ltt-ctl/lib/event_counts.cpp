// SPDX-License-Identifier: MIT
#include "event_counts.h"

#include "error.h"
#include "packet.h"
#include "read_all.h"

namespace ltt
{

namespace
{

class Counter
{
public:
	Counter(uint32_t contexts, const std::function<bool(const ltt_packet &)> &meant)
		: contexts_(contexts), meant_(meant)
	{
	}

	void take(const uint8_t *data, size_t size)
	{
		while (size) {
			const Packet packet = first_packet(data, size);
			data += packet.raw_size;
			size -= packet.raw_size;
			try {
				take(packet);
			} catch (const BadData &) {
				++counts_.bad_packets;
			}
		}
	}
	EventCounts finish()
	{
		for (const auto &[stream, lost] : lost_)
			counts_.lost += lost;
		return std::move(counts_);
	}

private:
	void take(const Packet &packet)
	{
		const ltt_packet &h = packet.header;
		EventTable &table = tables_[h.process];
		if (h.type == LTT_PACKET_DEFINITIONS) {
			table.add(parse_definitions(packet.body, packet.body_size));
			table.set_tags([this](const Definition &d) { return number_of(d); });
		}
		if (h.type != LTT_PACKET_EVENTS || !meant_(h))
			return;
		lost_[h.stream] = h.lost + h.too_big + h.overwritten;
		found_.clear();
		check_packet(packet, table, contexts_, 0,
			[this](const EventRef &e) { found_.push_back(e.tag); });
		for (uint32_t number : found_)
			++counts_.events[names_[number]];
	}

	uint32_t number_of(const Definition &d)
	{
		const auto known =
			numbers_.emplace(d.full_name(), static_cast<uint32_t>(names_.size()));
		if (known.second)
			names_.push_back(d.full_name());
		return known.first->second;
	}

	const uint32_t contexts_;
	const std::function<bool(const ltt_packet &)> &meant_;
	std::map<uint64_t, EventTable> tables_; // by process
	std::map<uint64_t, uint64_t> lost_;	// by stream
	std::vector<std::string> names_;	// of events, by their numbers here
	std::map<std::string, uint32_t> numbers_;
	std::vector<uint32_t> found_; // in the packet at hand
	EventCounts counts_;
};

} // namespace

uint64_t EventCounts::of(const std::string &name) const
{
	const auto found = events.find(name);
	return found == events.end() ? 0 : found->second;
}

EventCounts count_events(
	KernelTrace &snapshot, const std::function<bool(const ltt_packet &)> &meant)
{
	Counter counter(snapshot.info().contexts, meant);
	Batch batch;

	read_all(snapshot, batch,
		[&](const uint8_t *data, size_t size) { counter.take(data, size); });
	return counter.finish();
}

} // namespace ltt

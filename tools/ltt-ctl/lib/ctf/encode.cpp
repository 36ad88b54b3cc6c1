// SPDX-License-Identifier: MIT
#include "encode.h"

#include <cstring>

#include "../checksum.h"
#include "packet_header.h"

namespace ltt::ctf
{

namespace
{

// There must be room.
template <class T>
uint8_t *put(uint8_t *at, const T &value)
{
	std::memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

// In front of the events: those of the packet, and the empty packet before it.
constexpr size_t most_headers = 2 * (sizeof(PacketHeader) + sizeof(PacketTrailer));
constexpr size_t most_event_header = 1 + 4 + 8;
constexpr uint64_t compact_window = uint64_t{1} << compact_time_bits;

uint8_t *put_event_header(uint8_t *at, uint32_t id, uint64_t now, uint64_t before)
{
	if (id <= max_compact_id && now - before < compact_window)
		return put(at, static_cast<uint32_t>(id | (now & (compact_window - 1)) << 5));
	at = put(at, static_cast<uint8_t>(max_compact_id + 1));
	at = put(at, id);
	return put(at, now);
}

// Most payloads are no larger than this, and copying a number of bytes that the compiler knows
// takes a few instructions.
constexpr size_t block = 32;
static_assert(block >= sizeof(PacketTrailer), "behind the last event there is room for a trailer");

// Of the bytes at @from @readable can be read; there is room for a block at least.
void copy(uint8_t *to, const uint8_t *from, size_t size, size_t readable)
{
	if (readable < block) {
		std::memcpy(to, from, size);
		return;
	}
	std::memcpy(to, from, block);
	if (size > block)
		std::memcpy(to + block, from + block, size - block);
}

} // namespace

PacketWriter::PacketWriter()
{
	constexpr size_t size = 128 * 1024;
	memory_.reset(new uint8_t[size]);
	limit_ = memory_.get() + size;
	clear();
}

void PacketWriter::clear()
{
	begin_ = end_ = memory_.get() + most_headers;
	without_header_ = 0;
}

// More memory, with room for at least @need bytes at what is returned, which is where @at was.
uint8_t *PacketWriter::grow(uint8_t *at, size_t need)
{
	const size_t used = static_cast<size_t>(at - memory_.get());
	const size_t size = 2 * static_cast<size_t>(limit_ - memory_.get()) + need;
	std::unique_ptr<uint8_t[]> larger(new uint8_t[size]);

	std::memcpy(larger.get(), memory_.get(), used);
	begin_ = larger.get() + (begin_ - memory_.get());
	end_ = larger.get() + (end_ - memory_.get());
	limit_ = larger.get() + size;
	memory_ = std::move(larger);
	return memory_.get() + used;
}

Events PacketWriter::put_events(const Packet &packet, const EventTable &table, uint32_t contexts,
	uint64_t not_before, const Clock &clock, const EventContext *context)
{
	const ThreadContext thread = thread_context(packet.header);
	const size_t context_size = context ? context->size() : 0;
	const uint8_t *const source_end = packet.body + packet.body_size;
	uint8_t *at = end_;
	const uint8_t *limit = limit_;
	uint64_t first = 0, before = 0, count = 0;
	Events events;

	events.last_ticks =
		check_packet(packet, table, contexts, not_before, [&](const EventRef &event) {
			const size_t most = most_event_header + context_size + event.size + block;
			if (most > static_cast<size_t>(limit - at)) {
				at = grow(at, most);
				limit = limit_;
			}
			const uint64_t now = clock.to_ns(event.ticks);
			if (count++ == 0)
				first = before = now;
			at = put_event_header(at, event.tag, now, before);
			before = now;
			if (context_size) {
				context->put(at, thread, event, table);
				at += context_size;
			}
			copy(at, event.payload, event.size,
				static_cast<size_t>(source_end - event.payload));
			at += event.size;
		});
	events.count = count;
	events.first = first;
	events.last = before;
	events.size = static_cast<size_t>(at - end_);
	without_header_ += events.size;
	end_ = at;
	return events;
}

void PacketWriter::put_header(const PacketInfo &info)
{
	const size_t in_front = header_size(info.domain);
	const size_t content = in_front + without_header_;
	PacketHeader header{};
	PacketTrailer trailer{};

	if (without_header_)
		end_ += sizeof(trailer);
	else
		begin_ -= sizeof(trailer); // others may lie behind it
	begin_ -= in_front;

	header.magic = packet_magic;
	header.uuid = info.uuid;
	header.stream_id = 0; // there is no other
	header.instance = info.instance;
	header.begin = info.begin;
	header.end = info.end;
	header.content_size = content * 8;
	header.packet_size = (content + sizeof(trailer)) * 8;
	header.sequence = info.sequence;
	header.discarded = info.discarded;
	if (info.domain == Domain::kernel)
		header.cpu = info.origin.cpu;
	else
		header.thread = thread_context(info.origin);
	std::memcpy(begin_, &header, in_front);

	const size_t checked = content + offsetof(PacketTrailer, checksum);
	trailer.events = info.events;
	std::memcpy(begin_ + content, &trailer, sizeof(trailer));
	trailer.checksum = checksum(begin_, checked);
	std::memcpy(begin_ + checked, &trailer.checksum, sizeof(trailer.checksum));
	without_header_ = 0;
}

} // namespace ltt::ctf

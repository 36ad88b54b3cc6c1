// SPDX-License-Identifier: MIT
#include "encode.h"

#include <cstring>

namespace ltt::ctf
{

namespace
{

// Bytes at the end of a vector; all integers little-endian, as the metadata says and as the
// machines are that have the kernel side.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the metadata says little-endian");

// The caller made room for all of it.
class Writer
{
public:
	explicit Writer(uint8_t *at) : at_(at) {}

	template <class T>
	void put(const T &value)
	{
		bytes(&value, sizeof(value));
	}
	void bytes(const void *data, size_t size)
	{
		std::memcpy(at_, data, size);
		at_ += size;
	}
	uint8_t *at() const { return at_; }
	// Leaves so many bytes to somebody else.
	uint8_t *skip(size_t size)
	{
		at_ += size;
		return at_ - size;
	}

private:
	uint8_t *at_;
};

constexpr uint64_t compact_window = uint64_t{1} << compact_time_bits;

void put_event_header(Writer &w, uint32_t id, uint64_t now, uint64_t before)
{
	if (id <= max_compact_id && now - before < compact_window) {
		w.put(static_cast<uint32_t>(id | (now & (compact_window - 1)) << 5));
	} else {
		w.put(static_cast<uint8_t>(max_compact_id + 1));
		w.put(id);
		w.put(now);
	}
}

constexpr size_t most_packet_header = 4 + 16 + 4 + 8 + 6 * 8 + sizeof(ThreadContext);
constexpr size_t most_event_header = 1 + 4 + 8;

size_t most_bytes(const std::vector<EventRef> &events, size_t context)
{
	size_t bytes = most_packet_header;
	for (const EventRef &e : events)
		bytes += most_event_header + context + e.size;
	return bytes;
}

} // namespace

void encode_packet(const PacketInfo &info, const Clock &clock, const std::vector<EventRef> &events,
	std::vector<uint8_t> &out)
{
	const size_t start = out.size();
	const size_t context = info.context ? info.context->size() : 0;
	out.resize(start + most_bytes(events, context));
	Writer w(out.data() + start);
	const ThreadContext thread = thread_context(info.thread);

	w.put(packet_magic);
	w.bytes(info.uuid.data(), info.uuid.size());
	w.put(uint32_t{0}); // the only stream class
	w.put(info.instance);

	w.put(info.begin);
	w.put(info.end);
	uint8_t *const sizes = w.at();
	w.put(uint64_t{0});
	w.put(uint64_t{0});
	w.put(info.sequence);
	w.put(info.discarded);
	w.put(thread.vpid);
	w.put(thread.vtid);
	w.put(thread.pid);
	w.put(thread.tid);
	w.put(thread.vuid);
	w.put(thread.vgid);
	w.bytes(thread.procname, sizeof(thread.procname));

	uint64_t before = info.begin;
	for (const EventRef &e : events) {
		uint64_t now = clock.to_ns(e.ticks);
		put_event_header(w, e.entry->tag, now, before);
		if (context)
			info.context->put(w.skip(context), thread, e, *info.table);
		w.bytes(e.payload, e.size);
		before = now;
	}
	out.resize(static_cast<size_t>(w.at() - out.data()));
	// Content and packet are the same, there is no padding. In bits.
	const uint64_t bits = (out.size() - start) * 8;
	Writer(sizes).put(bits);
	Writer(sizes + sizeof(bits)).put(bits);
}

} // namespace ltt::ctf

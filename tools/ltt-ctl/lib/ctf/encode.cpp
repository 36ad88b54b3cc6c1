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

private:
	uint8_t *at_;
};

struct ThreadContext {
	int32_t vpid, vtid, pid, tid;
	uint32_t vuid, vgid;
	char procname[procname_size];
};

// A name is what the thread set with prctl(): any bytes. Readers want UTF-8, so that what
// is not ASCII is shown only as being there.
ThreadContext thread_context(const ltt_packet &h)
{
	ThreadContext c{};
	c.vpid = static_cast<int32_t>(h.vpid);
	c.vtid = static_cast<int32_t>(h.vtid);
	c.pid = static_cast<int32_t>(h.pid);
	c.tid = static_cast<int32_t>(h.tid);
	c.vuid = h.vuid;
	c.vgid = h.vgid;
	static_assert(sizeof(h.comm) == procname_size, "a name fits as it is");
	for (size_t i = 0; i + 1 < procname_size && h.comm[i]; ++i)
		c.procname[i] = h.comm[i] >= 0x20 && h.comm[i] < 0x7f ? h.comm[i] : '?';
	return c;
}

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
constexpr size_t event_context_size = 4 + 4 + procname_size;

size_t most_bytes(const std::vector<EventRef> &events, bool event_context)
{
	size_t bytes = most_packet_header;
	for (const EventRef &e : events)
		bytes += most_event_header + (event_context ? event_context_size : 0) + e.size;
	return bytes;
}

} // namespace

void encode_packet(const PacketInfo &info, const Clock &clock, const std::vector<EventRef> &events,
	std::vector<uint8_t> &out)
{
	const size_t start = out.size();
	out.resize(start + most_bytes(events, info.event_context));
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
		if (info.event_context) {
			w.put(thread.vpid);
			w.put(thread.vtid);
			w.bytes(thread.procname, sizeof(thread.procname));
		}
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

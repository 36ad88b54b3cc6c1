/* SPDX-License-Identifier: MIT */
/*
 * /dev/ltt, buffers and packets, for tests in the guest. Below the markers:
 * these helpers use the ABI as it is written down, and hide no error.
 *
 * Events of tests need no definitions: an event's id is the size of its
 * payload, so any reader here can walk them.
 */
#ifndef GUEST_LTT_H
#define GUEST_LTT_H

#include "event.h"
#include "ktap.h"

#include <ust/ltt.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ltt
{

inline int open_device()
{
	return open("/dev/ltt", O_RDWR | O_CLOEXEC);
}

/* Parameters that the kernel takes; tests change what they are about. */
inline ltt_trace_params params(const char *name = "test")
{
	ltt_trace_params p = {};
	p.size = sizeof(p);
	p.flags = LTT_TRACE_SYSTEM;
	p.filter = ~0u;
	p.mode = LTT_MODE_DISCARD;
	p.subbuf_size = 4096;
	p.n_subbufs = 4;
	strncpy(p.name, name, sizeof(p.name) - 1);
	return p;
}

/* LTT_IOC_CREATE as it is: a descriptor, or -1 with errno. */
inline int create(const ltt_trace_params &p)
{
	int device = open_device();
	if (device < 0)
		return -1;
	int fd = ioctl(device, LTT_IOC_CREATE, &p);
	int error = errno;
	close(device);
	errno = error;
	return fd;
}

/* LTT_IOC_OPEN as it is: a descriptor, or -1 with errno. */
inline int open_trace(const char *name)
{
	ltt_trace_name n = {};
	strncpy(n.name, name, sizeof(n.name) - 1);
	int device = open_device();
	if (device < 0)
		return -1;
	int fd = ioctl(device, LTT_IOC_OPEN, &n);
	int error = errno;
	close(device);
	errno = error;
	return fd;
}

struct Event {
	uint64_t time;
	uint16_t id;
	std::vector<uint8_t> payload;

	/* The first bytes of the payload as a number. */
	template <class T>
	T as() const
	{
		T value = {};
		memcpy(&value, payload.data(), std::min(sizeof(value), payload.size()));
		return value;
	}
};

struct Packet {
	ltt_packet header;
	std::vector<uint8_t> data;

	bool last() const { return header.flags & LTT_PACKET_LAST; }
	bool torn() const { return header.flags & LTT_PACKET_TORN; }
	bool corrupt() const { return header.flags & LTT_PACKET_CORRUPT; }

	/* Walks all of it; fails the test on what cannot be an event. */
	std::vector<Event> events() const
	{
		std::vector<Event> list;
		uint64_t time = header.begin;
		for (size_t at = 0; at < data.size();) {
			uint64_t word = 0;
			if (data.size() - at >= sizeof(word))
				memcpy(&word, &data[at], sizeof(word));
			size_t size = word & 0xffff;
			if (data.size() - at < sizeof(word) + size) {
				ktap::fail(__FILE__, __LINE__,
					"stream %llu: %zu bytes are left at %zu, event of id %zu",
					header.stream, data.size() - at, at, size);
				return list;
			}
			if (word >> 16 < time || word >> 16 > header.end)
				ktap::fail(__FILE__, __LINE__,
					"stream %llu: time %llu at %zu, not in %llu to %llu",
					header.stream, static_cast<unsigned long long>(word >> 16),
					at, static_cast<unsigned long long>(time), header.end);
			time = word >> 16;
			auto payload = data.begin() + static_cast<long>(at + sizeof(word));
			list.push_back({time, static_cast<uint16_t>(size),
				std::vector<uint8_t>(payload, payload + static_cast<long>(size))});
			at += sizeof(word) + size;
		}
		return list;
	}
};

/* The packets in what read() gave. */
inline std::vector<Packet> split_packets(const uint8_t *bytes, size_t size)
{
	std::vector<Packet> packets;
	for (size_t at = 0; at < size;) {
		Packet p = {};
		bool whole = size - at >= sizeof(p.header);
		if (whole) {
			memcpy(&p.header, bytes + at, sizeof(p.header));
			whole = p.header.magic == LTT_PACKET_MAGIC &&
				p.header.header_size == sizeof(p.header) &&
				p.header.size <= size - at - sizeof(p.header);
		}
		if (!whole) {
			ktap::fail(__FILE__, __LINE__, "no whole packet at %zu of %zu bytes", at,
				size);
			return packets;
		}
		const uint8_t *data = bytes + at + sizeof(p.header);
		p.data.assign(data, data + p.header.size);
		at += sizeof(p.header) + p.header.size;
		packets.push_back(std::move(p));
	}
	return packets;
}

/*
 * The descriptor of a trace. The process that created a trace destroys it with
 * this; its forked children only close their descriptor.
 */
class Trace
{
public:
	explicit Trace(const ltt_trace_params &p) : fd(create(p)), owner(getpid())
	{
		REQUIRE(fd >= 0);
	}

	/* A trace that is there already, of another process or of the boot. */
	static Trace open(const char *name)
	{
		int fd = open_trace(name);
		REQUIRE(fd >= 0);
		return Trace(fd);
	}

	Trace(Trace &&other) : fd(std::exchange(other.fd, -1)), owner(other.owner) {}
	Trace(const Trace &) = delete;
	Trace &operator=(const Trace &) = delete;

	~Trace()
	{
		if (fd < 0)
			return;
		if (owner == getpid())
			ioctl(fd, LTT_IOC_DESTROY);
		close(fd);
	}

	/* For tests of the requests themselves: */
	int descriptor() const { return fd; }

	void start() { REQUIRE_OK(ioctl(fd, LTT_IOC_START)); }
	void stop() { REQUIRE_OK(ioctl(fd, LTT_IOC_STOP)); }
	void flush() { REQUIRE_OK(ioctl(fd, LTT_IOC_FLUSH)); }
	void filter(__u32 mask) { REQUIRE_OK(ioctl(fd, LTT_IOC_FILTER, &mask)); }

	void destroy()
	{
		REQUIRE_OK(ioctl(fd, LTT_IOC_DESTROY));
		owner = 0;
	}

	ltt_trace_info info() const
	{
		ltt_trace_info i = {};
		i.size = sizeof(i);
		REQUIRE_OK(ioctl(fd, LTT_IOC_INFO, &i));
		return i;
	}

	/* Bytes in buffers of the living and the dead, not in the pool. */
	__u64 memory() const
	{
		ltt_trace_info i = info();
		return i.memory - i.pool;
	}

	/* Everything that can be read now, of all types. */
	/* @most: calls of read(). Writers that go on may never let it come to an end. */
	std::vector<Packet> read_packets(unsigned most = ~0u)
	{
		std::vector<Packet> packets;
		/* For any packet; not a vector, which would touch all of it. */
		constexpr size_t room = 17 << 20;
		std::unique_ptr<uint8_t[]> memory(new uint8_t[room]);
		int flags = fcntl(fd, F_GETFL);
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
		for (unsigned reads = 0; reads < most; ++reads) {
			ssize_t n = read(fd, memory.get(), room);
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0 && errno != EAGAIN)
				ktap::fail(
					__FILE__, __LINE__, "read of a trace: %s", strerror(errno));
			if (n <= 0)
				break;
			auto more = split_packets(memory.get(), static_cast<size_t>(n));
			packets.insert(packets.end(), more.begin(), more.end());
		}
		fcntl(fd, F_SETFL, flags);
		return packets;
	}

	/* Packets of events only, in order; of one thread, or of all (0). */
	std::vector<Packet> read_events(pid_t tid = 0, unsigned most = ~0u)
	{
		std::vector<Packet> chosen;
		for (Packet &p : read_packets(most))
			if (p.header.type == LTT_PACKET_EVENTS &&
				(!tid || p.header.tid == static_cast<__u32>(tid)))
				chosen.push_back(std::move(p));
		return chosen;
	}

private:
	explicit Trace(int fd) : fd(fd) {}

	int fd;
	pid_t owner = 0; /* who created the trace; 0: somebody else's */
};

/* A trace with these parameters that is limited to one process. */
inline Trace trace_of(pid_t pid, ltt_trace_params p, __u32 flags = 0)
{
	const ltt_target target = {LTT_TARGET_PID, flags, pid};
	p.n_targets = 1;
	p.targets = reinterpret_cast<uintptr_t>(&target);
	return Trace(p);
}

/* Two packets of one stream: what was goes on, and nothing goes back. */
inline void check_follows(const ltt_packet &before, const ltt_packet &next)
{
	CHECK(!(before.flags & LTT_PACKET_LAST));
	CHECK_EQ(next.stream, before.stream);
	CHECK_EQ(next.sequence, before.sequence + 1);
	CHECK_EQ(next.pid, before.pid);
	CHECK_EQ(next.tid, before.tid);
	CHECK_EQ(next.process, before.process);
	CHECK_GE(next.begin, before.begin);
	CHECK_GE(next.end, before.end);
	CHECK_GE(next.position, before.position);
	CHECK_GE(next.events, before.events);
	CHECK_GE(next.lost, before.lost);
	CHECK_GE(next.overwritten, before.overwritten);
}

/* All events in packets of one stream, which must follow each other. */
inline std::vector<Event> events_of(const std::vector<Packet> &packets)
{
	std::vector<Event> all;
	for (const Packet &p : packets) {
		auto some = p.events();
		all.insert(all.end(), some.begin(), some.end());
	}
	return all;
}

/* A mapped buffer of the calling thread. Unmapping is left to tests. */
class Buffer
{
public:
	Buffer() = default;
	explicit Buffer(void *address) : page(static_cast<ltt_trace_page *>(address)) {}

	/* ltt_update() with NULL: the next one; empty if there is none. */
	static Buffer next()
	{
		void *address = nullptr;
		int active = -1, filter = -1;
		REQUIRE_EQ(ltt_update(&address, &active, &filter), 0);
		return Buffer(address);
	}

	/* The one of this trace; takes the others on the way. */
	static Buffer of(const Trace &trace)
	{
		__u32 slot = trace.info().trace;
		for (;;) {
			Buffer b = next();
			REQUIRE(b);
			if (b->trace == slot)
				return b;
		}
	}

	explicit operator bool() const { return page; }
	ltt_trace_page *operator->() const { return page; }
	void *address() const { return page; }

	ltt_control &control() const { return *ust_control_of(page); }
	uint8_t *data() const { return reinterpret_cast<uint8_t *>(page) + page->data_offset; }

	/* Bytes of the whole mapping. */
	size_t size() const
	{
		return page->data_offset + size_t(page->subbuf_size) * page->n_subbufs;
	}

	/* An event with this payload, if the trace is started. */
	void write(const void *payload, uint16_t size) const
	{
		if (!__atomic_load_n(&page->active, __ATOMIC_RELAXED))
			return;
		ltt::write_event(page, sizeof(uint64_t) + size, size,
			[=](char *at) { memcpy(at, payload, size); });
	}

	template <class T>
	void write(const T &value) const
	{
		write(&value, sizeof(value));
	}

private:
	ltt_trace_page *page = nullptr;
};

} // namespace ltt

#endif /* GUEST_LTT_H */

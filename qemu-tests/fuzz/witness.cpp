// SPDX-License-Identifier: MIT

#include "witness.h"

#include <csignal>
#include <set>
#include <thread>

#include <sys/syscall.h>
#include <sys/wait.h>

namespace fuzz
{

namespace
{

thread_local void *own_buffer; // for the handler

void write_numbers(const ltt::Buffer &buffer, Promise &promise, Random &random, uint64_t n)
{
	char payload[5000] = {};
	for (uint64_t i = 0; i < n; ++i) {
		uint64_t number = promise.begun;
		promise.begun = number + 1;
		memcpy(payload, &number, sizeof(number));
		// Now and then one that is larger than a sub-buffer.
		uint64_t size = random.one_in(200) ? sizeof(payload) : 8 + random.below(60);
		buffer.write(payload, static_cast<uint16_t>(size));
		promise.ended = number + 1;
	}
}

Promise &new_promise(Testimony &testimony)
{
	size_t at = testimony.n++;
	// The children stop before; see fork_children().
	REQUIRE(at < Testimony::max_promises);
	return testimony.promises[at];
}

// Other traces come and go: a program has their buffers too.
void follow_traces()
{
	void *address;
	int active, filter;
	do {
		address = nullptr;
	} while (ltt_update(&address, &active, &filter) == 0 && address);
}

void write_until_stopped(Random random, const ltt::Trace &trace, Testimony &testimony)
{
	Promise &promise = new_promise(testimony);
	promise.tid = static_cast<uint32_t>(syscall(SYS_gettid));
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	own_buffer = buffer.address();
	while (!testimony.stop) {
		write_numbers(buffer, promise, random, random.below(40));
		usleep(static_cast<useconds_t>(random.below(4000)));
		if (random.one_in(8))
			follow_traces();
	}
	promise.finished = true;
}

// Children begin streams of their own at their parent's address, and die in all ways.
void fork_children(Random random, const ltt::Trace &trace, Testimony &testimony)
{
	Promise &own = new_promise(testimony);
	own.tid = static_cast<uint32_t>(syscall(SYS_gettid));
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	own_buffer = buffer.address();
	while (!testimony.stop && testimony.n < Testimony::max_promises - 1) {
		write_numbers(buffer, own, random, 1 + random.below(5));
		Promise &promise = new_promise(testimony);
		uint64_t n = 1 + random.below(30);
		bool killed = random.one_in(3);
		Random its = random.branch(testimony.n);
		pid_t child = fork();
		REQUIRE(child >= 0);
		if (child == 0) {
			promise.tid = static_cast<uint32_t>(syscall(SYS_gettid));
			write_numbers(buffer, promise, its, n);
			while (killed)
				write_numbers(buffer, promise, its, 1);
			promise.finished = true;
			_exit(0);
		}
		usleep(static_cast<useconds_t>(random.below(20000)));
		if (killed)
			kill(child, SIGKILL);
		waitpid(child, nullptr, 0);
	}
	own.finished = true;
}

void handle_notification()
{
	struct sigaction action = {};
	action.sa_handler = [](int) {
		int saved = errno, active, filter;
		if (void *address = own_buffer)
			ltt_update(&address, &active, &filter);
		errno = saved;
	};
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	sigaction(LTT_SIGNAL_DEFAULT, &action, nullptr);
}

} // namespace

void be_the_witness(Random random, const ltt::Trace &trace, Testimony &testimony)
{
	static ltt_gate gate;
	static char definitions[] = "numbers";
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.gate = reinterpret_cast<uintptr_t>(&gate);
	r.events = reinterpret_cast<uintptr_t>(definitions);
	r.events_size = sizeof(definitions);
	handle_notification();
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	std::thread first(
		write_until_stopped, random.branch(0), std::cref(trace), std::ref(testimony));
	std::thread second(
		write_until_stopped, random.branch(1), std::cref(trace), std::ref(testimony));
	fork_children(random.branch(2), trace, testimony);
	first.join();
	second.join();
	_exit(0);
}

const Promise *Judge::promise_of(__u32 tid) const
{
	for (size_t i = 0; i < testimony.n && i < Testimony::max_promises; ++i)
		if (testimony.promises[i].tid == tid)
			return &testimony.promises[i];
	return nullptr;
}

// What holds for every stream, also a liar's.
void Judge::check_header(const ltt_packet &h, const Stream &s) const
{
	CHECK_EQ(h.sequence, s.packets);
	CHECK_EQ(h.trace, info.trace);
	CHECK_LE(h.size, info.subbuf_size);
	CHECK_LE(h.begin, h.end);
	CHECK(!(h.flags & ~(LTT_PACKET_LAST | LTT_PACKET_TORN | LTT_PACKET_CORRUPT)));
	CHECK(memchr(h.comm, 0, sizeof(h.comm)));
	CHECK_NE(h.pid, 0);
	CHECK_NE(h.tid, 0);
	if (h.size)
		CHECK_EQ(h.position / info.subbuf_size,
			(h.position + h.size - 1) / info.subbuf_size);
	if (!s.packets)
		return;
	CHECK(!(s.last.flags & LTT_PACKET_LAST));
	CHECK_GE(h.position, s.last.position + s.last.size);
	// One that only tells of losses begins where it ends.
	if (s.last.size)
		CHECK_GE(h.begin, s.last.begin);
	CHECK_GE(h.end, s.last.end);
	CHECK_EQ(h.pid, s.last.pid);
	CHECK_EQ(h.tid, s.last.tid);
	CHECK_EQ(h.vpid, s.last.vpid);
	CHECK_EQ(h.vtid, s.last.vtid);
	CHECK_EQ(h.process, s.last.process);
}

void Judge::check_events(const ltt::Packet &packet, Stream &s) const
{
	CHECK(!packet.corrupt());
	CHECK_GE(packet.header.events, s.last.events);
	CHECK_GE(packet.header.lost, s.last.lost);
	CHECK_GE(packet.header.too_big, s.last.too_big);
	CHECK_EQ(packet.header.uid, getuid());
	for (const ltt::Event &e : packet.events()) {
		uint64_t number = e.as<uint64_t>();
		CHECK_GE(number, s.next);
		s.next = number + 1;
		++s.recorded;
	}
}

void Judge::take(const ltt::Packet &packet)
{
	const ltt_packet &h = packet.header;
	if (h.type == LTT_PACKET_DEFINITIONS) {
		CHECK_GT(h.size, 0);
		CHECK_LE(h.size, LTT_MAX_DEFINITIONS);
		return;
	}
	CHECK_EQ(h.type, LTT_PACKET_EVENTS);
	Stream &s = streams[h.stream];
	if (!s.packets)
		s.witness = promise_of(h.tid);
	check_header(h, s);
	if (s.witness)
		check_events(packet, s);
	s.last = h;
	s.flags |= h.flags;
	++s.packets;
	++n_packets;
	n_corrupt += packet.corrupt();
}

uint64_t Judge::witnessed() const
{
	uint64_t sum = 0;
	for (auto &[number, s] : streams)
		sum += s.recorded;
	return sum;
}

void Judge::check_witness() const
{
	std::map<__u32, const Stream *> by_tid;
	for (auto &[number, s] : streams)
		if (s.witness && !CHECK(by_tid.emplace(s.last.tid, &s).second))
			ktap::fail(__FILE__, __LINE__, "tid %u has two streams", s.last.tid);
	for (size_t i = 0; i < testimony.n; ++i) {
		const Promise &promise = testimony.promises[i];
		auto found = by_tid.find(promise.tid);
		if (found == by_tid.end()) {
			CHECK_EQ(promise.ended.load(), 0);
			continue;
		}
		const Stream &s = *found->second;
		// Events, and what got no room: the last packet tells them all.
		uint64_t accounted = s.last.events + s.last.lost + s.last.too_big;
		bool torn = s.flags & LTT_PACKET_TORN;
		if (!CHECK_GE(accounted, promise.ended.load()) ||
			!CHECK_LE(accounted, promise.begun.load()))
			ktap::fail(__FILE__, __LINE__,
				"tid %u: %llu begun, %llu ended; %llu recorded, %llu lost, %llu "
				"too big, %llu overwritten",
				s.last.tid, static_cast<unsigned long long>(promise.begun),
				static_cast<unsigned long long>(promise.ended),
				static_cast<unsigned long long>(s.recorded), s.last.lost,
				s.last.too_big, s.last.overwritten);
		// What is not in the packets was overwritten, or torn.
		CHECK_LE(s.recorded + s.last.overwritten, s.last.events);
		if (info.mode != LTT_MODE_OVERWRITE)
			CHECK_GE(s.recorded + torn, s.last.events);
		CHECK(s.flags & LTT_PACKET_LAST);
		if (promise.finished)
			CHECK(!torn);
		else if (torn)
			CHECK_EQ(promise.begun.load(), promise.ended + 1);
	}
}

} // namespace fuzz

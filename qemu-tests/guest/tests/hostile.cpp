// SPDX-License-Identifier: MIT
//
// A program that lies in its buffer, or tears it apart, spoils its own stream
// and nothing else.

#include "../ltt.h"

#include <csignal>
#include <random>
#include <sys/wait.h>
#include <thread>

namespace
{

constexpr size_t page = 4096;

struct Traced {
	ltt::Trace trace;
	ltt::Buffer buffer;

	Traced() : trace(ltt::params())
	{
		trace.start();
		buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
	}

	char *address() const { return static_cast<char *>(buffer.address()); }
};

// Does this in a child; what became of it: 0, or the signal that killed it.
template <class Work>
int in_child(Work work)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		work();
		_exit(0);
	}
	int status;
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

// The kernel and other processes go on as if nothing had happened.
void others_are_well(ltt::Trace &trace)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		// A fresh program: nothing of the parent's buffers is left to it.
		execl("/proc/self/exe", "hostile", "--list", nullptr);
		_exit(1);
	}
	int status;
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	trace.info();
}

// A thread of its own, with a buffer that is well, sees all of its events.
void thread_writes_well(ltt::Trace &trace)
{
	pid_t tid = 0;
	std::thread([&] {
		tid = gettid();
		ltt::Buffer own = ltt::Buffer::of(trace);
		for (uint64_t n = 0; n < 100; ++n)
			own.write(n);
	}).join();
	std::vector<ltt::Packet> packets = trace.read_events(tid);
	CHECK_EQ(ltt::events_of(packets).size(), 100u);
	for (const ltt::Packet &p : packets)
		CHECK(!p.corrupt());
}

} // namespace

TEST("the trace page cannot be written, nor made writable")
{
	Traced t;
	CHECK_EQ(in_child([&] { t.buffer->active = 0; }), SIGSEGV);
	CHECK_ERRNO(mprotect(t.address(), page, PROT_READ | PROT_WRITE), EACCES);
	CHECK_ERRNO(mprotect(t.address(), page, PROT_READ | PROT_EXEC), EACCES);
	CHECK_EQ(t.buffer->active, 1u);
	// By way of /proc/PID/mem neither.
	int mem = open("/proc/self/mem", O_RDWR);
	REQUIRE(mem >= 0);
	uint32_t zero = 0;
	CHECK_LE(pwrite(mem, &zero, sizeof(zero), reinterpret_cast<off_t>(&t.buffer->active)), -1);
	CHECK_EQ(t.buffer->active, 1u);
}

TEST("the mapping can be neither split, nor moved, nor grown")
{
	Traced t;
	size_t size = t.buffer.size();
	CHECK(munmap(t.address() + 2 * page, page) < 0);
	CHECK(mprotect(t.address() + 2 * page, page, PROT_READ) < 0);
	CHECK(mremap(t.address(), size, size + page, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(t.address() + page, size - page, 2 * size, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(t.address(), page, page, MREMAP_MAYMOVE | MREMAP_FIXED,
		      t.address() + (64 << 20)) == MAP_FAILED);
	// The old trick: an old size of 0 duplicates a shared mapping.
	CHECK(mremap(t.address() + page, 0, size, MREMAP_MAYMOVE) == MAP_FAILED);
	t.buffer.write(uint64_t{2});
	t.trace.stop();
	CHECK_EQ(ltt::events_of(t.trace.read_events()).size(), 2u);
}

TEST("unmapping the buffer is the program's own loss")
{
	Traced t;
	REQUIRE_OK(munmap(t.address(), t.buffer.size()));
	CHECK_ERRNO(ltt_switch(t.address() + page), EINVAL);
	others_are_well(t.trace);
	thread_writes_well(t.trace);
}

TEST("mapping something else over the buffer is the program's own loss")
{
	Traced t;
	void *over = mmap(t.address(), t.buffer.size(), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	REQUIRE(over == t.address());
	ltt_switch(t.address());
	others_are_well(t.trace);
	thread_writes_well(t.trace);
}

TEST("advising the buffer away harms nobody")
{
	for (int advice : {MADV_DONTNEED, MADV_REMOVE, MADV_FREE, MADV_COLD, MADV_PAGEOUT,
		     MADV_WIPEONFORK, MADV_DONTFORK, MADV_MERGEABLE, MADV_HUGEPAGE,
		     MADV_POPULATE_WRITE, MADV_WILLNEED, MADV_DODUMP}) {
		Traced t;
		madvise(t.address(), t.buffer.size(), advice);
		madvise(t.address() + page, t.buffer.size() - page, advice);
		t.buffer.write(uint64_t{2});
		t.trace.stop();
		std::vector<ltt::Event> events = ltt::events_of(t.trace.read_events());
		if (!CHECK_EQ(events.size(), 2u))
			printf("after advice %d\n", advice);
		REQUIRE_OK(munmap(t.address(), t.buffer.size()));
	}
}

TEST("mlock and mlockall leave the buffer working")
{
	Traced t;
	mlock(t.address(), t.buffer.size());
	mlockall(MCL_CURRENT | MCL_FUTURE);
	t.buffer.write(uint64_t{2});
	t.trace.stop();
	CHECK_EQ(ltt::events_of(t.trace.read_events()).size(), 2u);
}

TEST("a lie about a position is told in the packet, and ends with the stream")
{
	const uint64_t lies[] = {0, 1, 7, 4095, 4096, 1 << 14, ~0ull, ~0ull - 4096, 1ull << 63};
	for (uint64_t lie : lies)
		for (int what = 0; what < 4; ++what) {
			Traced t;
			ltt_control &control = t.buffer.control();
			(what == 0	    ? control.reserve
				: what == 1 ? control.commit
				: what == 2 ? control.limit
					    : control.mask) = lie;
			ltt_switch(t.address());
			t.trace.flush();
			size_t bytes = 0;
			for (const ltt::Packet &p : t.trace.read_events(gettid())) {
				bytes += p.data.size();
				CHECK_LE(p.data.size(), 4096u);
			}
			CHECK_LE(bytes, 4u * 4096);
			// The kernel put its own values back, or the thread is lost:
			ltt_switch(t.address());
			t.trace.flush();
			t.trace.read_packets();
			thread_writes_well(t.trace);
			REQUIRE_OK(munmap(t.address(), t.buffer.size()));
		}
}

TEST("a commit beyond the reserved bytes is marked as corrupt")
{
	Traced t;
	t.buffer.control().commit = 1 << 20;
	t.trace.stop();
	std::vector<ltt::Packet> packets = t.trace.read_events();
	REQUIRE(!packets.empty());
	CHECK(packets.front().corrupt());
}

TEST("rubbish all over the control page, again and again, while another thread reads", seconds(60))
{
	Traced t;
	std::mt19937_64 random(4);
	bool stop = false;
	std::thread reader([&] {
		while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
			t.trace.flush();
			for (const ltt::Packet &p : t.trace.read_packets())
				CHECK_LE(p.data.size(), 4096u);
		}
	});
	auto *words = reinterpret_cast<volatile uint64_t *>(&t.buffer.control());
	for (int round = 0; round < 20000; ++round) {
		words[random() % (sizeof(ltt_control) / 8)] = random() >> random() % 64;
		if (round % 16 == 0)
			ltt_switch(t.address());
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	reader.join();
	thread_writes_well(t.trace);
}

TEST("a forged header in the sub-buffer changes nothing that the kernel says")
{
	Traced t;
	ltt_packet forged = {};
	forged.magic = LTT_PACKET_MAGIC;
	forged.type = LTT_PACKET_EVENTS;
	forged.size = 1 << 20;
	forged.header_size = sizeof(forged);
	forged.pid = forged.tid = 1;
	forged.uid = 0;
	memcpy(t.buffer.data(), &forged, sizeof(forged));
	t.buffer.control().reserve = t.buffer.control().commit = sizeof(forged);
	t.trace.stop();
	std::vector<ltt::Packet> packets = t.trace.read_events();
	REQUIRE_EQ(packets.size(), 1u);
	CHECK_EQ(packets[0].header.size, sizeof(forged));
	CHECK_EQ(packets[0].header.tid, static_cast<__u32>(gettid()));
}

TEST("fork after the worst of it, and the child has a buffer of its own")
{
	Traced t;
	memset(&t.buffer.control(), 0xff, sizeof(ltt_control));
	CHECK_EQ(in_child([&] {
		t.buffer.write(uint64_t{3});
		ltt_switch(t.address());
	}),
		0);
	t.trace.flush();
	t.trace.read_packets();
	thread_writes_well(t.trace);
}

// SPDX-License-Identifier: MIT
//
// A trace is destroyed whatever its writers are doing: at once, without harm to
// them, and its memory comes back although they live on.

#include "../leak.h"
#include "../streams.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/ptrace.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

// What a writer and the test tell each other; each test has its own.
struct Talk {
	std::atomic<uint64_t> written;
	std::atomic<bool> in_event, go;
};

Talk *talk;

// One event of 8 bytes, without a look at whether the trace is on.
template <class Put>
void write_late(const ltt::Buffer &buffer, Put put)
{
	ltt::write_event(buffer.operator->(), 16, 8, put);
}

void write_number_late(const ltt::Buffer &buffer, uint64_t number)
{
	write_late(buffer, [=](char *at) { memcpy(at, &number, sizeof(number)); });
}

// Destroying must not wait for anybody: far less than a second.
void destroy_at_once(ltt::Trace &trace)
{
	double before = ktap::now();
	trace.destroy();
	CHECK_LT(ktap::now() - before, 0.9 * ktap::patience());
}

// All of a destroyed trace is read; its memory has to be free.
void expect_nothing_left(ltt::Trace &trace)
{
	CHECK(trace.read_packets().empty());
	char byte;
	CHECK_EQ(read(trace.descriptor(), &byte, 1), 0);
	CHECK_EQ(trace.info().buffers, 0);
	WAIT_UNTIL(trace.memory() == 0);
}

// A writer that writes until the trace is stopped, then waits, then goes on.
pid_t spawn_writer(ltt::Trace &trace)
{
	return spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		for (uint64_t i = 0; __atomic_load_n(&buffer->active, __ATOMIC_RELAXED); ++i) {
			buffer.write(i);
			talk->written = i + 1;
		}
		for (uint64_t i = 0; i < 1000; ++i)
			write_number_late(buffer, 7777);
	});
}

} // namespace

TEST("a writer in the middle of an event: what it committed is there, it goes on unharmed")
{
	talk = shared<Talk>();
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 16;
	ltt::Trace trace(params);
	trace.start();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 1000);
		write_late(buffer, [](char *at) {
			talk->in_event = true;
			WAIT_UNTIL(talk->go);
			memset(at, 0x55, 8);
		});
		// It has not heard of the end yet, and goes on for many laps.
		for (uint64_t i = 0; i < 100000; ++i)
			write_number_late(buffer, i);
		CHECK_EQ(buffer->active, 0);
		CHECK_EQ(buffer.control().writer, 0);
	});
	WAIT_UNTIL(talk->in_event);
	destroy_at_once(trace);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_numbers(0, 1000);
	CHECK(stream.last());
	CHECK(stream.torn());
	CHECK_EQ(stream.header.events, 1001); // that got room
	expect_nothing_left(trace);
	talk->go = true;
	CHECK_EQ(wait_for(child), 0);
}

TEST("a writer that is stopped by a debugger")
{
	talk = shared<Talk>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn_writer(trace);
	WAIT_UNTIL(talk->written > 100);
	REQUIRE_OK(ptrace(PTRACE_SEIZE, child, 0, 0));
	REQUIRE_OK(ptrace(PTRACE_INTERRUPT, child, 0, 0));
	int status;
	WAIT_UNTIL(waitpid(child, &status, WNOHANG) == child);
	REQUIRE(WIFSTOPPED(status));
	uint64_t written = talk->written;
	destroy_at_once(trace);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	uint64_t all = stream.events.size() + stream.header.lost;
	CHECK_GE(all, written);
	CHECK_LE(all, written + 1);
	expect_nothing_left(trace);
	REQUIRE_OK(ptrace(PTRACE_DETACH, child, 0, 0));
	CHECK_EQ(wait_for(child), 0);
}

TEST("a writer that is stopped by SIGSTOP goes on after it")
{
	talk = shared<Talk>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn_writer(trace);
	WAIT_UNTIL(talk->written > 100);
	REQUIRE_OK(kill(child, SIGSTOP));
	WAIT_UNTIL(ktap::state_of(child) == 'T');
	destroy_at_once(trace);
	CHECK_GT(ltt::stream_of(ltt::read_streams(trace, 1), child).events.size(), 0);
	expect_nothing_left(trace);
	REQUIRE_OK(kill(child, SIGCONT));
	CHECK_EQ(wait_for(child), 0);
}

TEST("a writer that sleeps in a system call, and never hears of it")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	int hold[2];
	REQUIRE_OK(pipe(hold));
	pid_t child = spawn([&] {
		ltt::write_numbers(ltt::Buffer::of(trace), 0, 10);
		char byte;
		CHECK_EQ(read(hold[0], &byte, 1), 1);
	});
	WAIT_UNTIL(ktap::blocked_in(child) == SYS_read);
	destroy_at_once(trace);
	ltt::stream_of(ltt::read_streams(trace, 1), child).check_ended(0, 10);
	expect_nothing_left(trace);
	CHECK_EQ(write(hold[1], "x", 1), 1);
	CHECK_EQ(wait_for(child), 0);
}

TEST("the memory of a big buffer comes back while its writer lives and writes into it")
{
	talk = shared<Talk>();
	ltt_trace_params params = ltt::params();
	params.subbuf_size = 256 << 10;
	params.n_subbufs = 16;
	ktap::Resources before = ktap::resources();
	pid_t child;
	{
		ltt::Trace trace(params);
		trace.start();
		child = spawn([&] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			memset(buffer.data(), 1, 4 << 20);
			buffer.write(uint64_t{1});
			talk->in_event = true;
			while (!talk->go)
				memset(buffer.data(), 2, 4 << 20);
		});
		WAIT_UNTIL(talk->in_event);
		CHECK_EQ(trace.memory(), 4 << 20);
		trace.destroy();
		// Nobody reads; the descriptor is closed.
	}
	WAIT_UNTIL(ktap::resources().relay_buffers == before.relay_buffers);
	WAIT_UNTIL(ktap::resources().used_kib < before.used_kib + 2 * 1024);
	CHECK_EQ(ktap::state_of(child) == 'Z', false);
	talk->go = true;
	CHECK_EQ(wait_for(child), 0);
}

TEST("the last descriptor of a destroyed trace frees what nobody has read")
{
	ktap::Resources before = ktap::resources();
	ltt_trace_params params = ltt::params();
	params.subbuf_size = 1 << 20;
	ltt::Buffer buffer;
	{
		ltt::Trace first(params);
		first.start();
		ltt::Trace second = ltt::Trace::open("test");
		buffer = ltt::Buffer::of(first);
		ltt::write_numbers(buffer, 0, 2 << 16);
		first.destroy();
		WAIT_UNTIL(ktap::resources().relay_buffers == before.relay_buffers);
		// All that was written, in memory of its size:
		CHECK_EQ(first.memory(), 2 << 20);
		CHECK_EQ(first.info().buffers, 1);
		close(first.descriptor());
		CHECK_EQ(second.memory(), 2 << 20);
	}
	WAIT_UNTIL(ktap::resources().used_kib < before.used_kib + 1024);
	CHECK_EQ(buffer->active, 0);
}

TEST("two descriptors destroy a trace at once: one does, the other is told")
{
	for (int round = 0; round < 50; ++round) {
		ltt::Trace trace(ltt::params());
		trace.start();
		ltt::write_numbers(ltt::Buffer::of(trace), 0, 10);
		std::atomic<int> done{0}, refused{0};
		auto destroy = [&] {
			if (ioctl(trace.descriptor(), LTT_IOC_DESTROY) == 0)
				++done;
			else if (CHECK_EQ(errno, ENOENT))
				++refused;
		};
		std::thread other(destroy);
		destroy();
		other.join();
		CHECK_EQ(done.load(), 1);
		CHECK_EQ(refused.load(), 1);
	}
}

TEST("a new trace in the slot of an old one gets nothing of the old one's writers")
{
	ltt::Trace old(ltt::params("old"));
	old.start();
	ltt::Buffer buffer = ltt::Buffer::of(old);
	buffer.write(uint64_t{1});
	__u32 slot = old.info().trace;
	old.destroy();
	ltt::Trace fresh(ltt::params("fresh"));
	fresh.start();
	REQUIRE_EQ(fresh.info().trace, slot);
	write_number_late(buffer, 2);
	// errno: ltt_switch ENOENT: is destroyed
	CHECK_ERRNO(ltt_switch(buffer.address()), ENOENT);
	CHECK_EQ(buffer->active, 0);
	fresh.stop();
	CHECK(fresh.read_packets().empty());
	// The thread gets another buffer for it, at another address.
	ltt::Buffer next = ltt::Buffer::of(fresh);
	CHECK_NE(next.address(), buffer.address());
}

TEST("threads that die while the trace is destroyed leave all they committed", seconds(40))
{
	constexpr uint64_t n = 8, written = 600;
	for (int round = 0; round < 20; ++round) {
		ltt::Trace trace(ltt::params());
		trace.start();
		pthread_barrier_t barrier;
		REQUIRE_EQ(pthread_barrier_init(&barrier, nullptr, n + 1), 0);
		std::vector<std::thread> threads;
		for (uint64_t t = 0; t < n; ++t)
			threads.emplace_back([&] {
				ltt::write_numbers(ltt::Buffer::of(trace), 0, written);
				pthread_barrier_wait(&barrier);
			});
		pthread_barrier_wait(&barrier);
		trace.destroy();
		auto streams = ltt::read_streams(trace, n);
		for (auto &[number, stream] : streams)
			stream.check_ended(0, written);
		for (std::thread &thread : threads)
			thread.join();
		expect_nothing_left(trace);
	}
}

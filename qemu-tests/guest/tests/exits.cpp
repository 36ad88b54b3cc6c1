// SPDX-License-Identifier: MIT
//
// Threads and processes end, in every way there is: all that was committed can
// be read, the stream is closed, and the kernel says whose it was.

#include "../streams.h"

#include <atomic>
#include <csignal>
#include <sched.h>
#include <sys/prctl.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

constexpr size_t several = 300; // over one sub-buffer

void emit(const ltt::Trace &trace, uint64_t first, size_t n)
{
	ltt::write_numbers(ltt::Buffer::of(trace), first, n);
}

// A child in a trace of its own, ended by end(): how, and what it left.
template <class End>
void one_process(End end, bool (*right_status)(int))
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		emit(trace, 5, several);
		end();
	});
	int status = wait_for(child);
	if (!CHECK(right_status(status)))
		printf("status is 0x%x\n", status);
	ltt::stream_of(ltt::read_streams(trace, 1), child).check_ended(5, several);
	trace.stop();
	CHECK(trace.read_packets().empty());
	CHECK_EQ(trace.info().buffers, 0);
	CHECK_EQ(trace.memory(), 0);
}

bool exited(int status)
{
	return status == 0;
}
bool killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}
bool segfault(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
bool aborted(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

} // namespace

TEST("a process that calls _exit leaves all its events")
{
	one_process([] { _exit(0); }, exited);
}

TEST("a process that is killed by SIGKILL leaves all its events")
{
	one_process([] { raise(SIGKILL); }, killed);
}

TEST("a process that dereferences a null pointer leaves all its events")
{
	one_process(
		[] {
			volatile int *volatile nothing = nullptr;
			*nothing = 1;
		},
		segfault);
}

TEST("a process that aborts leaves all its events")
{
	one_process([] { abort(); }, aborted);
}

TEST("a thread that ends leaves all its events while its process lives on")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t tid = 0;
	std::thread thread([&] {
		tid = ktap::gettid();
		emit(trace, 0, several);
	});
	thread.join();
	std::map<uint64_t, ltt::Stream> streams;
	// join() returns before the kernel is done with the thread.
	WAIT_UNTIL(!ktap::state_of(tid));
	streams = ltt::read_streams(trace, 1);
	ltt::Stream stream = ltt::stream_of(streams, tid);
	stream.check_ended(0, several);
	CHECK_EQ(stream.header.pid, getpid());
	// Its mapping is gone from the address space of the others.
	CHECK_EQ(ktap::read_file("/proc/self/maps").find("[ltt:"), std::string::npos);
}

TEST("exit_group ends 16 threads in mid-loop: each stream is exact")
{
	constexpr int n = 16;
	struct Counts {
		pid_t tid[n];
		std::atomic<uint64_t> started[n], done[n];
	};
	Counts &counts = *shared<Counts>();
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 16;
	ltt::Trace trace(params);
	trace.start();
	pid_t child = spawn([&] {
		for (int t = 0; t < n; ++t)
			std::thread([&, t] {
				ltt::Buffer buffer = ltt::Buffer::of(trace);
				counts.tid[t] = ktap::gettid();
				for (uint64_t i = 0;; ++i) {
					counts.started[t] = i + 1;
					buffer.write(i);
					counts.done[t] = i + 1;
				}
			}).detach();
		for (int t = 0; t < n; ++t)
			WAIT_UNTIL(counts.done[t] > 100);
		_exit(0);
	});
	CHECK_EQ(wait_for(child), 0);
	auto streams = ltt::read_streams(trace, n);
	for (int t = 0; t < n; ++t) {
		ltt::Stream stream = ltt::stream_of(streams, counts.tid[t]);
		CHECK(stream.last());
		CHECK_EQ(stream.header.pid, child);
		uint64_t all = stream.events.size() + stream.header.lost;
		CHECK_GE(all, counts.done[t].load());
		CHECK_LE(all, counts.started[t].load());
		// Nothing was read meanwhile: what is missing is missing at the end.
		stream.check_numbers(0, stream.events.size());
	}
}

TEST("the main thread calls pthread_exit: the others go on, its stream is closed")
{
	struct Shared {
		std::atomic<bool> go;
		pid_t tid;
	};
	Shared &s = *shared<Shared>();
	// Not on the stack: pthread_exit() unwinds the child's, destructors and all.
	ltt::Trace &trace = *new ltt::Trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		emit(trace, 0, 10);
		std::thread([&] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			ltt::write_numbers(buffer, 100, 10);
			s.tid = ktap::gettid();
			WAIT_UNTIL(s.go);
			ltt::write_numbers(buffer, 110, 10);
			ktap::end_test(0);
		}).detach();
		pthread_exit(nullptr);
	});
	WAIT_UNTIL(s.tid && ktap::state_of(child) == 'Z');
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_ended(0, 10);
	s.go = true;
	CHECK_EQ(wait_for(child), 0);
	stream = ltt::stream_of(ltt::read_streams(trace, 1), s.tid);
	stream.check_ended(100, 20);
	CHECK_EQ(stream.header.pid, child);
	delete &trace;
}

TEST("the kernel says whose a stream is, whatever the program writes")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		prctl(PR_SET_NAME, "my own name");
		REQUIRE_EQ(setresgid(54321, 54321, 54321), 0);
		REQUIRE_EQ(setresuid(12345, 12345, 12345), 0);
		emit(trace, 0, 3);
	});
	CHECK_EQ(wait_for(child), 0);
	ltt_packet header = ltt::stream_of(ltt::read_streams(trace, 1), child).header;
	CHECK_EQ(header.pid, child);
	CHECK_EQ(header.vpid, child);
	CHECK_EQ(header.vtid, child);
	CHECK_EQ(header.uid, 12345);
	CHECK_EQ(header.gid, 54321);
	CHECK_EQ(header.comm, "my own name");
}

TEST("a new name shows in the packets made after it, and not before")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	prctl(PR_SET_NAME, "first");
	ltt::write_numbers(buffer, 0, 1);
	trace.flush();
	std::vector<ltt::Packet> first = trace.read_events();
	prctl(PR_SET_NAME, "second, 15 long");
	ltt::write_numbers(buffer, 1, 1);
	trace.flush();
	std::vector<ltt::Packet> second = trace.read_events();
	REQUIRE_EQ(first.size(), 1);
	REQUIRE_EQ(second.size(), 1);
	CHECK_EQ(first[0].header.comm, "first");
	CHECK_EQ(second[0].header.comm, "second, 15 long");
	CHECK_EQ(second[0].header.sequence, 1);
}

TEST("in a pid namespace both the inner and the outer numbers are told")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	struct Tids {
		pid_t inner;
	};
	Tids &tids = *shared<Tids>();
	pid_t inside = 0;
	pid_t child = spawn([&] {
		REQUIRE_EQ(unshare(CLONE_NEWPID), 0);
		pid_t first = spawn([&] {
			std::thread([&] {
				tids.inner = ktap::gettid();
				emit(trace, 0, 3);
			}).join();
		});
		CHECK_EQ(wait_for(first), 0);
		inside = first;
	});
	CHECK_EQ(wait_for(child), 0);
	auto streams = ltt::read_streams(trace, 1);
	REQUIRE_EQ(streams.size(), 1);
	ltt::Stream stream = streams.begin()->second;
	stream.check_ended(0, 3);
	CHECK_EQ(stream.header.vpid, 1);
	CHECK_EQ(stream.header.vtid, tids.inner);
	CHECK_GT(stream.header.pid, child);
	CHECK_GT(stream.header.tid, stream.header.pid);
}

TEST("a thread killed in the middle of an event: it alone is dropped, and told of")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, several);
		ltt::write_event(buffer.operator->(), 24, 16, [](char *) { raise(SIGKILL); });
	});
	CHECK(killed(wait_for(child)));
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_numbers(0, several);
	CHECK(stream.last());
	CHECK(stream.torn());
	CHECK_EQ(stream.header.events, several + 1); // that got room
	CHECK_EQ(stream.header.lost, 0);
}

TEST("killed in the outer of two events, with the inner ones done: all that is dropped is told")
{
	static ltt::Buffer buffer;
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		buffer = ltt::Buffer::of(trace);
		signal(SIGUSR1, [](int) { ltt::write_numbers(buffer, 1000, 3); });
		ltt::write_numbers(buffer, 0, 10);
		ltt::write_event(buffer.operator->(), 24, 16, [](char *) {
			raise(SIGUSR1);
			raise(SIGKILL);
		});
	});
	CHECK(killed(wait_for(child)));
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_numbers(0, 10);
	CHECK(stream.torn());
	CHECK_EQ(stream.header.events, 14); // that got room
}

TEST("events of a handler inside an event follow it, in order, and none is torn")
{
	static ltt::Buffer buffer;
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 10);
		signal(SIGUSR1, [](int) { ltt::write_numbers(buffer, 10, 5); });
		ltt::write_event(buffer.operator->(), 16, 8, [](char *at) {
			raise(SIGUSR1);
			uint64_t own = 9999;
			memcpy(at, &own, sizeof(own));
		});
		ltt::write_numbers(buffer, 15, 10);
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	REQUIRE_EQ(stream.events.size(), 26);
	// Reserved first, so it comes first, with the earliest time.
	CHECK_EQ(stream.events[10].as<uint64_t>(), 9999);
	stream.events.erase(stream.events.begin() + 10);
	stream.check_numbers(0, 25);
	CHECK(!stream.torn());
	CHECK_EQ(stream.header.events, 26);
}

// SPDX-License-Identifier: MIT
//
// exec, and children that are born in other ways than by fork(): whose stream
// an event comes into, and which mappings a program has.

#include "../streams.h"

#include <atomic>
#include <csignal>
#include <sched.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

ltt::Buffer buffer;

// Buffers have two mappings each, of a file of that name.
int mappings()
{
	std::string maps = ktap::read_file("/proc/self/maps");
	int n = 0;
	for (size_t at = 0; (at = maps.find("[ltt", at)) != std::string::npos; ++at)
		++n;
	return n;
}

// What programs do that a test executes: see program() below.
void exec_self(const char *what)
{
	execl("/proc/self/exe", what, "clones-program", nullptr);
	CHECK(!"exec returned");
	_exit(1);
}

char *stack_for_child()
{
	static char stack[256 * 1024];
	return stack + sizeof(stack);
}

} // namespace

// Before main(), so that the harness does not take the arguments for its own.
[[gnu::constructor]] static void program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[1], "clones-program") != 0)
		return;
	if (mappings() != 0)
		_exit(2);
	if (strcmp(argv[0], "emits") == 0) {
		buffer = ltt::Buffer::next();
		if (!buffer || mappings() != 2)
			_exit(3);
		ltt::write_numbers(buffer, 500, 5);
	}
	_exit(0);
}

TEST("exec: the old stream ends, the new program has no mapping and a stream of its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::write_numbers(ltt::Buffer::of(trace), 0, 5);
		CHECK_EQ(mappings(), 2);
		exec_self("emits");
	});
	CHECK_EQ(wait_for(child), 0);
	auto streams = ltt::read_streams(trace, 2);
	REQUIRE_EQ(streams.size(), 2);
	ltt::Stream &first = streams.begin()->second, &second = std::next(streams.begin())->second;
	first.check_ended(0, 5);
	second.check_ended(500, 5);
	CHECK_EQ(first.header.tid, child);
	CHECK_EQ(second.header.tid, child);
	CHECK_NE(first.header.process, second.header.process);
	CHECK_EQ(first.header.comm, "clones");
	CHECK_EQ(second.header.comm, "exe");
}

TEST("exec of a program that has nothing to do with traces")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::write_numbers(ltt::Buffer::of(trace), 0, 5);
		exec_self("silent");
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::stream_of(ltt::read_streams(trace, 1), child).check_ended(0, 5);
	CHECK_EQ(trace.memory(), 0);
}

TEST("exec in the middle of an event: it alone is dropped")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 5);
		ltt::write_event(buffer.operator->(), 16, 8, [](char *) { exec_self("silent"); });
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_numbers(0, 5);
	CHECK(stream.last());
	CHECK(stream.torn());
}

TEST("exec that fails changes nothing")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	CHECK_ERRNO(execl("/nowhere", "nowhere", nullptr), ENOENT);
	CHECK_ERRNO(execl("/proc/self/maps", "maps", nullptr), EACCES);
	ltt::write_numbers(buffer, 5, 5);
	trace.flush();
	ltt::stream_of(ltt::read_streams(trace, 1), getpid()).check_numbers(0, 10);
}

TEST("vfork, then exec: the child's events before it are in its parent's stream")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	pid_t child = vfork();
	if (child == 0) {
		ltt::write_numbers(buffer, 5, 5);
		exec_self("emits");
	}
	ltt::write_numbers(buffer, 10, 5);
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	auto streams = ltt::read_streams(trace, 2);
	ltt::stream_of(streams, getpid()).check_numbers(0, 15);
	ltt::stream_of(streams, child).check_ended(500, 5);
	CHECK_EQ(mappings(), 2);
}

TEST("vfork: a trace begins meanwhile, the child asks for its buffers and ends; the parent lives")
{
	ltt::Trace first(ltt::params("first"));
	first.start();
	buffer = ltt::Buffer::of(first);
	ltt::write_numbers(buffer, 0, 1);
	ltt::Trace second(ltt::params("second"));
	second.start();
	static void *address;
	static int result, error, active, filter;
	address = nullptr;
	pid_t child = vfork();
	if (child == 0) {
		result = ltt_update(&address, &active, &filter);
		error = errno;
		_exit(0);
	}
	CHECK_EQ(wait_for(child), 0);
	// One of its own would vanish from the parent's memory with it.
	CHECK_EQ(result, 1);
	// errno: ltt_update EAGAIN: vfork
	CHECK_EQ(error, EAGAIN);
	CHECK_EQ(address, nullptr);
	ltt::write_numbers(buffer, 1, 1);
	ltt::Buffer own = ltt::Buffer::next();
	REQUIRE(own);
	own.write(uint64_t{7});
	second.flush();
	ltt::stream_of(ltt::read_streams(second, 1), getpid()).check_numbers(7, 1);
}

TEST("clone with CLONE_VM alone: the child gets a buffer of its own, and takes it with it")
{
	static ltt::Trace *the_trace;
	ltt::Trace trace(ltt::params());
	the_trace = &trace;
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	int child = clone(
		[](void *) {
			ltt::Buffer own = ltt::Buffer::of(*the_trace);
			ltt::write_numbers(own, 100, 5);
			return mappings() == 4 && own.address() != buffer.address() ? 0 : 1;
		},
		stack_for_child(), CLONE_VM | SIGCHLD, nullptr);
	REQUIRE(child > 0);
	CHECK_EQ(wait_for(child), 0);
	ltt::write_numbers(buffer, 5, 5);
	CHECK_EQ(mappings(), 2);
	trace.flush();
	auto streams = ltt::read_streams(trace, 2);
	ltt::stream_of(streams, getpid()).check_numbers(0, 10);
	ltt::Stream its = ltt::stream_of(streams, child);
	its.check_ended(100, 5);
	CHECK_EQ(its.header.pid, child);
}

TEST("clone with CLONE_VM of a process that was never registered, killed in its loop")
{
	static ltt::Trace *the_trace;
	static std::atomic<uint64_t> written;
	ltt::Trace trace(ltt::params());
	the_trace = &trace;
	trace.start();
	int child = clone(
		[](void *) {
			ltt::Buffer own = ltt::Buffer::of(*the_trace);
			for (uint64_t i = 0;; written = ++i)
				own.write(i);
			return 0;
		},
		stack_for_child(), CLONE_VM | SIGCHLD, nullptr);
	REQUIRE(child > 0);
	WAIT_UNTIL(written > 1000);
	kill(child, SIGKILL);
	wait_for(child);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	uint64_t all = stream.events.size() + stream.header.lost;
	CHECK_GE(all, written.load());
	CHECK_LE(all, written + 1);
	CHECK_EQ(mappings(), 0);
}

TEST("clone without flags, and with CLONE_VFORK, fork like fork")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	std::vector<pid_t> children;
	for (unsigned long flags :
		{0ul, (unsigned long)CLONE_VFORK, (unsigned long)CLONE_FILES | CLONE_FS}) {
		long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
		REQUIRE(child >= 0);
		if (!child) {
			ltt::write_numbers(buffer, 100, 5);
			_exit(0);
		}
		children.push_back(static_cast<pid_t>(child));
		CHECK_EQ(wait_for(children.back()), 0);
	}
	auto streams = ltt::read_streams(trace, 3);
	for (pid_t child : children)
		ltt::stream_of(streams, child).check_ended(100, 5);
}

TEST("daemon(0, 0): the stream goes with the old process, the daemon has its own")
{
	auto *daemon_pid = shared<std::atomic<pid_t>>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 5);
		REQUIRE_OK(daemon(0, 0));
		ltt::write_numbers(buffer, 100, 5);
		*daemon_pid = getpid();
	});
	CHECK_EQ(wait_for(child), 0);
	// The harness, to which orphans come, does not reap it yet.
	WAIT_UNTIL(*daemon_pid && ktap::state_of(*daemon_pid) == 'Z');
	auto streams = ltt::read_streams(trace, 2);
	ltt::stream_of(streams, child).check_ended(0, 5);
	ltt::stream_of(streams, *daemon_pid).check_ended(100, 5);
}

TEST("a fork from a thread that never met a trace, in a process that did")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	pid_t child = 0;
	std::thread([&] {
		child = spawn([&] {
			// The buffer of the thread that is not here is not mapped either.
			CHECK_EQ(mappings(), 0);
			ltt::write_numbers(ltt::Buffer::of(trace), 100, 5);
		});
		CHECK_EQ(wait_for(child), 0);
	}).join();
	auto streams = ltt::read_streams(trace, 1);
	ltt::stream_of(streams, child).check_ended(100, 5);
}

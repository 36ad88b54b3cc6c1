// SPDX-License-Identifier: MIT
//
// Markers in children of every sort: whose stream an event is in, and that none is lost.

#include "../marks.h"

#include <atomic>
#include <sched.h>
#include <spawn.h>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;
using marks::mark;

[[gnu::constructor]] void program(int argc, char **argv, char **)
{
	if (argc == 1 && strcmp(argv[0], "executed") == 0) {
		mark();
		_exit(0);
	}
}

char executed_name[] = "executed";
char *const executed[] = {executed_name, nullptr};

constexpr size_t stack_size = 65536;

void *new_stack()
{
	return static_cast<char *>(mmap(nullptr, stack_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) +
	       stack_size;
}

int write_ten(void *)
{
	mark(10);
	return 0;
}

} // namespace

TEST("fork: both sides go on, each in a stream of its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	mark(5);
	const pid_t child = spawn([] { mark(7); });
	mark(6);
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	const auto streams = marks::read(trace);
	marks::of(streams, getpid()).check(1, 11);
	marks::of(streams, child).check(6, 7);
}

TEST("vfork: the child writes into its parent's stream, the program that it executes into its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	mark(5);
	const pid_t child = vfork();
	if (child == 0) {
		mark(3);
		execv("/proc/self/exe", executed);
		_exit(1);
	}
	mark(4);
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	const auto streams = marks::read(trace);
	marks::of(streams, getpid()).check(1, 12);
	marks::of(streams, child).check(1, 1);
}

TEST("posix_spawn: both programs write")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	mark(5);
	pid_t child = -1;
	REQUIRE_EQ(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, executed, nullptr), 0);
	mark(4);
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	const auto streams = marks::read(trace);
	marks::of(streams, getpid()).check(1, 9);
	marks::of(streams, child).check(1, 1);
}

TEST("daemon: the process that goes on in the background has a stream of its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	auto *const background = shared<std::atomic<pid_t>>();
	const pid_t child = spawn([&] {
		mark(5);
		if (daemon(0, 1) != 0)
			return;
		mark(4);
		*background = getpid();
		_exit(0);
	});
	CHECK_EQ(wait_for(child), 0);
	WAIT_UNTIL(*background);
	WAIT_UNTIL(!ktap::state_of(*background) || ktap::state_of(*background) == 'Z');
	const auto streams = marks::read(trace);
	marks::of(streams, child).check(1, 5);
	marks::of(streams, *background).check(6, 4);
}

TEST("raw clones that share memory and thread-local storage write into their parent's stream")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	mark(5);
	for (const int flags : {CLONE_VM | SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD}) {
		const pid_t child = clone(write_ten, new_stack(), flags, nullptr);
		REQUIRE_OK(child);
		CHECK_EQ(wait_for(child), 0);
	}
	static std::atomic<pid_t> alive;
	alive = 1;
	REQUIRE_OK(clone(write_ten, new_stack(),
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_SYSVSEM | CLONE_THREAD |
			CLONE_CHILD_CLEARTID,
		nullptr, nullptr, nullptr, &alive));
	WAIT_UNTIL(alive == 0);
	mark(2);
	trace.flush();
	marks::of(marks::read(trace), getpid()).check(1, 37);
}

// SPDX-License-Identifier: MIT
//
// Whose a stream is when pids come again, programs take other users' rights, and
// threads are made in ways that no C library makes them.

#include "../streams.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

// clone() with the struct that linux/sched.h has, and glibc 2.36 has not.
long clone3(clone_args &arguments)
{
	return syscall(SYS_clone3, &arguments, sizeof(arguments));
}

// A child of just this pid, which must be free.
pid_t fork_as(pid_t wanted)
{
	fflush(nullptr);
	clone_args arguments = {};
	arguments.exit_signal = SIGCHLD;
	arguments.set_tid = reinterpret_cast<__u64>(&wanted);
	arguments.set_tid_size = 1;
	return static_cast<pid_t>(clone3(arguments));
}

} // namespace

TEST("a pid that comes again and again in one trace: each process has a stream of its own")
{
	constexpr pid_t pid = 4711;
	constexpr uint64_t n = 40;
	ltt::Trace trace(ltt::params());
	trace.start();
	for (uint64_t i = 0; i < n; ++i) {
		pid_t child = fork_as(pid);
		REQUIRE(child >= 0);
		if (!child) {
			prctl(PR_SET_NAME, ("number " + std::to_string(i)).c_str());
			ltt::write_numbers(ltt::Buffer::of(trace), i * 100, 3);
			ktap::end_test(0);
		}
		CHECK_EQ(child, pid);
		CHECK_EQ(wait_for(child), 0);
	}
	std::vector<uint64_t> processes;
	uint64_t i = 0;
	for (auto &[number, stream] : ltt::read_streams(trace, n)) {
		stream.check_ended(i * 100, 3);
		CHECK_EQ(stream.header.pid, pid);
		CHECK_EQ(stream.header.tid, pid);
		CHECK_EQ(std::string(stream.header.comm), "number " + std::to_string(i));
		processes.push_back(stream.header.process);
		++i;
	}
	std::sort(processes.begin(), processes.end());
	CHECK(std::unique(processes.begin(), processes.end()) == processes.end());
}

TEST("a pid that comes again while the first one's stream still is unread, and so its thread's")
{
	constexpr pid_t pid = 4712;
	ltt::Trace trace(ltt::params());
	trace.start();
	// The second life forks; that child's stream is its own as well.
	for (uint64_t life : {0, 1}) {
		pid_t child = fork_as(pid);
		REQUIRE(child >= 0);
		if (!child) {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			ltt::write_numbers(buffer, life * 100, 3);
			if (life)
				CHECK_EQ(wait_for(spawn(
						 [&] { ltt::write_numbers(buffer, 500, 2); })),
					0);
			ktap::end_test(0);
		}
		CHECK_EQ(wait_for(child), 0);
	}
	std::vector<size_t> sizes;
	for (auto &[number, stream] : ltt::read_streams(trace, 3)) {
		CHECK(stream.last());
		sizes.push_back(stream.events.size());
	}
	std::sort(sizes.begin(), sizes.end());
	CHECK(sizes == std::vector<size_t>({2, 3, 3}));
}

namespace
{

// What a raw thread can do: no thread-local storage of its own, so no errno.
struct Raw {
	ltt_trace_page *page;
	std::atomic<int> result;
	std::atomic<int> alive;
};

Raw *raw;

[[gnu::noinline]] int raw_thread(void *)
{
	void *address = nullptr;
	int active, filter;
	raw->result =
		static_cast<int>(ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
			reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter)));
	ltt::Buffer buffer(address);
	if (buffer)
		for (uint64_t i = 0; i < 5; ++i)
			buffer.write(100 + i);
	return 0;
}

char *stack_of_raw_thread()
{
	static char stack[64 * 1024];
	return stack + sizeof(stack);
}

} // namespace

TEST("clone with CLONE_VM and CLONE_THREAD, without thread-local storage: a stream of its own")
{
	raw = shared<Raw>();
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	raw->alive = 1;
	int tid = clone(raw_thread, stack_of_raw_thread(),
		CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS | CLONE_FILES |
			CLONE_CHILD_CLEARTID,
		nullptr, nullptr, nullptr, reinterpret_cast<pid_t *>(&raw->alive));
	REQUIRE(tid > 0);
	WAIT_UNTIL(!raw->alive);
	CHECK_EQ(raw->result.load(), 0);
	ltt::write_numbers(buffer, 5, 5);
	trace.flush();
	auto streams = ltt::read_streams(trace, 2);
	ltt::stream_of(streams, getpid()).check_numbers(0, 10);
	ltt::Stream its = ltt::stream_of(streams, tid);
	its.check_ended(100, 5);
	CHECK_EQ(its.header.pid, getpid());
}

TEST("clone with CLONE_VM and CLONE_VFORK: the child writes into its parent's stream")
{
	static ltt::Buffer buffer;
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	int child = clone(
		[](void *) {
			ltt::write_numbers(buffer, 5, 5);
			return 0;
		},
		stack_of_raw_thread(), CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
	REQUIRE(child > 0);
	CHECK_EQ(wait_for(child), 0);
	ltt::write_numbers(buffer, 10, 5);
	trace.flush();
	ltt::stream_of(ltt::read_streams(trace, 1), getpid()).check_numbers(0, 15);
}

TEST("clone3 with CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS, CLONE_PIDFD forks like fork")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 5);
	size_t n = 0;
	for (unsigned long flags : {(unsigned long)CLONE_NEWUSER, (unsigned long)CLONE_NEWPID,
		     (unsigned long)CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS,
		     (unsigned long)CLONE_PIDFD}) {
		fflush(nullptr);
		int pidfd = -1;
		clone_args arguments = {};
		arguments.flags = flags;
		arguments.exit_signal = SIGCHLD;
		arguments.pidfd = flags & CLONE_PIDFD ? reinterpret_cast<__u64>(&pidfd) : 0;
		long child = clone3(arguments);
		REQUIRE(child >= 0);
		if (!child) {
			ltt::write_numbers(buffer, 100, 5);
			ktap::end_test(0);
		}
		CHECK_EQ(wait_for(static_cast<pid_t>(child)), 0);
		auto streams = ltt::streams_of(trace.read_packets());
		ltt::stream_of(streams, static_cast<pid_t>(child)).check_ended(100, 5);
		++n;
	}
	CHECK_EQ(n, 4);
}

namespace
{

constexpr uid_t user = 1001;

void copy_of_this_program(const char *path, mode_t mode)
{
	std::string program = ktap::read_file("/proc/self/exe");
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0700);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, program.data(), program.size()), program.size());
	REQUIRE_OK(fchmod(fd, mode));
	close(fd);
}

void become_user()
{
	REQUIRE_OK(setgroups(0, nullptr));
	REQUIRE_OK(setgid(user));
	REQUIRE_OK(setuid(user));
	prctl(PR_SET_DUMPABLE, 1); // like a program that this user started
}

} // namespace

// Before main(), so that the harness does not take the arguments for its own:
// a program whose exit status says whether a trace covers it.
[[gnu::constructor]] static void program(int argc, char **argv, char **)
{
	if (argc == 1 && !strcmp(argv[0], "am-i-covered"))
		_exit(ltt::Buffer::next() ? 1 : 0);
}

TEST("a set-uid program is not covered by the trace of the user who runs it")
{
	copy_of_this_program("/tmp/plain", 0755);
	copy_of_this_program("/tmp/set-uid", 04755);
	CHECK_EQ(wait_for(spawn([] {
		become_user();
		ltt_trace_params params = ltt::params("mine");
		params.flags = 0;
		ltt::Trace trace(params);
		trace.start();
		auto covered = [](const char *path) {
			return wait_for(spawn([=] {
				ltt::Buffer::next(); // registered before
				execl(path, "am-i-covered", nullptr);
				_exit(99);
			}));
		};
		CHECK_EQ(WEXITSTATUS(covered("/tmp/plain")), 1);
		CHECK_EQ(WEXITSTATUS(covered("/tmp/set-uid")), 0);
	})),
		0);
	unlink("/tmp/plain");
	unlink("/tmp/set-uid");
}

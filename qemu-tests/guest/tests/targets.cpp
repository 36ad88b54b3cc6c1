// SPDX-License-Identifier: MIT
//
// Traces that are limited to processes, users, executables and control groups.

#include "../process.h"
#include "../streams.h"
#include "../users.h"

#include <csignal>
#include <sched.h>
#include <sys/stat.h>

namespace
{

using namespace ktap;
using namespace users;

// Run again by exec: "write" writes one event if it gets a buffer, "fork" does so in a
// child, "run FILE ARGUMENT" executes FILE.
void write_one()
{
	ltt::Buffer buffer = ltt::Buffer::next();
	if (buffer)
		buffer.write(uint64_t{1});
}

// No constructor of a traced program ran before: only the marker itself registers.
[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc < 2)
		return;
	if (!strcmp(argv[1], "write")) {
		write_one();
		_exit(0);
	}
	if (!strcmp(argv[1], "fork")) {
		pid_t child = fork();
		if (!child) {
			write_one();
			_exit(0);
		}
		waitpid(child, nullptr, 0);
		_exit(0);
	}
	if (!strcmp(argv[1], "vfork")) {
		pid_t child = vfork();
		if (!child) {
			execl("/proc/self/exe", "targets", "write", nullptr);
			_exit(1);
		}
		waitpid(child, nullptr, 0);
		_exit(0);
	}
}

ltt_trace_params limited(std::initializer_list<ltt_target> targets, const char *name = "test")
{
	static std::vector<ltt_target> kept;
	kept = targets;
	ltt_trace_params p = ltt::params(name);
	p.targets = reinterpret_cast<uintptr_t>(kept.data());
	p.n_targets = static_cast<__u32>(kept.size());
	return p;
}

ltt_target pid_target(pid_t pid, __u32 flags = 0)
{
	return {LTT_TARGET_PID, flags, pid};
}

void execute(const char *file, const char *argument)
{
	execl(file, "targets", argument, nullptr);
	ktap::fail(__FILE__, __LINE__, "%s: %s", file, strerror(errno));
}

// A child that waits for SIGCONT before it does this.
template <class F>
pid_t stopped(F f)
{
	pid_t child = spawn([&] {
		kill(getpid(), SIGSTOP);
		f();
	});
	int status;
	REQUIRE_EQ(waitpid(child, &status, WUNTRACED), child);
	REQUIRE(WIFSTOPPED(status));
	return child;
}

void run(pid_t child)
{
	REQUIRE_OK(kill(child, SIGCONT));
	CHECK_EQ(wait_for(child), 0);
}

size_t streams_in(ltt::Trace &trace)
{
	return ltt::streams_of(trace.read_packets()).size();
}

void copy_self(const char *to, mode_t mode = 0755)
{
	std::string self = read_file("/proc/self/exe");
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, self.data(), self.size()), static_cast<ssize_t>(self.size()));
	REQUIRE_OK(fchmod(fd, mode));
	close(fd);
}

} // namespace

TEST("a process: it alone, not its child nor anybody else")
{
	pid_t chosen = stopped([] {
		write_one();
		CHECK_EQ(wait_for(spawn(write_one)), 0);
	});
	ltt::Trace trace(limited({pid_target(chosen)}));
	CHECK_EQ(trace.info().n_targets, 1u);
	trace.start();
	CHECK(!ltt::Buffer::next());
	run(chosen);
	auto streams = ltt::streams_of(trace.read_packets());
	CHECK_EQ(streams.size(), 1u);
	ltt::stream_of(streams, chosen);
}

TEST("a process, before it executes the program that is meant")
{
	pid_t chosen = stopped([] { execute("/proc/self/exe", "write"); });
	ltt::Trace trace(limited({pid_target(chosen)}));
	trace.start();
	run(chosen);
	CHECK_EQ(streams_in(trace), 1u);
}

TEST("a process whose child has its buffer at hand: the child is not meant all the same")
{
	ltt::Trace all(ltt::params("all")); // keeps the gates open
	all.start();
	pid_t chosen = stopped([] {
		ltt::Buffer first = ltt::Buffer::next(), second = ltt::Buffer::next();
		REQUIRE(second);
		ltt::write_numbers(first, 0, 1);
		ltt::write_numbers(second, 0, 1);
		CHECK_EQ(wait_for(spawn([&] {
			ltt::write_numbers(first, 1, 1);
			ltt::write_numbers(second, 1, 1);
		})),
			0);
	});
	ltt::Trace trace(limited({pid_target(chosen)}));
	trace.start();
	run(chosen);
	CHECK_EQ(streams_in(all), 2u);
	CHECK_EQ(streams_in(trace), 1u);
}

TEST("with its children to come: through fork, vfork and exec, of programs that have no marker")
{
	for (const char *how : {"fork", "vfork"}) {
		pid_t chosen = stopped([&] {
			pid_t child = spawn([&] { execute("/proc/self/exe", how); });
			CHECK_EQ(wait_for(child), 0);
		});
		ltt::Trace trace(limited({pid_target(chosen, LTT_TARGET_FOLLOW)}));
		trace.start();
		run(chosen);
		// Its grandchild, whose parent is another program by now.
		auto streams = ltt::streams_of(trace.read_packets());
		CHECK_EQ(streams.size(), 1u);
		for (auto &[number, s] : streams)
			CHECK_NE(s.header.pid, static_cast<__u32>(chosen));
		CHECK(!ltt::Buffer::next());
	}
}

TEST("a trace that takes the place of one with children follows nobody")
{
	pid_t chosen = stopped([] { CHECK_EQ(wait_for(spawn(write_one)), 0); });
	pid_t other = stopped([] {});
	__u32 slot;
	{
		ltt::Trace trace(limited({pid_target(chosen, LTT_TARGET_FOLLOW)}));
		slot = trace.info().trace;
	}
	ltt::Trace next(limited({pid_target(other, LTT_TARGET_FOLLOW)}));
	CHECK_EQ(next.info().trace, slot);
	next.start();
	run(chosen);
	run(other);
	CHECK_EQ(streams_in(next), 0u);
}

TEST("a user")
{
	ltt::Trace trace(limited({{LTT_TARGET_UID, 0, user_a}}));
	trace.start();
	as_user(user_a, write_one);
	as_user(user_b, write_one);
	write_one();
	auto streams = ltt::streams_of(trace.read_packets());
	CHECK_EQ(streams.size(), 1u);
	for (auto &[number, s] : streams)
		CHECK_EQ(s.header.uid, user_a);
}

TEST("an executable, by whatever name")
{
	copy_self("/tmp/chosen");
	REQUIRE_OK(link("/tmp/chosen", "/tmp/alias"));
	int file = open("/tmp/chosen", O_RDONLY | O_CLOEXEC);
	REQUIRE(file >= 0);
	ltt::Trace trace(limited({{LTT_TARGET_EXE, 0, file}}));
	close(file);
	trace.start();
	write_one();
	CHECK_EQ(wait_for(spawn([] { execute("/proc/self/exe", "write"); })), 0);
	CHECK_EQ(streams_in(trace), 0u);
	CHECK_EQ(wait_for(spawn([] { execute("/tmp/alias", "write"); })), 0);
	CHECK_EQ(wait_for(spawn([] { execute("/tmp/chosen", "fork"); })), 0);
	CHECK_EQ(streams_in(trace), 2u);
	unlink("/tmp/chosen");
	unlink("/tmp/alias");
}

TEST("a control group, and those below it")
{
	REQUIRE_OK(mkdir("/sys/fs/cgroup/chosen", 0755));
	REQUIRE_OK(mkdir("/sys/fs/cgroup/chosen/below", 0755));
	int directory = open("/sys/fs/cgroup/chosen", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(directory >= 0);
	ltt::Trace trace(limited({{LTT_TARGET_CGROUP, 0, directory}}));
	close(directory);
	trace.start();
	write_one();
	CHECK_EQ(streams_in(trace), 0u);
	for (const char *group : {"/sys/fs/cgroup/chosen", "/sys/fs/cgroup/chosen/below"})
		CHECK_EQ(wait_for(spawn([&] {
			std::string procs = std::string(group) + "/cgroup.procs";
			int fd = open(procs.c_str(), O_WRONLY);
			REQUIRE_EQ(write(fd, "0", 1), 1);
			write_one();
		})),
			0);
	CHECK_EQ(streams_in(trace), 2u);
	trace.destroy();
	WAIT_UNTIL(rmdir("/sys/fs/cgroup/chosen/below") == 0);
	WAIT_UNTIL(rmdir("/sys/fs/cgroup/chosen") == 0);
}

TEST("of one kind any will do, of several kinds each must")
{
	ltt::Trace trace(limited({{LTT_TARGET_UID, 0, user_a}, {LTT_TARGET_UID, 0, user_b},
		pid_target(getpid(), LTT_TARGET_FOLLOW)}));
	trace.start();
	as_user(user_a, write_one);
	as_user(user_b, write_one);
	as_user(1003, write_one);
	write_one();
	CHECK_EQ(streams_in(trace), 2u);
}

TEST("a target gives no power over what is another's")
{
	pid_t mine = stopped(write_one);
	pid_t user = stopped([&] {
		become(user_a);
		for (__u32 flags : {0u, unsigned(LTT_TARGET_FOLLOW)}) {
			ltt_trace_params p = limited({pid_target(mine, flags)});
			p.flags = 0;
			CHECK_ERRNO(ltt::create(p), EPERM);
		}
		ltt_trace_params p = limited({{LTT_TARGET_UID, 0, 0}});
		p.flags = 0;
		ltt::Trace trace(p);
		trace.start();
		kill(getpid(), SIGSTOP);
		CHECK_EQ(streams_in(trace), 0u);
	});
	REQUIRE_OK(kill(user, SIGCONT));
	int status;
	REQUIRE_EQ(waitpid(user, &status, WUNTRACED), user);
	CHECK(WIFSTOPPED(status));
	run(mine);
	run(user);
}

TEST("targets that are none are refused, and leave no trace behind")
{
	int directory = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t gone = spawn([] {});
	CHECK_EQ(wait_for(gone), 0);
	struct {
		ltt_target target;
		int error;
	} cases[] = {
		// errno: LTT_IOC_CREATE EINVAL: unknown kind
		{{LTT_TARGET_CGROUP + 1, 0, 1}, EINVAL},
		{{LTT_TARGET_PID, LTT_TARGET_FOLLOW << 1, 1}, EINVAL},
		{{LTT_TARGET_UID, LTT_TARGET_FOLLOW, 1}, EINVAL},
		// errno: LTT_IOC_CREATE EINVAL: out of range, or the user
		{{LTT_TARGET_PID, 0, 0}, EINVAL},
		{{LTT_TARGET_PID, 0, -1}, EINVAL},
		{{LTT_TARGET_PID, 0, int64_t{1} << 32 | 1}, EINVAL},
		// errno: LTT_IOC_CREATE ESRCH
		{{LTT_TARGET_PID, 0, gone}, ESRCH},
		{{LTT_TARGET_UID, 0, -1}, EINVAL},
		{{LTT_TARGET_UID, 0, 0xffffffff}, EINVAL},
		// errno: LTT_IOC_CREATE EBADF: LTT_TARGET_EXE
		{{LTT_TARGET_EXE, 0, -1}, EBADF},
		{{LTT_TARGET_EXE, 0, 1000}, EBADF},
		// errno: LTT_IOC_CREATE EINVAL: no ordinary file
		{{LTT_TARGET_EXE, 0, directory}, EINVAL},
		// errno: LTT_IOC_CREATE EBADF: LTT_TARGET_CGROUP
		{{LTT_TARGET_CGROUP, 0, -1}, EBADF},
		{{LTT_TARGET_CGROUP, 0, directory}, EBADF},
	};
	for (auto &c : cases) {
		// Behind a good one, which has to be given back.
		CHECK_ERRNO(ltt::create(limited({pid_target(getpid()), c.target})), c.error);
		CHECK_ERRNO(ltt::open_trace("test"), ENOENT);
	}
	ltt_trace_params p = ltt::params();
	p.n_targets = 1;
	// errno: LTT_IOC_CREATE EINVAL: one is zero
	CHECK_ERRNO(ltt::create(p), EINVAL);
	p.targets = 8;
	// errno: LTT_IOC_CREATE EFAULT: targets
	CHECK_ERRNO(ltt::create(p), EFAULT);
	p.n_targets = LTT_MAX_TARGETS + 1;
	// errno: LTT_IOC_CREATE E2BIG
	CHECK_ERRNO(ltt::create(p), E2BIG);
	p.n_targets = 0;
	CHECK_ERRNO(ltt::create(p), EINVAL);
	close(directory);
}

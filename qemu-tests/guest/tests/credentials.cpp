// SPDX-License-Identifier: MIT
//
// Programs that change who they are while they are traced, and namespaces.

#include "../process.h"
#include "../streams.h"
#include "../users.h"

#include <atomic>
#include <csignal>
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>
#include <thread>

namespace
{

using namespace ktap;
using namespace users;

[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc < 2 || strcmp(argv[1], "write"))
		return;
	ltt::Buffer buffer = ltt::Buffer::next();
	if (buffer)
		buffer.write(uint64_t{1});
	_exit(buffer ? 1 : 0);
}

void copy_self(const char *to, mode_t mode)
{
	std::string self = read_file("/proc/self/exe");
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, self.data(), self.size()), static_cast<ssize_t>(self.size()));
	REQUIRE_OK(fchmod(fd, mode));
	close(fd);
}

// A trace of this user, started, in a process that waits to be told to look.
class Owner
{
public:
	explicit Owner(uid_t uid)
	{
		found = shared<uint64_t>();
		child = spawn([&] {
			become(uid);
			ltt::Trace trace(own_params("theirs"));
			trace.start();
			kill(getpid(), SIGSTOP);
			trace.flush();
			*found = ltt::events_of(trace.read_events()).size();
		});
		int status;
		REQUIRE_EQ(waitpid(child, &status, WUNTRACED), child);
		REQUIRE(WIFSTOPPED(status));
	}

	uint64_t events()
	{
		REQUIRE_OK(kill(child, SIGCONT));
		CHECK_EQ(wait_for(child), 0);
		return *found;
	}

private:
	pid_t child;
	uint64_t *found;
};

} // namespace

TEST("what a program does after it kept its user from looking in, that one does not see")
{
	for (const char *how : {"dumpable", "namespace"}) {
		Owner owner(user_a);
		as_user(user_a, [&] {
			ltt::Buffer buffer = ltt::Buffer::next();
			REQUIRE(buffer);
			ltt::write_numbers(buffer, 0, 3);
			if (!strcmp(how, "dumpable"))
				REQUIRE_OK(prctl(PR_SET_DUMPABLE, 0));
			else
				REQUIRE_OK(unshare(CLONE_NEWUSER));
			ltt::write_numbers(buffer, 3, 5);
			void *address = buffer.address();
			int active, filter;
			// errno: ltt_update ENOENT: must not see
			CHECK_ERRNO(syscall(LTT_NR_update, &address, &active, &filter), ENOENT);
			CHECK(!ltt::Buffer::next());
		});
		CHECK_EQ(owner.events(), 3u);
	}
}

TEST("what a child does whose parent hid itself before it forked, that user does not see")
{
	for (const char *how : {"dumpable", "namespace", "clone"}) {
		Owner owner(user_a);
		as_user(user_a, [&] {
			ltt::Buffer buffer = ltt::Buffer::next();
			REQUIRE(buffer);
			ltt::write_numbers(buffer, 0, 3);
			unsigned long flags = SIGCHLD;
			if (!strcmp(how, "dumpable"))
				REQUIRE_OK(prctl(PR_SET_DUMPABLE, 0));
			else if (!strcmp(how, "namespace"))
				REQUIRE_OK(unshare(CLONE_NEWUSER));
			else
				flags |= CLONE_NEWUSER;
			long child = syscall(SYS_clone, flags, 0, 0, 0, 0);
			REQUIRE(child >= 0);
			if (!child) {
				ltt::write_numbers(buffer, 3, 5);
				_exit(0);
			}
			int status;
			REQUIRE_EQ(waitpid(static_cast<pid_t>(child), &status, 0), child);
			CHECK_EQ(status, 0);
		});
		CHECK_EQ(owner.events(), 3u);
	}
}

TEST("root drops its power: from then on nobody's trace but root's covers it")
{
	ltt::Trace system(ltt::params("system"));
	ltt::Trace own(own_params("roots-own"));
	system.start();
	own.start();
	pid_t child = spawn([&] {
		ltt::Buffer in_system = ltt::Buffer::of(system), in_own = ltt::Buffer::of(own);
		ltt::write_numbers(in_system, 0, 2);
		ltt::write_numbers(in_own, 0, 2);
		REQUIRE_OK(setgid(user_a));
		REQUIRE_OK(setuid(user_a));
		ltt::write_numbers(in_system, 2, 2);
		ltt::write_numbers(in_own, 2, 2);
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream s = ltt::stream_of(ltt::streams_of(system.read_packets()), child);
	s.check_ended(0, 4);
	CHECK_EQ(s.header.uid, user_a);
	ltt::stream_of(ltt::streams_of(own.read_packets()), child).check_numbers(0, 2);
}

TEST("other threads of the program go on with theirs")
{
	ltt::Trace own(own_params("roots-own"));
	own.start();
	pid_t child = spawn([&] {
		ltt::Buffer mine = ltt::Buffer::of(own);
		ltt::write_numbers(mine, 0, 2);
		// Only this thread: the system call, not the C library's function.
		REQUIRE_OK(syscall(SYS_setresuid, user_a, user_a, user_a));
		ltt::write_numbers(mine, 2, 2);
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::stream_of(ltt::streams_of(own.read_packets()), child).check_numbers(0, 2);
}

TEST("one thread makes the program undumpable: the others' buffers are sealed, too")
{
	Owner owner(user_a);
	as_user(user_a, [] {
		std::atomic<int> step{0};
		std::thread other([&] {
			ltt::Buffer buffer = ltt::Buffer::next();
			REQUIRE(buffer);
			ltt::write_numbers(buffer, 0, 3);
			step = 1;
			while (step != 2)
				usleep(1000); // returns to user mode by itself
			ltt::write_numbers(buffer, 3, 5);
		});
		while (step != 1)
			usleep(1000);
		REQUIRE_OK(prctl(PR_SET_DUMPABLE, 0));
		step = 2;
		other.join();
	});
	CHECK_EQ(owner.events(), 3u);
}

TEST("a set-uid program is not its caller's to trace")
{
	copy_self("/tmp/suid", 04755);
	as_user(user_a, [] {
		ltt::Trace trace(own_params("mine"));
		trace.start();
		CHECK(ltt::Buffer::next());
		pid_t child = spawn([] {
			execl("/tmp/suid", "suid", "write", nullptr);
			_exit(2);
		});
		CHECK_EQ(wait_for(child), 0); // 0: it got no buffer
	});
	unlink("/tmp/suid");
}

TEST("root of a user namespace has no power outside, and its ids are told both ways")
{
	ltt::Trace system(ltt::params("system"));
	system.start();
	pid_t child = spawn([] {
		become(user_a);
		REQUIRE_OK(unshare(CLONE_NEWUSER));
		auto put = [](const char *path, const char *text) {
			int fd = open(path, O_WRONLY | O_CLOEXEC);
			REQUIRE(fd >= 0);
			REQUIRE_EQ(
				write(fd, text, strlen(text)), static_cast<ssize_t>(strlen(text)));
			close(fd);
		};
		put("/proc/self/setgroups", "deny");
		put("/proc/self/uid_map", "0 1001 1");
		put("/proc/self/gid_map", "0 1001 1");
		REQUIRE_EQ(getuid(), 0u);
		CHECK_ERRNO(ltt::create(ltt::params("inner")), EPERM);
		CHECK_ERRNO(ltt::open_trace("system"), ENOENT);
		ltt::Buffer buffer = ltt::Buffer::next();
		REQUIRE(buffer);
		buffer.write(uint64_t{7});
		ltt::Trace inner(own_params("inner"));
		CHECK_EQ(inner.info().uid, 0u);
		CHECK(ltt::Buffer::next());
	});
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream s = ltt::stream_of(ltt::streams_of(system.read_packets()), child);
	CHECK_EQ(s.events.size(), 1u);
	CHECK_EQ(s.header.uid, user_a);
	CHECK_EQ(s.header.gid, user_a);
	CHECK_EQ(s.header.vuid, 0u);
	CHECK_EQ(s.header.vgid, 0u);
}

TEST("who has the owner's uid but not all of its power is no owner of the trace")
{
	ltt::Trace own(own_params("roots-own"));
	CHECK_EQ(wait_for(spawn([] {
		__user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
		__user_cap_data_struct none[2] = {};
		REQUIRE_EQ(syscall(SYS_capset, &header, none), 0);
		CHECK_ERRNO(ltt::open_trace("roots-own"), ENOENT);
	})),
		0);
}

TEST("from within a user namespace the same user has less power over traces outside")
{
	Owner owner(user_a);
	as_user(user_a, [] {
		CHECK_OK(ltt::open_trace("theirs"));
		REQUIRE_OK(unshare(CLONE_NEWUSER));
		CHECK_ERRNO(ltt::open_trace("theirs"), ENOENT);
		CHECK(!ltt::Buffer::next());
	});
	CHECK_EQ(owner.events(), 0u);
}

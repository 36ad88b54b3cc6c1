// SPDX-License-Identifier: MIT
//
// Errors of the manual pages that no other test meets. The comments "errno: CALL
// ERRNO" here and elsewhere say which entry of a page the next check provokes;
// tests/scripts/manuals_test.py holds them against the pages.

#include "../streams.h"
#include "../users.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

namespace
{

using ktap::spawn;
using ktap::wait_for;
using namespace users;

// Whatever /proc/sys has there, until the test is over.
class Setting
{
public:
	Setting(const char *path, const char *value) : path(path), old(ktap::read_file(path))
	{
		write(value);
	}
	~Setting() { write(old.c_str()); }

private:
	void write(const char *value)
	{
		FILE *file = fopen(path, "we");
		REQUIRE(file);
		REQUIRE(fputs(value, file) >= 0);
		REQUIRE_EQ(fclose(file), 0);
	}

	const char *path;
	std::string old;
};

ltt_trace_params limited(const ltt_target &target)
{
	ltt_trace_params p = ltt::params();
	p.targets = reinterpret_cast<uintptr_t>(&target);
	p.n_targets = 1;
	return p;
}

} // namespace

TEST("with as many files open as a process may, there are no more descriptors of traces")
{
	ltt::Trace trace(ltt::params());
	int device = ltt::open_device();
	ltt_trace_params p = ltt::params("another");
	ltt_trace_name name = {"test"};
	rlimit old, none;
	REQUIRE_OK(getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = 0;
	REQUIRE_OK(setrlimit(RLIMIT_NOFILE, &none));
	// errno: LTT_IOC_CREATE EMFILE
	CHECK_ERRNO(ioctl(device, LTT_IOC_CREATE, &p), EMFILE);
	// errno: LTT_IOC_OPEN EMFILE
	CHECK_ERRNO(ioctl(device, LTT_IOC_OPEN, &name), EMFILE);
	// errno: LTT_IOC_SNAPSHOT EMFILE
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT), EMFILE);
	REQUIRE_OK(setrlimit(RLIMIT_NOFILE, &old));
	CHECK_ERRNO(ltt::open_trace("another"), ENOENT);
	close(device);
}

TEST("with as many files open as the system may have, a user gets no descriptors of traces")
{
	pid_t user = spawn([] {
		become(user_a);
		ltt::Trace trace(own_params("mine"));
		int device = ltt::open_device();
		ltt_trace_params p = own_params("another");
		ltt_trace_name name = {"mine"};
		kill(getpid(), SIGSTOP);
		// errno: LTT_IOC_CREATE ENOMEM: or the system
		CHECK_ERRNO(ioctl(device, LTT_IOC_CREATE, &p), ENOMEM);
		// errno: LTT_IOC_OPEN ENFILE
		CHECK_ERRNO(ioctl(device, LTT_IOC_OPEN, &name), ENFILE);
		// errno: LTT_IOC_SNAPSHOT ENFILE
		CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT), ENFILE);
	});
	int status;
	REQUIRE_EQ(waitpid(user, &status, WUNTRACED), user);
	REQUIRE(WIFSTOPPED(status));
	{
		// Not 1: the count may lag behind by some on each processor.
		Setting none("/proc/sys/fs/file-max", "0");
		REQUIRE_OK(kill(user, SIGCONT));
		CHECK_EQ(wait_for(user), 0);
	}
	CHECK_ERRNO(ltt::open_trace("another"), ENOENT);
}

TEST("requests are refused by descriptors that do not know them, and without their memory")
{
	ltt::Trace trace(ltt::params());
	int device = ltt::open_device();
	// errno: any request ENOTTY
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_CREATE, nullptr), ENOTTY);
	CHECK_ERRNO(ioctl(ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT), 0x1234), ENOTTY);
	// errno: LTT_IOC_OPEN EFAULT
	CHECK_ERRNO(ioctl(device, LTT_IOC_OPEN, nullptr), EFAULT);
	// errno: LTT_IOC_FILTER EFAULT
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_FILTER, nullptr), EFAULT);
	CHECK_EQ(trace.info().filter, ~0u);
	ltt_trace_name endless;
	memset(endless.name, 'x', sizeof(endless.name));
	// errno: LTT_IOC_OPEN EINVAL
	CHECK_ERRNO(ioctl(device, LTT_IOC_OPEN, &endless), EINVAL);
	close(device);
}

TEST("a user that is not in the creator's namespace is no target")
{
	as_user(user_a, [] {
		REQUIRE_OK(unshare(CLONE_NEWUSER));
		ltt_target target = {LTT_TARGET_UID, 0, user_a};
		ltt_trace_params p = limited(target);
		p.flags = 0;
		// errno: LTT_IOC_CREATE EINVAL: does not exist in the caller's user namespace
		CHECK_ERRNO(ltt::create(p), EINVAL);
	});
}

TEST("a process that a user must not look into is no target of a trace of its own")
{
	ltt_target target = {LTT_TARGET_PID, 0, getpid()};
	as_user(user_a, [&] {
		ltt_trace_params p = limited(target);
		p.flags = 0;
		// errno: LTT_IOC_CREATE EPERM: must not look into
		CHECK_ERRNO(ltt::create(p), EPERM);
	});
}

TEST("a control group that was removed is no target")
{
	const char *path = "/sys/fs/cgroup/removed";
	REQUIRE_OK(mkdir(path, 0755));
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(directory >= 0);
	WAIT_UNTIL(rmdir(path) == 0);
	ltt_target target = {LTT_TARGET_CGROUP, 0, directory};
	// errno: LTT_IOC_CREATE ENOENT
	CHECK_ERRNO(ltt::create(limited(target)), ENOENT);
	close(directory);
}

TEST("a read that finds nothing tells so, or waits until a signal's handler ran")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	char packet[4096];
	int fd = trace.descriptor(), flags = fcntl(fd, F_GETFL);
	REQUIRE_OK(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
	// errno: read EAGAIN
	CHECK_ERRNO(read(fd, packet, sizeof(packet)), EAGAIN);
	REQUIRE_OK(fcntl(fd, F_SETFL, flags));
	struct sigaction action = {};
	action.sa_handler = [](int) {};
	REQUIRE_OK(sigaction(SIGALRM, &action, nullptr));
	// Again and again: the first may come before the read sleeps.
	itimerval often = {{0, 10000}, {0, 10000}};
	REQUIRE_OK(setitimer(ITIMER_REAL, &often, nullptr));
	// errno: read EINTR
	CHECK_ERRNO(read(fd, packet, sizeof(packet)), EINTR);
}

TEST("ltt_switch: EAGAIN while an event in flight is in the way; when it ends, it goes on")
{
	ltt_trace_params p = ltt::params();
	p.mode = LTT_MODE_OVERWRITE;
	ltt::Trace trace(p);
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	ltt_control &control = buffer.control();
	const __u64 commit = control.commit;
	control.reserve += 16; // begun, not ended
	for (__u32 i = 1; i < buffer->n_subbufs; ++i) {
		control.reserve = control.limit;
		REQUIRE_EQ(ltt_switch(buffer.address()), 0);
	}
	control.reserve = control.limit;
	// errno: ltt_switch EAGAIN
	CHECK_ERRNO(ltt_switch(buffer.address()), EAGAIN);
	CHECK_EQ(control.full, 0u);
	CHECK_EQ(control.commit, commit);
	control.commit = control.reserve;
	CHECK_EQ(ltt_switch(buffer.address()), 0);
}

TEST("ltt_update: ENOMEM if mappings are locked and this one would be too much, counted as refused")
{
	ltt::Trace system(ltt::params());
	as_user(user_a, [] {
		rlimit little = {8192, 8192};
		void *address = nullptr;
		int active, filter;
		REQUIRE_OK(mlockall(MCL_FUTURE));
		REQUIRE_OK(setrlimit(RLIMIT_MEMLOCK, &little));
		// errno: ltt_update ENOMEM
		CHECK_ERRNO(ltt_update(&address, &active, &filter), ENOMEM);
		CHECK_EQ(address, nullptr);
		REQUIRE_OK(munlockall());
		CHECK(ltt::Buffer::next());
	});
	CHECK_EQ(system.info().refused, 1u);
}

TEST("ltt_switch: ENOENT once the trace's owner must not see the process any more")
{
	as_user(user_a, [] {
		ltt::Trace trace(own_params("mine"));
		trace.start();
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
		REQUIRE_OK(prctl(PR_SET_DUMPABLE, 0));
		// errno: ltt_switch ENOENT: must not see
		CHECK_ERRNO(ltt_switch(buffer.address()), ENOENT);
	});
}

TEST("ltt_register: definitions may be registered LTT_MAX_GATES times")
{
	uint64_t definitions = 0;
	ltt_registration r = {};
	r.events = reinterpret_cast<uintptr_t>(&definitions);
	r.events_size = sizeof(definitions);
	for (int i = 0; i < LTT_MAX_GATES; ++i)
		REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	// errno: ltt_register ENOSPC: definitions
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), ENOSPC);
}

TEST("ltt_register: a gate is taken back without definitions")
{
	static ltt_gate gate;
	ltt_registration r = {};
	r.gate = reinterpret_cast<uintptr_t>(&gate);
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	r.flags = LTT_REGISTER_REMOVE;
	r.events = r.gate;
	r.events_size = sizeof(gate);
	// errno: ltt_register EINVAL: or with definitions
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), EINVAL);
	r.events = r.events_size = 0;
	CHECK_EQ(ltt_register(&r, sizeof(r)), 0);
}

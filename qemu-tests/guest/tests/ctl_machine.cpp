// SPDX-License-Identifier: MIT
//
// ltt-ctl check on a machine that has ltt: what it finds, and what it finds wrong where
// something is.

// qemu: tool=ltt-ctl

#include "../seccomp.h"
#include "../streams.h"
#include "../tool.h"
#include "../users.h"

#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace
{

using namespace ktap;
using namespace tool;

constexpr unsigned first = LTT_NR_update, last = LTT_NR_register;

// Does this in a child, and checks there what ltt-ctl says of the machine.
template <class F>
void in_child(F f)
{
	CHECK_EQ(wait_for(spawn(f)), 0);
}

void check_says(int status, const std::string &text)
{
	Result r = ltt_ctl({"check"});
	CHECK_EQ(r.exit(), status);
	CHECK_EQ(r.err, "");
	CHECK_SAYS(r, text);
}

} // namespace

TEST("check finds all well on this kernel, and leaves no trace")
{
	Result r = ltt_ctl({"check"});
	CHECK_EQ(r.exit(), 0);
	for (const char *line : {"ok    kernel       Linux ", " has ltt, ABI 1\n",
		     "ok    device       /dev/ltt can be opened\n",
		     "ok    permission   you may trace all processes\n",
		     "ok    trace        a trace can be made, with rules and limits\n",
		     "ok    buffers      none was refused\n", "ok    calls        ",
		     "  clock        ", "ok    memory       buffers may take ",
		     "ok    signal       ", "ok    namespaces   ", "ok    proc         ",
		     "warn  babeltrace2  is not in PATH"})
		CHECK_SAYS(r, line);
	CHECK_EQ(r.out.find("fail"), std::string::npos);
	CHECK_EQ(r.out.find('\033'), std::string::npos); // no terminal, no colour
	CHECK_EQ(ltt_ctl({"list", "--json"}).out, "[]\n");

	r = ltt_ctl({"check", "--json"});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.out.find("[\n  {\n    \"name\": \"kernel\",\n    \"verdict\": \"ok\",\n"
			    "    \"text\": \"Linux "),
		0u);
	users::as_user(users::user_a, [] {
		check_says(0, "ok    permission   you may trace processes of your own");
		check_says(0, "ok    trace        a trace can be made");
	});
}

TEST("check finds a device that is closed, or missing, though the kernel has ltt")
{
	REQUIRE_OK(chmod("/dev/ltt", 0600));
	users::as_user(users::user_a, [] {
		check_says(4, "ok    kernel       Linux ");
		check_says(4, "fail  device       no permission to open /dev/ltt: run as root");
	});
	REQUIRE_OK(chmod("/dev/ltt", 0666));
	REQUIRE_OK(rename("/dev/ltt", "/dev/other"));
	check_says(1, "fail  device       /dev/ltt is missing though the kernel has ltt: mount a");
	REQUIRE_OK(rename("/dev/other", "/dev/ltt"));
}

TEST("check finds filters of system calls that programs started from here would have")
{
	for (unsigned answer : {SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ERRNO | ENOSYS}) {
		in_child([=] {
			filter_calls(first, last, answer);
			check_says(4, "fail  calls        the system calls 548 to 550 are refused "
				      "to programs started from here: have the seccomp filter");
		});
	}
	in_child([] {
		forbid_calls(first, last);
		check_says(4, "fail  calls        the system calls 548 to 550 kill programs");
	});
	in_child([] {
		filter_calls(10000, 10001, SECCOMP_RET_ERRNO | EPERM);
		check_says(0, "ok    calls        programs started from here may make ltt's "
			      "system calls; the seccomp filter lets them through");
	});
}

TEST("check finds a signal that programs started from here would not get")
{
	in_child([] {
		signal(LTT_SIGNAL_DEFAULT, SIG_IGN);
		check_says(0, "warn  signal       SIGRTMIN+3 is ignored here");
	});
	in_child([] {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, LTT_SIGNAL_DEFAULT);
		sigprocmask(SIG_BLOCK, &set, nullptr);
		check_says(0, "warn  signal       SIGRTMIN+3 is blocked here");
	});
}

TEST("check finds a user namespace", may_skip)
{
	if (access("/proc/self/ns/user", F_OK) != 0)
		SKIP("this kernel has no user namespaces");
	in_child([] {
		REQUIRE_OK(unshare(CLONE_NEWUSER));
		std::ofstream("/proc/self/uid_map") << "0 0 1\n";
		check_says(0, "warn  namespaces   this is a user namespace");
	});
}

TEST("check finds a pid namespace", may_skip)
{
	if (access("/proc/self/ns/pid", F_OK) != 0)
		SKIP("this kernel has no pid namespaces");
	in_child([] {
		REQUIRE_OK(unshare(CLONE_NEWPID | CLONE_NEWNS));
		in_child([] {
			REQUIRE_OK(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
			REQUIRE_OK(mount("proc", "/proc", "proc", 0, nullptr));
			check_says(0, "ok    namespaces   this is a pid namespace");
		});
	});
}

TEST("check finds traces that cannot be made, and buffers that were refused")
{
	std::vector<int> traces;
	for (int i = 0; i < LTT_MAX_TRACES; ++i)
		traces.push_back(ltt::create(ltt::params(("t" + std::to_string(i)).c_str())));
	check_says(1, "fail  trace        cannot create trace check-");
	check_says(1, ": all 32 traces that there can be exist");
	for (int fd : traces) {
		CHECK_OK(ioctl(fd, LTT_IOC_DESTROY));
		close(fd);
	}
	ltt_trace_params p = ltt::params("short");
	p.max_memory = 4096;
	ltt::Trace trace(p);
	trace.start();
	in_child([] {
		ltt::Buffer buffer = ltt::Buffer::next();
		if (buffer)
			ltt::write_numbers(buffer, 0, 1);
	});
	check_says(0, "warn  buffers      1 buffers of trace short were refused");
}

TEST("check finds that /proc is missing, and that quotas cannot be read")
{
	in_child([] {
		REQUIRE_OK(unshare(CLONE_NEWNS));
		REQUIRE_OK(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
		REQUIRE_OK(umount2("/sys", MNT_DETACH));
		check_says(0, "warn  memory       quotas cannot be read: mount /sys");
		REQUIRE_OK(umount2("/proc", MNT_DETACH));
		check_says(1, "fail  proc         cannot read /proc/sys/kernel/random/boot_id");
	});
}

// SPDX-License-Identifier: MIT
// For the harness's own tests: each of these must be judged a failure.
#include "../ltt.h"

#include <csignal>
#include <fcntl.h>
#include <sys/msg.h>
#include <sys/wait.h>

TEST("a check that is false fails the test")
{
	CHECK_EQ(1 + 1, 3);
}

TEST("a null pointer fails the test")
{
	raise(SIGSEGV);
}

TEST("an exit status fails the test")
{
	_exit(3);
}

TEST("a check in a grandchild fails the test")
{
	if (fork() == 0) {
		if (fork() == 0) {
			CHECK(false);
			_exit(0);
		}
		wait(nullptr);
		_exit(0);
	}
	wait(nullptr);
}

TEST("a condition that never comes fails the test")
{
	WAIT_UNTIL_FOR(0.2, false);
}

TEST("a skip that was not announced fails the test")
{
	SKIP("to show it");
}

TEST("a kernel warning fails the test")
{
	int fd = open("/dev/kmsg", O_WRONLY);
	REQUIRE(fd >= 0);
	CHECK_OK(write(fd, "<4>WARNING: CPU: 0 PID: 1 at self-test:1", 40));
}

TEST("kernel memory that stays fails the test")
{
	// System V messages stay in the kernel when their sender is gone.
	static struct {
		long type = 1;
		char text[8192];
	} message;
	for (int queue = 0; queue < 160; ++queue) {
		int id = msgget(IPC_PRIVATE, 0600);
		REQUIRE(id >= 0);
		for (int i = 0; i < 2; ++i)
			REQUIRE_OK(msgsnd(id, &message, sizeof(message.text), IPC_NOWAIT));
	}
}

TEST("a trace that stays fails the test")
{
	REQUIRE_OK(ltt::create(ltt::params()));
}

TEST("the one after failures still passes") {}

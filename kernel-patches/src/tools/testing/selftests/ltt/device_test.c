// SPDX-License-Identifier: GPL-2.0
/* /dev/ltt: traces, what the dead leave in them, and who may see them. */

#define _GNU_SOURCE
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common.h"
#include "../kselftest_harness.h"

#define NOBODY 65534

TEST(version)
{
	__u32 version = 0;

	ASSERT_EQ(0, device_ioctl(LTT_IOC_VERSION, &version)) {
		TH_LOG("/dev/ltt: %s; is CONFIG_LTT=y?", strerror(errno));
	}
	EXPECT_EQ(LTT_ABI_VERSION, version);
	EXPECT_EQ(-1, device_ioctl(LTT_IOC_START, NULL));
	EXPECT_EQ(ENOTTY, errno);
}

TEST(create_refuses)
{
	const struct ltt_trace_params good = own_trace();
	struct ltt_trace_params params;
	int fd = create_trace(&good);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, create_trace(&good));
	EXPECT_EQ(EEXIST, errno);
	params = good;
	params.size--;
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);
	params = good;
	params.flags = ~LTT_TRACE_SYSTEM;
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);
	params = good;
	params.subbuf_size = 5000;
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);
	params = good;
	params.name[0] = '/';
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);
	params = good;
	params.mode = LTT_MODE_BLOCK;
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);
	params = good;
	params.contexts = ~LTT_CONTEXTS_KNOWN;
	EXPECT_EQ(-1, create_trace(&params));
	EXPECT_EQ(EINVAL, errno);

	EXPECT_EQ(0, ioctl(fd, LTT_IOC_DESTROY));
	EXPECT_EQ(-1, ioctl(fd, LTT_IOC_DESTROY));
	EXPECT_EQ(ENOENT, errno);
	/* Nothing of the name is left. */
	close(fd);
	EXPECT_EQ(-1, open_trace(good.name));
	EXPECT_EQ(ENOENT, errno);
}

TEST(sigkill_leaves_what_was_committed)
{
	struct ltt_trace_params params = own_trace();
	int fd = create_trace(&params), status, ready[2];
	struct packet packet;
	pid_t pid;
	char c;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, LTT_IOC_START));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct ltt_trace_page *page = map_buffer(fd);

		if (!page || write_event(page, 4711))
			_exit(1);
		/* In flight: given room, and never finished. */
		control_of(page)->writer = 1;
		control_of(page)->reserve += 16;
		control_of(page)->events++;
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));

	ASSERT_EQ(1, read_packet(fd, &packet));
	EXPECT_EQ(pid, packet.header.vpid);
	EXPECT_EQ(LTT_PACKET_LAST | LTT_PACKET_TORN, packet.header.flags);
	EXPECT_EQ(2, packet.header.events);
	EXPECT_EQ(16, packet.header.size);
	EXPECT_EQ(4711, packet.data[1]);

	EXPECT_EQ(0, ioctl(fd, LTT_IOC_DESTROY));
	EXPECT_EQ(0, read_packet(fd, &packet));
}

static int become_nobody(void)
{
	/* Without the last one nothing may look inside, not even its own user. */
	return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ||
	       prctl(PR_SET_DUMPABLE, 1);
}

/* In a child of the harness's child, which cannot report by itself; 0: none. */
static int line_that_fails_for_nobody(int others, const char *name)
{
	struct ltt_trace_params params = own_trace();
	int fd;

	if (open_trace(name) != -1 || errno != ENOENT)
		return __LINE__;
	/* The trace of others, by an inherited descriptor, does not trace it. */
	if (map_buffer(others))
		return __LINE__;
	params.flags = LTT_TRACE_SYSTEM;
	if (create_trace(&params) != -1 || errno != EPERM)
		return __LINE__;
	params.flags = 0;
	fd = create_trace(&params);
	if (fd < 0 || !map_buffer(fd))
		return __LINE__;
	return ioctl(fd, LTT_IOC_DESTROY) ? __LINE__ : 0;
}

TEST(nobody_sees_the_traces_of_others)
{
	struct ltt_trace_params params = own_trace();
	int fd = create_trace(&params), again, status;
	pid_t pid;

	ASSERT_LE(0, fd);
	again = open_trace(params.name);
	EXPECT_LE(0, again);
	close(again);
	if (geteuid()) {
		ioctl(fd, LTT_IOC_DESTROY);
		SKIP(return, "only root can become somebody else");
	}
	ASSERT_EQ(0, ioctl(fd, LTT_IOC_START));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(become_nobody() ? 1 : line_that_fails_for_nobody(fd, params.name));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) {
		TH_LOG("line %d", WEXITSTATUS(status));
	}
	EXPECT_EQ(0, ioctl(fd, LTT_IOC_DESTROY));
}

TEST_HARNESS_MAIN

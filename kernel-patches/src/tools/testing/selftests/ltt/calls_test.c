// SPDX-License-Identifier: GPL-2.0
/* ltt_update(), ltt_switch() and ltt_register() of a thread that writes. */

#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "common.h"
#include "../kselftest_harness.h"

FIXTURE(trace)
{
	struct ltt_trace_params params;
	int fd;
};

FIXTURE_SETUP(trace)
{
	self->params = own_trace();
	self->fd = create_trace(&self->params);
	ASSERT_LE(0, self->fd) {
		TH_LOG("no trace: %s; is CONFIG_LTT=y?", strerror(errno));
	}
}

FIXTURE_TEARDOWN(trace)
{
	EXPECT_EQ(0, ioctl(self->fd, LTT_IOC_DESTROY));
	EXPECT_EQ(0, close(self->fd));
}

TEST_F(trace, update_maps_a_buffer)
{
	struct ltt_trace_page *page = map_buffer(self->fd);

	ASSERT_NE(NULL, page);
	EXPECT_EQ(LTT_ABI_VERSION, page->version);
	EXPECT_EQ(0, page->active);
	EXPECT_EQ(self->params.filter, page->filter);
	EXPECT_EQ(self->params.subbuf_size, page->subbuf_size);
	EXPECT_EQ(self->params.n_subbufs, page->n_subbufs);
	EXPECT_EQ(0, control_of(page)->reserve);
	EXPECT_EQ(self->params.subbuf_size, control_of(page)->limit);
	EXPECT_EQ(self->params.subbuf_size * self->params.n_subbufs - 1,
		  control_of(page)->mask);
}

TEST_F(trace, update_tells_the_state)
{
	void *page = map_buffer(self->fd);
	__u32 mask = 0x8;
	int active, filter;

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, ltt_update(&page, &active, &filter));
	EXPECT_EQ(0, active);
	EXPECT_EQ(0x5, filter);
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_START));
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_FILTER, &mask));
	ASSERT_EQ(0, ltt_update(&page, &active, &filter));
	EXPECT_EQ(1, active);
	EXPECT_EQ(0x8, filter);
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_STOP));
	ASSERT_EQ(0, ltt_update(&page, &active, &filter));
	EXPECT_EQ(0, active);
}

TEST_F(trace, update_refuses)
{
	void *page = NULL, *wrong = &page;
	int active, filter;

	EXPECT_EQ(-1, ltt_update(NULL, &active, &filter));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ltt_update(&page, NULL, &filter));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ltt_update(&page, &active, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(NULL, page);
	EXPECT_EQ(-1, ltt_update(&wrong, &active, &filter));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(trace, the_first_page_is_read_only)
{
	struct ltt_trace_page *page = map_buffer(self->fd);
	int status;
	pid_t pid;

	ASSERT_NE(NULL, page);
	EXPECT_EQ(-1, mprotect(page, 4096, PROT_READ | PROT_WRITE));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		__atomic_store_n(&page->active, 1, __ATOMIC_RELAXED);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));
}

TEST_F(trace, switch_hands_over_what_was_written)
{
	struct ltt_trace_page *page = map_buffer(self->fd);
	struct packet packet;

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_START));
	ASSERT_EQ(0, write_event(page, 4711));
	ASSERT_EQ(0, write_event(page, 4712));
	EXPECT_EQ(-1, read_packet(self->fd, &packet));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, ltt_switch(page));
	EXPECT_EQ(page->subbuf_size, control_of(page)->reserve);

	ASSERT_EQ(1, read_packet(self->fd, &packet));
	EXPECT_EQ(LTT_PACKET_MAGIC, packet.header.magic);
	EXPECT_EQ(LTT_PACKET_EVENTS, packet.header.type);
	EXPECT_EQ(0, packet.header.flags);
	EXPECT_EQ(getpid(), packet.header.vpid);
	EXPECT_EQ(2, packet.header.events);
	EXPECT_EQ(0, packet.header.lost);
	EXPECT_EQ(32, packet.header.size);
	EXPECT_EQ(4711, packet.data[1]);
	EXPECT_EQ(4712, packet.data[3]);
	EXPECT_EQ(-1, read_packet(self->fd, &packet));
}

TEST_F(trace, switch_refuses)
{
	struct ltt_trace_page *page = map_buffer(self->fd);

	ASSERT_NE(NULL, page);
	EXPECT_EQ(-1, ltt_switch(NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ltt_switch((void *)page + 4096));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(trace, a_lying_control_page_spoils_its_own_stream_only)
{
	struct ltt_trace_page *page = map_buffer(self->fd);
	struct packet packet;

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, write_event(page, 1));
	control_of(page)->commit = ~0ULL;
	ASSERT_EQ(0, ltt_switch(page));
	ASSERT_EQ(1, read_packet(self->fd, &packet));
	EXPECT_EQ(LTT_PACKET_CORRUPT, packet.header.flags);
	EXPECT_EQ(16, packet.header.size);
}

TEST_F(trace, register_refuses)
{
	struct ltt_registration none = {}, wrong;
	struct {
		struct ltt_registration known;
		__u64 unknown;
	} longer = {};

	EXPECT_EQ(-1, ltt_register(NULL, sizeof(none)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ltt_register(&none, LTT_REGISTRATION_SIZE_VER0 - 1));
	EXPECT_EQ(EINVAL, errno);
	wrong = none;
	wrong.flags = ~LTT_REGISTER_REMOVE;
	EXPECT_EQ(-1, ltt_register(&wrong, sizeof(wrong)));
	EXPECT_EQ(EINVAL, errno);
	wrong = none;
	wrong.reserved = 1;
	EXPECT_EQ(-1, ltt_register(&wrong, sizeof(wrong)));
	EXPECT_EQ(EINVAL, errno);
	/* What a newer program knows must not be set here. */
	EXPECT_EQ(0, ltt_register(&longer, sizeof(longer)));
	longer.unknown = 1;
	EXPECT_EQ(-1, ltt_register(&longer, sizeof(longer)));
	EXPECT_EQ(E2BIG, errno);
}

/* The kernel writes them. */
static __u32 mask_of(const struct ltt_gate *gate)
{
	return __atomic_load_n(&gate->mask, __ATOMIC_RELAXED);
}

static __u32 generation_of(const struct ltt_gate *gate)
{
	return __atomic_load_n(&gate->generation, __ATOMIC_RELAXED);
}

TEST_F(trace, the_gate_follows_the_trace)
{
	static struct ltt_gate gate;
	struct ltt_registration registration = { .gate = (__u64)&gate };
	__u32 mask = 0x100, generation;

	ASSERT_EQ(0, ltt_register(&registration, sizeof(registration)));
	EXPECT_EQ(-1, ltt_register(&registration, sizeof(registration)));
	EXPECT_EQ(EEXIST, errno);
	/* Other traces of the machine may want other bits. */
	EXPECT_EQ(0, mask_of(&gate) & 0x5);
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_START));
	EXPECT_EQ(0x5, mask_of(&gate) & 0x5);
	generation = generation_of(&gate);
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_FILTER, &mask));
	EXPECT_EQ(0x100, mask_of(&gate) & 0x105);
	EXPECT_NE(generation, generation_of(&gate));
	ASSERT_EQ(0, ioctl(self->fd, LTT_IOC_STOP));
	EXPECT_EQ(0, mask_of(&gate) & 0x105);

	registration.flags = LTT_REGISTER_REMOVE;
	EXPECT_EQ(0, ltt_register(&registration, sizeof(registration)));
	EXPECT_EQ(-1, ltt_register(&registration, sizeof(registration)));
	EXPECT_EQ(ENOENT, errno);
}

TEST_HARNESS_MAIN

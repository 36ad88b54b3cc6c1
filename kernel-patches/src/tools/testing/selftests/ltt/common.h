/* SPDX-License-Identifier: GPL-2.0 */
/* System calls, traces and buffers, as small as the tests can do with them. */
#ifndef SELFTESTS_LTT_COMMON_H
#define SELFTESTS_LTT_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <linux/ltt.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long ltt_update(void *buffer, int *active, int *filter)
{
	return syscall(LTT_NR_update, buffer, active, filter);
}

static inline long ltt_switch(void *buffer)
{
	return syscall(LTT_NR_switch, buffer);
}

static inline long ltt_register(const void *registration, size_t size)
{
	return syscall(LTT_NR_register, registration, size);
}

/* One's own processes, which anybody may trace. */
static inline struct ltt_trace_params own_trace(void)
{
	struct ltt_trace_params params = {
		.size		= sizeof(params),
		.filter		= 0x5,
		.mode		= LTT_MODE_DISCARD,
		.subbuf_size	= 4096,
		.n_subbufs	= 4,
	};

	snprintf(params.name, sizeof(params.name), "kselftest-%d", getpid());
	return params;
}

static inline int device_ioctl(unsigned long request, void *argument)
{
	int device = open("/dev/ltt", O_RDWR | O_CLOEXEC), ret, error;

	if (device < 0)
		return -1;
	ret = ioctl(device, request, argument);
	error = errno;
	close(device);
	errno = error;
	return ret;
}

/* A descriptor, or -1 with errno; so does open_trace(). */
static inline int create_trace(const struct ltt_trace_params *params)
{
	return device_ioctl(LTT_IOC_CREATE, (void *)params);
}

static inline int open_trace(const char *text)
{
	struct ltt_trace_name name = {};

	snprintf(name.name, sizeof(name.name), "%s", text);
	return device_ioctl(LTT_IOC_OPEN, &name);
}

/* Maps the calling thread's buffer of the trace; NULL if there is none. */
static inline struct ltt_trace_page *map_buffer(int trace)
{
	struct ltt_trace_info info = { .size = sizeof(info) };
	struct ltt_trace_page *page;
	int active, filter;

	if (ioctl(trace, LTT_IOC_INFO, &info))
		return NULL;
	do {
		page = NULL;
		if (ltt_update(&page, &active, &filter))
			return NULL;
	} while (page && page->trace != info.trace);
	return page;
}

static inline struct ltt_control *control_of(struct ltt_trace_page *page)
{
	return (void *)page + page->control_offset;
}

/* An event of 8 bytes of header and 8 of payload; no signal handler writes here. */
static inline int write_event(struct ltt_trace_page *page, __u64 payload)
{
	struct ltt_control *control = control_of(page);
	__u64 event[2] = { 0, payload };

	if (control->reserve + sizeof(event) > control->limit)
		return -1;
	memcpy((void *)page + page->data_offset + (control->reserve & control->mask),
	       event, sizeof(event));
	control->reserve += sizeof(event);
	control->events++;
	__atomic_store_n(&control->commit, control->reserve, __ATOMIC_RELEASE);
	return 0;
}

/* A packet as read() gives it; none here has more bytes than a sub-buffer. */
struct packet {
	struct ltt_packet	header;
	__u64			data[512];
};

/* The next packet, without waiting: 1, 0 at the end, -1 with errno. */
static inline int read_packet(int trace, struct packet *packet)
{
	int n;

	fcntl(trace, F_SETFL, O_NONBLOCK);
	n = read(trace, packet, sizeof(*packet));
	return n > 0 ? 1 : n;
}

#endif /* SELFTESTS_LTT_COMMON_H */

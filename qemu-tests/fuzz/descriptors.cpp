// SPDX-License-Identifier: MIT
//
// Attacks on /dev/ltt and on descriptors of traces. The witness's trace gets
// only what its owner need not notice.

#include "attacker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

// Some right, some nearly; where the kernel reads more than the parameters.
void set_targets(Attacker &a, ltt_trace_params &p)
{
	auto *targets = reinterpret_cast<ltt_target *>(a.scratch() + 256);
	const __s64 ids[] = {getpid(), 0, 1000, device(), a.trace(), 1};
	for (unsigned i = 0; i < 4; ++i) {
		targets[i] = {};
		targets[i].kind = static_cast<__u32>(a.random.below(5));
		targets[i].flags = a.random.one_in(4) ? LTT_TARGET_FOLLOW : 0;
		targets[i].id =
			a.random.one_in(8) ? static_cast<__s64>(a.random.odd()) : a.random.of(ids);
	}
	p.n_targets =
		static_cast<__u32>(a.random.one_in(8) ? a.random.odd() : 1 + a.random.below(4));
	p.targets = reinterpret_cast<uintptr_t>(a.random.one_in(4) ? a.pointer() : targets);
}

ltt_trace_params parameters(Attacker &a)
{
	ltt_trace_params p = {};
	p.size = sizeof(p);
	p.flags = a.privileged() && a.random.one_in(2) ? LTT_TRACE_SYSTEM : 0;
	p.filter = static_cast<__u32>(a.random.odd());
	p.mode = a.random.one_in(2) ? 0 : static_cast<__u32>(a.random.below(5));
	p.subbuf_size = 4096u << a.random.below(3);
	p.n_subbufs = 2u << a.random.below(3);
	p.timeout_us = p.mode == LTT_MODE_BLOCK ? static_cast<__u32>(a.random.below(5000)) : 0;
	p.max_memory = a.random.one_in(4) ? a.random.near({4096, 16384, 1 << 20}) : 0;
	if (a.random.one_in(4))
		p.contexts = static_cast<__u32>(a.random.odd()) & LTT_CONTEXTS_KNOWN;
	if (a.random.one_in(4))
		set_targets(a, p);
	trace_name(a, p.name);
	if (a.random.one_in(4)) { // nearly right
		auto *bytes = reinterpret_cast<uint8_t *>(&p);
		bytes[a.random.below(sizeof(p))] ^= static_cast<uint8_t>(1u << a.random.below(8));
	}
	if (a.random.one_in(16))
		p.subbuf_size = static_cast<__u32>(a.random.odd());
	if (a.random.one_in(16))
		p.n_subbufs = static_cast<__u32>(a.random.odd());
	// No more than the guest has: running out of memory is a test of its own.
	if (uint64_t{p.subbuf_size} * p.n_subbufs > 4 << 20)
		p.subbuf_size = 4097;
	return p;
}

void create_trace(Attacker &a)
{
	ltt_trace_params p = parameters(a);
	int fd = ioctl(device(), LTT_IOC_CREATE, &p);
	if (fd < 0)
		return;
	ioctl(fd, LTT_IOC_START);
	fcntl(fd, F_SETFL, a.random.one_in(8) ? 0 : O_NONBLOCK);
	keep_trace(a, fd);
}

void open_trace(Attacker &a)
{
	ltt_trace_name name = {};
	trace_name(a, name.name);
	if (a.random.one_in(8))
		a.random.fill(name.name, sizeof(name.name));
	int fd = ioctl(device(), LTT_IOC_OPEN, &name);
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	keep_trace(a, fd);
}

void change_trace(Attacker &a)
{
	__u32 mask = static_cast<__u32>(a.random.odd());
	int fd = a.trace();
	switch (a.random.below(16)) {
	case 0:
		ioctl(fd, LTT_IOC_DESTROY);
		break;
	case 1:
	case 2:
		ioctl(fd, LTT_IOC_STOP);
		break;
	case 3:
		ioctl(fd, LTT_IOC_FLUSH);
		break;
	case 4:
	case 5:
		ioctl(fd, LTT_IOC_FILTER, a.random.one_in(2) ? &mask : a.pointer());
		break;
	default:
		ioctl(fd, LTT_IOC_START);
		break;
	}
}

// Start and stop while threads run, so that all of them are told.
void storm(Attacker &a)
{
	int fd = a.trace();
	for (int i = 0; i < 20; ++i)
		ioctl(fd, i % 2 ? LTT_IOC_STOP : LTT_IOC_START);
	ioctl(fd, LTT_IOC_START);
}

void ask_info(Attacker &a)
{
	ltt_trace_info info = {};
	info.size = a.random.one_in(8) ? static_cast<__u32>(a.random.odd()) : sizeof(info);
	info.trace = static_cast<__u32>(a.random.one_in(8) ? a.random.odd() : a.random.below(34));
	ioctl(a.descriptor(true), LTT_IOC_INFO, a.random.one_in(4) ? a.pointer() : &info);
}

// All that a trace holds, the witness's too; it takes nothing away.
void take_snapshot(Attacker &a)
{
	static char memory[64 * 1024];
	int fd = a.descriptor(true), snapshot = ioctl(fd, LTT_IOC_SNAPSHOT);
	if (snapshot < 0)
		return;
	for (int i = 0; i < 8; ++i)
		if (read(snapshot, a.random.one_in(4) ? a.pointer() : memory,
			    a.random.one_in(4) ? a.random.below(sizeof(memory)) : sizeof(memory)) <=
			0)
			break;
	close(snapshot);
}

// Numbers near ours, with all sizes and directions; on the wrong descriptors too.
void any_request(Attacker &a)
{
	unsigned number = 0x5e + static_cast<unsigned>(a.random.below(0x22));
	unsigned size = a.random.of({0u, 4u, 64u, 88u, 184u, 8192u, 16383u});
	unsigned long request =
		_IOC(a.random.below(4), a.random.one_in(16) ? 'T' : LTT_IOC, number, size);
	const unsigned long ours[] = {LTT_IOC_VERSION, LTT_IOC_CREATE, LTT_IOC_OPEN, LTT_IOC_INFO,
		LTT_IOC_START, LTT_IOC_STOP, LTT_IOC_FILTER, LTT_IOC_DESTROY, LTT_IOC_FLUSH,
		LTT_IOC_SNAPSHOT, LTT_IOC_RULES, LTT_IOC_GET_RULES, LTT_IOC_KERNEL,
		LTT_IOC_GET_KERNEL};
	if (a.random.one_in(2))
		request = a.random.of(ours);
	void *argument = a.pointer();
	if (a.random.one_in(2)) {
		argument = a.scratch();
		a.random.fill(argument, 256);
	}
	int made = ioctl(a.descriptor(false), request, argument);
	if (made > STDERR_FILENO) // a trace's descriptor
		keep_trace(a, made);
}

void read_packets(Attacker &a)
{
	static char memory[64 * 1024];
	int fd = a.random.one_in(16) ? device() : a.trace();
	size_t size = a.random.one_in(2)
			      ? sizeof(memory)
			      : a.random.near({0, sizeof(ltt_packet), page_size, a.random.odd()});
	if (a.random.one_in(2))
		size = std::min(size, sizeof(memory));
	void *to = a.random.one_in(3) || size > sizeof(memory) ? a.pointer() : memory;
	switch (a.random.below(6)) {
	case 0: {
		iovec parts[] = {{a.pointer(), 100}, {to, size}, {memory, 17}};
		readv(fd, parts, 3);
		break;
	}
	case 1:
		pread(fd, to, size, static_cast<off_t>(a.random.odd()));
		break;
	default:
		read(fd, to, size);
	}
}

void wait_for_data(Attacker &a)
{
	pollfd fds[] = {{a.descriptor(true), POLLIN | POLLOUT | POLLPRI, 0},
		{a.trace(), static_cast<short>(a.random.next()), 0}};
	poll(fds, 2, static_cast<int>(a.random.below(3)));
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_event event = {};
	event.events = EPOLLIN | (a.random.one_in(2) ? static_cast<uint32_t>(EPOLLET) : 0u);
	epoll_ctl(epoll, EPOLL_CTL_ADD, a.trace(), &event);
	epoll_ctl(epoll, EPOLL_CTL_ADD, epoll, &event);
	epoll_wait(epoll, &event, 1, static_cast<int>(a.random.below(3)));
	close(epoll);
}

// Calls that a descriptor of a trace does not know.
void misuse(Attacker &a)
{
	int fd = a.descriptor(true), pipes[2];
	void *p = mmap(nullptr, page_size << a.random.below(6), PROT_READ,
		a.random.one_in(2) ? MAP_SHARED : MAP_PRIVATE, fd,
		static_cast<off_t>(page_size * a.random.below(8)));
	if (p != MAP_FAILED)
		munmap(p, page_size);
	lseek(fd, static_cast<off_t>(a.random.odd()), SEEK_SET);
	write(fd, a.scratch(), 100);
	fsync(fd);
	ftruncate(fd, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK | (a.random.one_in(4) ? O_ASYNC | O_DIRECT : 0));
	if (pipe2(pipes, O_NONBLOCK) != 0)
		return;
	splice(a.trace(), nullptr, pipes[1], nullptr, page_size, SPLICE_F_NONBLOCK);
	splice(pipes[0], nullptr, fd, nullptr, page_size, SPLICE_F_NONBLOCK);
	sendfile(pipes[1], a.trace(), nullptr, page_size);
	close(pipes[0]);
	close(pipes[1]);
}

void duplicate(Attacker &a)
{
	int fd = a.trace(), copy = a.random.one_in(2) ? dup(fd) : fcntl(fd, F_DUPFD_CLOEXEC, 10);
	if (a.random.one_in(2))
		keep_trace(a, copy);
	else if (copy >= 0)
		close(copy);
}

// A descriptor that nobody has open while it is on its way.
void send_descriptor(Attacker &a)
{
	int ends[2], fd = a.trace();
	if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
		return;
	alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
	iovec part = {a.scratch(), 1};
	msghdr message = {};
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	sendmsg(ends[0], &message, MSG_DONTWAIT);
	close(ends[0]);
	close(ends[1]);
}

} // namespace

const std::vector<Attack> descriptor_attacks = {
	{"create a trace", create_trace, 25},
	{"open a trace", open_trace, 8},
	{"change a trace", change_trace, 25},
	{"start and stop", storm, 4},
	{"LTT_IOC_INFO", ask_info, 10},
	{"LTT_IOC_SNAPSHOT", take_snapshot, 15},
	{"any request", any_request, 25},
	{"read packets", read_packets, 40},
	{"wait for packets", wait_for_data, 8},
	{"misuse a descriptor", misuse, 6},
	{"duplicate a descriptor", duplicate, 4},
	{"send a descriptor", send_descriptor, 3},
};

} // namespace fuzz

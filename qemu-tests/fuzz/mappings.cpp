// SPDX-License-Identifier: MIT
//
// Attacks on the mapping of a buffer by the calls that know nothing of it.

#include "attacker.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

struct Part {
	char *address;
	size_t size;
};

// Of a buffer, in whole pages: all of it, one of its VMAs, or anything around.
Part part(Attacker &a)
{
	Mapped m = a.buffer();
	switch (a.random.below(5)) {
	case 0:
		return {m.address, page_size};
	case 1:
		return {m.address + page_size, m.size - page_size};
	case 2:
		return {m.address + page_size * a.random.below(8), page_size << a.random.below(4)};
	default:
		return {m.address, m.size};
	}
}

void unmap(Attacker &a)
{
	Part p = part(a);
	if (p.address)
		munmap(p.address, p.size);
}

void map_over(Attacker &a)
{
	Part p = part(a);
	if (!p.address)
		return;
	mmap(p.address, p.size, a.random.of({PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE}),
		(a.random.one_in(2) ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void protect(Attacker &a)
{
	Part p = part(a);
	mprotect(p.address, p.size, static_cast<int>(a.random.below(8)));
	if (!a.random.one_in(4)) // or nothing else finds it of use
		mprotect(p.address, p.size, PROT_READ | PROT_WRITE);
}

void move(Attacker &a)
{
	Part p = part(a);
	int flags = a.random.of({0, int{MREMAP_MAYMOVE}, MREMAP_MAYMOVE | MREMAP_FIXED,
		MREMAP_MAYMOVE | MREMAP_DONTUNMAP});
	size_t size = a.random.near({0, p.size, page_size, 2 * p.size}) & ~(page_size - 1);
	void *to = mmap(nullptr, p.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *moved = mremap(p.address, a.random.one_in(8) ? 0 : p.size,
		std::min<size_t>(size, 1 << 20), flags, to);
	if (moved != MAP_FAILED)
		munmap(moved, size);
	if (to != MAP_FAILED)
		munmap(to, p.size);
}

void advise(Attacker &a)
{
	Part p = part(a);
	// Up to MADV_COLLAPSE; injection of memory failures (100, 101) is root's own affair.
	madvise(p.address, p.size, static_cast<int>(a.random.below(26)));
}

void lock(Attacker &a)
{
	Part p = part(a);
	unsigned char resident[64];
	if (a.random.one_in(8))
		mlockall(MCL_CURRENT | MCL_ONFAULT);
	mlock(p.address, p.size);
	mincore(p.address, std::min(p.size, sizeof(resident) * page_size), resident);
	msync(p.address, p.size, a.random.of({MS_SYNC, MS_ASYNC, MS_INVALIDATE}));
	munlock(p.address, p.size);
	if (a.random.one_in(8))
		munlockall();
}

void remap_pages(Attacker &a)
{
	Part p = part(a);
	syscall(SYS_remap_file_pages, p.address, p.size, 0, a.random.below(100), 0);
}

void other_ways_in(Attacker &a)
{
	Part p = part(a);
	iovec local = {a.scratch(), page_size}, remote = {p.address, page_size};
	if (a.random.one_in(2))
		process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	else
		process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (mem < 0)
		return;
	auto at = static_cast<off_t>(
		reinterpret_cast<uintptr_t>(p.address) + a.random.below(p.size + 1));
	if (a.random.one_in(2))
		pwrite(mem, a.scratch(), a.random.below(page_size), at);
	else
		pread(mem, a.scratch(), a.random.below(page_size), at);
	close(mem);
}

void as_argument(Attacker &a)
{
	Part p = part(a);
	int pipes[2], zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	if (!p.address || pipe2(pipes, O_NONBLOCK | O_CLOEXEC) != 0) {
		close(zero);
		return;
	}
	size_t n = a.random.below(4 * page_size);
	iovec vector = {p.address + page_size, n};
	read(zero, p.address + a.random.below(p.size + 1), n);
	write(pipes[1], p.address, std::min<size_t>(n, page_size));
	// The pipe keeps the pages, whatever becomes of the buffer.
	vmsplice(
		pipes[1], &vector, 1, SPLICE_F_NONBLOCK | (a.random.one_in(2) ? SPLICE_F_GIFT : 0));
	if (a.random.one_in(4))
		munmap(p.address, p.size);
	read(pipes[0], a.scratch(), page_size);
	timespec soon = {0, 100000};
	syscall(SYS_futex, p.address + page_size,
		a.random.of({FUTEX_WAIT, FUTEX_WAKE, FUTEX_LOCK_PI}), 0, &soon, nullptr, 0);
	close(zero);
	close(pipes[0]);
	close(pipes[1]);
}

// Pins the pages for as long as the ring lives.
void pin(Attacker &a)
{
	Part p = part(a);
	io_uring_params parameters = {};
	int ring = static_cast<int>(syscall(SYS_io_uring_setup, 2, &parameters));
	if (ring < 0)
		return;
	iovec vector = {p.address, p.size};
	syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &vector, 1);
	if (a.random.one_in(2)) {
		int fd = a.trace();
		if (fd >= 0)
			ioctl(fd, LTT_IOC_DESTROY);
	}
	if (a.random.one_in(2) && p.address)
		munmap(p.address, p.size);
	close(ring);
}

void watch_faults(Attacker &a)
{
	Part p = part(a);
	int fd = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
	if (fd < 0)
		return;
	uffdio_api api = {UFFD_API, 0, 0};
	uffdio_register range = {};
	range.range = {reinterpret_cast<uintptr_t>(p.address), p.size};
	range.mode = 1 + a.random.below(7);
	ioctl(fd, UFFDIO_API, &api);
	ioctl(fd, UFFDIO_REGISTER, &range);
	uffdio_zeropage zero = {};
	zero.range = range.range;
	ioctl(fd, UFFDIO_ZEROPAGE, &zero);
	close(fd);
}

void look(Attacker &a)
{
	static char text[4096];
	const char *const names[] = {
		"maps", "smaps", "smaps_rollup", "pagemap", "numa_maps", "status"};
	char path[40] = "/proc/self/";
	strcat(path, a.random.of(names));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	Part p = part(a);
	if (!strcmp(path, "/proc/self/pagemap"))
		lseek(fd,
			static_cast<off_t>(reinterpret_cast<uintptr_t>(p.address) / page_size * 8),
			SEEK_SET);
	for (int i = 0; i < 20 && read(fd, text, sizeof(text)) > 0; ++i)
		;
	close(fd);
}

// The kernel writes there when the thread ends.
void words_of_the_dying(Attacker &a)
{
	Part p = part(a);
	syscall(SYS_set_robust_list, p.address + a.random.below(p.size + 1) / 8 * 8, 24);
}

void limit_memory(Attacker &a)
{
	int resource = a.random.of({int{RLIMIT_AS}, int{RLIMIT_MEMLOCK}, int{RLIMIT_NOFILE}});
	rlimit old, low;
	getrlimit(static_cast<__rlimit_resource>(resource), &old);
	low = old;
	low.rlim_cur = a.random.below(1 << 20);
	setrlimit(static_cast<__rlimit_resource>(resource), &low);
	a.get_buffer();
	setrlimit(static_cast<__rlimit_resource>(resource), &old);
}

} // namespace

const std::vector<Attack> mapping_attacks = {
	{"munmap", unmap, 10},
	{"MAP_FIXED", map_over, 6},
	{"mprotect", protect, 8},
	{"mremap", move, 8},
	{"madvise", advise, 10},
	{"mlock, mincore, msync", lock, 4},
	{"remap_file_pages", remap_pages, 3},
	{"process_vm_writev, /proc/self/mem", other_ways_in, 8},
	{"a buffer as argument", as_argument, 8},
	{"pin a buffer", pin, 4},
	{"userfaultfd on a buffer", watch_faults, 3},
	{"/proc/self/smaps", look, 3},
	{"robust list in a buffer", words_of_the_dying, 2},
	{"ltt_update() under a limit", limit_memory, 4},
};

} // namespace fuzz

// SPDX-License-Identifier: MIT
//
// Addresses that system calls may choke on.

#include "attacker.h"

#include <thread>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

// Set before the process has threads:
char *scratch_pages; // two, writable; nothing is mapped behind them
char *read_only_page;
char *no_access_page;
char *shared_file_page;
char *cut_file_page; // of a file that ends before it: SIGBUS
char *slow_page;     // whoever touches it waits
int slow_fd = -1;

char *map(size_t pages, int protection, int fd = -1, off_t offset = 0)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p = mmap(nullptr, pages * page_size, protection, flags, fd, offset);
	if (p == MAP_FAILED)
		_exit(1);
	return static_cast<char *>(p);
}

char *map_before_hole(size_t pages)
{
	char *p = map(pages + 1, PROT_READ | PROT_WRITE);
	munmap(p + pages * page_size, page_size);
	return p;
}

void map_files()
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, page_size) != 0)
		_exit(1);
	shared_file_page = map(1, PROT_READ | PROT_WRITE, fd);
	cut_file_page = map(1, PROT_READ | PROT_WRITE, fd, page_size);
	close(fd);
}

void serve_slow_page(Random random)
{
	for (;;) {
		uffd_msg message;
		pollfd p = {slow_fd, POLLIN, 0};
		poll(&p, 1, -1);
		if (read(slow_fd, &message, sizeof(message)) != sizeof(message))
			continue;
		usleep(static_cast<useconds_t>(random.below(5000)));
		uffdio_zeropage zero = {};
		zero.range = {reinterpret_cast<uintptr_t>(slow_page), page_size};
		ioctl(slow_fd, UFFDIO_ZEROPAGE, &zero);
	}
}

void prepare_slow_page(Random random)
{
	slow_page = map(1, PROT_READ | PROT_WRITE);
	slow_fd = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
	if (slow_fd < 0)
		return; // not every user may
	uffdio_api api = {UFFD_API, 0, 0};
	uffdio_register range = {};
	range.range = {reinterpret_cast<uintptr_t>(slow_page), page_size};
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (ioctl(slow_fd, UFFDIO_API, &api) != 0 || ioctl(slow_fd, UFFDIO_REGISTER, &range) != 0)
		return;
	std::thread(serve_slow_page, random).detach();
}

} // namespace

void rearm_slow_page()
{
	madvise(slow_page, page_size, MADV_DONTNEED);
}

char *scratch_page()
{
	return scratch_pages;
}

void *random_address(Random &random)
{
	const uintptr_t numbers[] = {0, 1, 8, page_size, 0x7ffffffff000 - 8, 0x800000000000,
		0xffff800000000000, 0xffff888000000000, 0xffffffff81000000, 0xffffffffff600000,
		~uintptr_t{0}, ~uintptr_t{0} - 7};
	char *const pages[] = {scratch_pages, scratch_pages, read_only_page, no_access_page,
		shared_file_page, cut_file_page, slow_page, slow_page};

	switch (random.below(8)) {
	case 0:
		return reinterpret_cast<void *>(random.of(numbers));
	case 1:
		return reinterpret_cast<void *>(random.odd());
	case 2: // its end lies behind the last mapped byte
		return scratch_pages + 2 * page_size - random.of({1, 3, 4, 7, 8, 16, 40, 88});
	case 3: // code
		return reinterpret_cast<void *>(&random_address);
	case 4: // misaligned
		return random.of(pages) + random.below(16);
	default:
		return random.of(pages) + random.below(page_size / 8) * 8;
	}
}

void prepare_addresses(Random random)
{
	scratch_pages = map_before_hole(2);
	read_only_page = map(1, PROT_READ);
	no_access_page = map(1, PROT_NONE);
	map_files();
	prepare_slow_page(random);
}

} // namespace fuzz

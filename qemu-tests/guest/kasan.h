/* SPDX-License-Identifier: MIT */
/*
 * What KASAN keeps of memory that is free, for the leak check: it must not pass
 * for a leak, and a leak must not hide behind it.
 *
 *  - What slabs free stays in a quarantine of up to a 32nd of the memory, so that
 *    a use after free is noticed. Shrinking a slab cache takes its objects out.
 *  - The shadow of a vmalloc area, an eighth of its size, stays until areas of
 *    64 MiB (on two CPUs) are purged together, and longer where it shares a page
 *    with another's. Nothing tells how much that is, and nothing gets it back.
 */
#ifndef KTAP_KASAN_H
#define KTAP_KASAN_H

#include <sstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "process.h"

namespace ktap
{

/* KASAN brings debugging of slabs with it; of our kernels no other has that. */
inline bool has_kasan()
{
	return access("/proc/slabinfo", F_OK) == 0;
}

/* Takes what counts out of the quarantine. */
inline void drain_quarantine()
{
	// Each cache takes some milliseconds, and small ones hide no leak.
	constexpr long worthwhile_bytes = 64 << 10;
	std::istringstream table(read_file("/proc/slabinfo"));
	for (std::string line; std::getline(table, line);) {
		std::istringstream fields(line);
		std::string name;
		long active = 0, objects = 0, size = 0;
		if (!(fields >> name >> active >> objects >> size) ||
			active * size < worthwhile_bytes)
			continue;
		int fd = open(
			("/sys/kernel/slab/" + name + "/shrink").c_str(), O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		// A cache that refuses keeps what it has: the check will tell.
		[[maybe_unused]] ssize_t n = write(fd, "1", 1);
		close(fd);
	}
}

/* The shadow of 64 MiB. */
constexpr long max_idle_shadow_kib = 8192;

} // namespace ktap

#endif /* KTAP_KASAN_H */

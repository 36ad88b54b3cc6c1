/* SPDX-License-Identifier: MIT */
/*
 * What KASAN keeps of memory that is free, for the leak check: it must not pass
 * for a leak, and a leak must not hide behind it.
 *
 *  - What slabs free stays in a quarantine of up to a 32nd of the memory, so that
 *    a use after free is noticed. Shrinking a slab cache takes its objects out.
 *  - The shadow of a vmalloc area, an eighth of its size, stays until areas of
 *    64 MiB (on two CPUs) are purged together; nothing makes the kernel do it
 *    earlier, but it lists them.
 */
#ifndef KTAP_KASAN_H
#define KTAP_KASAN_H

#include <cstdio>
#include <set>
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

/* Until this, /proc/vmallocinfo shows no true addresses, not even to root. */
inline void show_addresses()
{
	int fd = open("/proc/sys/kernel/kptr_restrict", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	[[maybe_unused]] ssize_t n = write(fd, "1", 1);
	close(fd);
}

/*
 * The shadow of areas that are freed and not purged; areas is /proc/vmallocinfo.
 * A page of shadow stands for 32 KiB, and lives as long as any area in there.
 */
inline long idle_shadow_kib(const std::string &areas)
{
	constexpr int shift = 12 + 3;
	std::set<unsigned long> idle, used;
	std::istringstream table(areas);
	for (std::string line; std::getline(table, line);) {
		unsigned long start = 0, end = 0;
		if (sscanf(line.c_str(), "%lx-%lx", &start, &end) != 2 || end <= start)
			continue;
		auto &pages = line.find("unpurged") == std::string::npos ? used : idle;
		for (unsigned long page = start >> shift; page <= (end - 1) >> shift; ++page)
			pages.insert(page);
	}
	long count = 0;
	for (unsigned long page : idle)
		count += !used.count(page);
	return count * 4;
}

} // namespace ktap

#endif /* KTAP_KASAN_H */

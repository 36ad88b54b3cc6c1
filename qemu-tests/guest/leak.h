/* SPDX-License-Identifier: MIT */
/*
 * The leak check: what the kernel holds before and after a test. Freeing is
 * deferred (work items, RCU), so a difference counts only if it stays.
 */
#ifndef KTAP_LEAK_H
#define KTAP_LEAK_H

#include <string>

namespace ktap
{

struct Resources {
	long traces = 0;	/* in /dev/ltt's list */
	long relay_buffers = 0; /* mappings that relay made, in /proc/vmallocinfo */
	long kernel_kib = 0;	/* slab, vmalloc and page tables: /proc/meminfo */
	long used_kib = 0;	/* memory neither free nor a cache */
	std::string meminfo;	/* all of /proc/meminfo, for who has to find a leak */
};

Resources resources();

/* "" if everything came back, else lines that say what did not. */
std::string leaked_since(const Resources &before);

/* All but the boot's: the next test wants the name. */
void destroy_left_traces();

} // namespace ktap

#endif /* KTAP_LEAK_H */

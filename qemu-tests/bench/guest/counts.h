/* SPDX-License-Identifier: MIT */
/*
 * Counts of executed instructions, and their way to the host.
 *
 * Under QEMU's -icount shift=0 the guest's clock stands still but for executed
 * instructions: each one is a nanosecond, and a tick of the time stamp counter.
 * So a difference of two rdtsc is a number of instructions, of all processes and
 * of the kernel, interrupts included. Time in which the one CPU idles counts as
 * well: what is measured must not wait. calibrate.cpp proves all this at each run.
 */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "../../guest/ktap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bench
{

inline uint64_t count()
{
	uint32_t low, high;
	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return uint64_t(high) << 32 | low;
}

/* Instructions that f() takes; those of count() itself are calibrated away. */
template <class F>
uint64_t instructions(F f)
{
	uint64_t begin = count();
	asm volatile("" : : : "memory");
	f();
	asm volatile("" : : : "memory");
	return count() - begin;
}

using Samples = std::vector<uint64_t>;

/* The first `warm` of n calls do not count: caches of the kernel fill. */
template <class F>
Samples sample(size_t n, size_t warm, F f)
{
	Samples list;
	list.reserve(n);
	for (size_t i = 0; i < n + warm; ++i) {
		uint64_t taken = instructions(f);
		if (i >= warm)
			list.push_back(taken);
	}
	return list;
}

/* One line for the host: what was measured, and all of it. */
inline void report(const std::string &key, const Samples &list)
{
	std::string line = "samples " + key;
	for (uint64_t value : list)
		line += " " + std::to_string(value);
	puts(line.c_str());
	REQUIRE_EQ(fflush(stdout), 0);
}

/* The counter itself, measured: a loop of known length. */
void calibrate();

} // namespace bench

#endif /* BENCH_COUNTS_H */

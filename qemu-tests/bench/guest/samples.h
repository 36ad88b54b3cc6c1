/* SPDX-License-Identifier: MIT */
/* What the groups of figures of bench-kernel have in common. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "../../guest/streams.h"
#include "counts.h"

namespace bench
{

/* A system call without the C library around it, all of them alike. */
inline long call(
	long number, const void *a = nullptr, const void *b = nullptr, const void *c = nullptr)
{
	return ust_kernel_call(number, reinterpret_cast<long>(a), reinterpret_cast<long>(b),
		reinterpret_cast<long>(c));
}

/* What a program with markers does at its start. */
void register_process();

/*
 * Lets threads that ended and work that the kernel put off come to their end. In
 * virtual time: the machine skips what it would sleep.
 */
inline void settle()
{
	usleep(50000);
}

/* The groups of figures, by files. */
void measure_calls();
void measure_buffers();
void measure_threads();
void measure_fork();
void measure_exec();
void measure_events();

} // namespace bench

#endif /* BENCH_SAMPLES_H */

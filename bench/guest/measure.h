// SPDX-License-Identifier: MIT
//
// How an event is measured, the same for all tracers: by itself, and in a long row of
// them that holds the ends of sub-buffers. Here and in the other files "alone" and
// "row" mean these.
#pragma once

#include "../../qemu-tests/bench/guest/counts.h"

namespace bench
{

constexpr std::int32_t FILL = 20000; // what wraps the 256 KiB that each tracer has
constexpr std::int32_t ALONE = 1000;
constexpr std::int32_t ROW = 32768;
constexpr std::int32_t ROWS = 5;
constexpr std::int32_t WRITTEN = FILL + ALONE + ROWS * ROW;

// The counter's lower half, which is enough for one event and takes less to keep.
inline std::uint32_t ticks()
{
	std::uint32_t low;
	asm volatile("rdtsc" : "=a"(low) : : "edx", "memory");
	return low;
}

// body(number of the round) writes one event. The loops have functions of their own, and
// get copies, so that compilers keep the number and what the body knows in registers.
template <class Body>
[[gnu::noinline]] Samples write_alone(std::int32_t i, Body body)
{
	Samples list;
	list.reserve(ALONE);
	for (const std::int32_t end = i + ALONE; i < end; ++i) {
		const std::uint32_t begin = ticks();
		body(i);
		list.push_back(ticks() - begin);
		asm volatile("" : "+r"(i));
	}
	return list;
}

template <class Body>
[[gnu::noinline]] void write_row(std::int32_t i, std::int32_t length, Body body)
{
	for (const std::int32_t end = i + length; i < end; ++i) {
		body(i);
		asm volatile("" : "+r"(i));
	}
}

// The buffer has wrapped before anything counts: its memory is there, and each end of a
// sub-buffer overwrites another.
template <class Body>
void measure(const std::string &key, Body body)
{
	write_row(0, FILL, body);
	report(key, write_alone(FILL, body));
	Samples rows;
	for (std::int32_t i = FILL + ALONE; i < WRITTEN; i += ROW)
		rows.push_back(instructions([=] { write_row(i, ROW, body); }));
	report(key + ".row", rows);
}

// A tracer that this machine does not have: the host says so in place of its figures.
inline void missing(const char *tracer, const std::string &reason)
{
	printf("missing %s %s\n", tracer, reason.c_str());
	REQUIRE_EQ(fflush(stdout), 0);
}

} // namespace bench

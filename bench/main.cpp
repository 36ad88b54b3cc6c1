// SPDX-License-Identifier: MIT
//
// What markers cost on this machine, as samples for bench/run. Here: what they are
// held against.

#include "loops.h"

namespace
{

void empty(benchmark::State &state)
{
	bench::rounds(state, [](std::int32_t) {});
}
BENCHMARK(empty);

void rdtsc(benchmark::State &state)
{
	bench::rounds(state, [](std::int32_t) { bench::ticks(); });
}
BENCHMARK(rdtsc);

} // namespace

BENCHMARK_MAIN();

// SPDX-License-Identifier: MIT
//
// The loops around what is measured, the same for both tracers.
#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>

namespace bench
{

inline std::uint64_t ticks()
{
	std::uint32_t low, high;
	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return std::uint64_t{high} << 32 | low;
}

// One marker in each round: body(number of the round). DoNotOptimize() of the library
// may keep the number in memory, and what that costs would hide a marker that is off.
template <class Body>
void rounds(benchmark::State &state, const Body &body)
{
	std::int32_t i = 0;

	for (auto _ : state) {
		body(i++);
		asm volatile("" : "+r"(i));
	}
}

// The same, with what each thread took: the mean of a run says nothing of one that
// holds up the other. In time that the thread ran; another program may have run too.
template <class Body>
void rounds_of_each_thread(benchmark::State &state, const Body &body)
{
	const auto now = [] {
		timespec time;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
		return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
	};
	const double begin = now();
	rounds(state, body);
	state.counters["thread" + std::to_string(state.thread_index())] =
		(now() - begin) / static_cast<double>(state.iterations());
}

// How long single rounds take, by the time stamp counter around each of them: the
// percentiles 99.9 and 99.99, in nanoseconds, one reading of the counter included.
template <class Body>
void tail(benchmark::State &state, const Body &body)
{
	using clock = std::chrono::steady_clock;
	constexpr std::size_t LONGEST = 1 << 16;
	const auto histogram = std::make_unique<std::array<std::uint32_t, LONGEST + 1>>();
	std::int32_t i = 0;

	histogram->fill(0);
	const clock::time_point begin = clock::now();
	const std::uint64_t first = ticks();
	for (auto _ : state) {
		const std::uint64_t before = ticks();
		body(i++);
		const std::uint64_t taken = ticks() - before;
		++(*histogram)[taken < LONGEST ? taken : LONGEST];
	}
	const double ticks_of_all = static_cast<double>(ticks() - first);
	const double ns_of_all =
		std::chrono::duration<double, std::nano>(clock::now() - begin).count();

	const auto percentile = [&](double part) {
		const double wanted = part * static_cast<double>(state.iterations());
		std::size_t at = 0;
		for (double seen = 0; at < LONGEST; ++at)
			if ((seen += (*histogram)[at]) >= wanted)
				break;
		return static_cast<double>(at) * ns_of_all / ticks_of_all;
	};
	state.counters["p999"] = percentile(0.999);
	state.counters["p9999"] = percentile(0.9999);
}

} // namespace bench

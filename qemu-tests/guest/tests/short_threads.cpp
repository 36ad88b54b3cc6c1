// SPDX-License-Identifier: MIT
//
// A hundred thousand threads, one after the other, each with one event: memory
// follows those that are alive, and the last one costs what the first one did. Time
// is the number of executed instructions here, so that it is the same on a busy host.
//
// qemu: accel=icount cpus=1 timeout=300

#include "../kasan.h"
#include "../leak.h"
#include "../streams.h"

#include <algorithm>
#include <climits>
#include <thread>

namespace
{

constexpr uint64_t thousand = 1000;
constexpr uint64_t alive = 10; // of them at a time
constexpr long noise_kib = 1024;
constexpr uint64_t buffer_size = 4 * 4096; // as ltt::params() has it

void run_thousand(const ltt::Trace &trace, uint64_t first)
{
	for (uint64_t i = 0; i < thousand; i += alive) {
		std::vector<std::thread> threads;
		for (uint64_t t = 0; t < alive; ++t)
			threads.emplace_back([&trace, number = first + i + t] {
				ltt::Buffer::of(trace).write(number);
			});
		for (std::thread &thread : threads)
			thread.join();
	}
}

class Rounds
{
public:
	// A thousand threads, and the reading of what they left; instructions of the threads.
	double run(ltt::Trace &trace)
	{
		const double begin = ktap::now();
		run_thousand(trace, n++ * thousand);
		const double instructions = (ktap::now() - begin) * 1e9;
		ltt_trace_info info = trace.info();
		most = std::max<uint64_t>(most, info.memory);
		CHECK_EQ(info.refused, 0);
		CHECK_EQ(info.lost, 0);
		uint64_t events = 0;
		for (auto &[number, stream] : ltt::streams_of(trace.read_packets())) {
			CHECK(stream.last());
			CHECK_EQ(stream.events.size(), 1);
			events += stream.events.size();
		}
		CHECK_EQ(events, thousand);
		// Kept for the next threads, at most.
		WAIT_UNTIL(trace.info().memory <= alive * buffer_size);
		CHECK_EQ(trace.info().buffers, 0);
		return instructions;
	}

	// The least memory in use after some rounds: caches take a MiB more or less.
	long used_kib(ltt::Trace &trace)
	{
		long least = LONG_MAX;
		for (int i = 0; i < 3; ++i) {
			run(trace);
			least = std::min(least, ktap::resources().used_kib);
		}
		return least;
	}

	uint64_t n = 0;	   // so far
	uint64_t most = 0; // bytes of the trace
};

} // namespace

TEST("a hundred thousand short threads: memory is that of those alive, a thread costs the same",
	seconds(90, 900))
{
	const uint64_t before = ktap::in_full(96u, 6u);
	Rounds rounds;
	ltt::Trace old(ltt::params());
	old.start();
	rounds.run(old);
	const long used = rounds.used_kib(old);
	while (rounds.n < before)
		rounds.run(old);
	const long used_later = rounds.used_kib(old);
	// The one that has seen them all and a new one in turn, because what a thread takes
	// depends on what the kernel has in its caches.
	double with_old = 1e12, with_new = 1e12;
	for (int i = 0; i < 2; ++i) {
		with_old = std::min(with_old, rounds.run(old));
		old.stop();
		ltt::Trace fresh(ltt::params("fresh"));
		fresh.start();
		with_new = std::min(with_new, rounds.run(fresh));
		fresh.destroy();
		old.start();
	}
	printf("a thread: %.0f instructions after %lu of them, %.0f in a new trace; %lu bytes for "
	       "a thousand; %ld KiB more in use\n",
		with_old / thousand, before * thousand, with_new / thousand, rounds.most,
		used_later - used);
	// What the dead left, unread: not their buffers of 16 KiB.
	CHECK_LE(rounds.most, thousand * 64 + alive * buffer_size);
	CHECK_LE(
		used_later, used + noise_kib + (ktap::has_kasan() ? ktap::max_idle_shadow_kib : 0));
	CHECK_LE(with_old, 1.1 * with_new);
}

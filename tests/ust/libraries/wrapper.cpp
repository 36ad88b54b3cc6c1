// SPDX-License-Identifier: MIT
//
// For LD_PRELOAD: the first and every other malloc() of each thread of any program writes
// an event. In the end it prints how many calls and how many events there were.
#include "../fake_kernel.h"

#include <ust/ust.h>

#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <new>

UST_EVENT(wrapper, malloc, UST_BIT(0), (std::size_t, size))

namespace
{

std::atomic<unsigned long> calls;
std::atomic<bool> ended;
unsigned the_trace;

__attribute__((destructor)) void report()
{
	ended = true;
	unsigned long events = 0, lost = 0;
	for (const fake::packet &packet : fake::read(the_trace)) {
		events += packet.bytes.size() / 16;
		lost += packet.lost;
	}
	if (events == calls && calls >= 4000)
		std::printf("each call is an event, %lu lost\n", lost);
	else
		std::printf("%lu events for %lu calls, %lu lost\n", events, calls.load(), lost);
}

} // namespace

extern "C" void *malloc(std::size_t size) noexcept
{
	static std::atomic<int> state; // 0, 1 while the trace begins, 2
	int none = 0;
	if (state.compare_exchange_strong(none, 1)) {
		fake::trace_options options;
		options.subbuf_size = 1 << 18;
		the_trace = fake::create(options);
		state = 2;
	}
	if (state == 2 && !ended) {
		++calls;
		UST(wrapper, malloc, size);
	}
	static void *(*next)(std::size_t);
	if (!next)
		next = reinterpret_cast<void *(*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
	return next(size);
}

// SPDX-License-Identifier: MIT
//
// Our markers, in a flight recorder: no reader is needed, and none disturbs.

#include "events.h"
#include "fake_kernel.h"
#include "loops.h"
#include "values.h"

#include <algorithm>

namespace
{

// ltt-ctl's defaults; lttng.py gives LTTng-UST the same.
unsigned trace()
{
	static const unsigned slot =
		fake::create({UST_BIT(0), 64 * 1024, 4, true, LTT_CLOCK_TSC, LTT_MODE_OVERWRITE});
	return slot;
}

void number(std::int32_t i)
{
	UST(bench, number, i, bench::number(i));
}

// Measures, and takes the figure back if not each round wrote an event.
template <class Measure>
void all_written(benchmark::State &state, const Measure &measure)
{
	trace();
	number(0); // the thread's first: it takes up its buffer
	const ltt_control *control = fake::control(trace());
	if (!control)
		return state.SkipWithError("the thread has no buffer");
	const std::uint64_t before = control->events;
	measure();
	const auto written = static_cast<std::int64_t>(control->events - before);
	if (written != state.iterations() || control->lost || control->too_big)
		state.SkipWithError("there are not as many events as rounds");
}

void off(benchmark::State &state)
{
	trace();
	bench::rounds(state, [](std::int32_t i) { UST(bench, off, i, bench::number(i)); });
}
BENCHMARK(off);

void number(benchmark::State &state)
{
	all_written(state, [&] { bench::rounds(state, [](std::int32_t i) { number(i); }); });
}
BENCHMARK(number);

void number_each(benchmark::State &state)
{
	all_written(state,
		[&] { bench::rounds_of_each_thread(state, [](std::int32_t i) { number(i); }); });
}
BENCHMARK(number_each)->Threads(1)->Threads(2);

void text(benchmark::State &state)
{
	const char *string = bench::text();
	all_written(state, [&] {
		bench::rounds(state, [=](std::int32_t i) { UST(bench, text, i, string); });
	});
}
BENCHMARK(text);

void number_tail(benchmark::State &state)
{
	all_written(state, [&] { bench::tail(state, [](std::int32_t i) { number(i); }); });
}
BENCHMARK(number_tail);

} // namespace

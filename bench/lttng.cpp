// SPDX-License-Identifier: MIT
//
// The same with LTTng-UST's tracepoints. A session must be recording: lttng.py.

#include "lttng_events.h"

#include "loops.h"
#include "values.h"

namespace
{

void number(std::int32_t i)
{
	lttng_ust_tracepoint(bench, on_number, i, bench::number(i));
}

// Measures only if the session wants the events of the given kind, and not the other.
template <class Measure>
void recorded(benchmark::State &state, const Measure &measure)
{
	if (!lttng_ust_tracepoint_enabled(bench, on_number) ||
		!lttng_ust_tracepoint_enabled(bench, on_text) ||
		lttng_ust_tracepoint_enabled(bench, off))
		return state.SkipWithError("no LTTng session records the events bench:on_*");
	measure();
}

void off_lttng(benchmark::State &state)
{
	recorded(state, [&] {
		bench::rounds(state, [](std::int32_t i) {
			lttng_ust_tracepoint(bench, off, i, bench::number(i));
		});
	});
}
BENCHMARK(off_lttng);

void number_lttng(benchmark::State &state)
{
	recorded(state, [&] { bench::rounds(state, [](std::int32_t i) { number(i); }); });
}
BENCHMARK(number_lttng);

void text_lttng(benchmark::State &state)
{
	const char *string = bench::text();
	recorded(state, [&] {
		bench::rounds(state,
			[=](std::int32_t i) { lttng_ust_tracepoint(bench, on_text, i, string); });
	});
}
BENCHMARK(text_lttng);

void number_tail_lttng(benchmark::State &state)
{
	recorded(state, [&] { bench::tail(state, [](std::int32_t i) { number(i); }); });
}
BENCHMARK(number_tail_lttng);

} // namespace

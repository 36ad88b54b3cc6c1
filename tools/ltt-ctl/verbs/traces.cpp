// SPDX-License-Identifier: MIT
#include "traces.h"

#include "../lib/contexts.h"
#include "../lib/error.h"
#include "../lib/text.h"

namespace ltt
{

const char *ShownTrace::covers() const
{
	return info.flags & LTT_TRACE_BOOT     ? "boot"
	       : info.flags & LTT_TRACE_SYSTEM ? "system"
					       : "own";
}

namespace
{

ShownTrace look_at(const ltt_trace_info &info, KernelTrace &trace)
{
	return {info, trace.rules(), trace.kernel_events()};
}

} // namespace

std::vector<ShownTrace> all_traces(Kernel &kernel)
{
	std::vector<ShownTrace> all;
	for (const ltt_trace_info &info : kernel.list())
		try {
			all.push_back(look_at(info, *kernel.open(trace_name(info))));
		} catch (const Error &) {
			// Traces come and go: one that is gone by now is none.
		}
	return all;
}

ShownTrace trace_called(Kernel &kernel, const std::string &name)
{
	std::unique_ptr<KernelTrace> trace = kernel.open(name);
	return look_at(trace->info(), *trace);
}

Json json_of(const ShownTrace &trace)
{
	const ltt_trace_info &t = trace.info;
	return {
		{"name", trace_name(t)},
		{"active", t.active != 0},
		{"system", (t.flags & LTT_TRACE_SYSTEM) != 0},
		{"boot", (t.flags & LTT_TRACE_BOOT) != 0},
		{"persists", (t.flags & LTT_TRACE_PERSIST) != 0},
		{"filter", t.filter},
		{"mode", format_mode(t.mode)},
		{"subbuf_size", t.subbuf_size},
		{"n_subbufs", t.n_subbufs},
		{"buffers", t.buffers},
		{"memory", t.memory},
		{"lost", t.lost},
		{"refused", t.refused},
		{"uid", t.uid},
		{"clock", format_clock(t.clock)},
		{"clock_freq", t.clock_freq},
		{"overwritten", t.overwritten},
		{"pool", t.pool},
		{"max_memory", t.max_memory},
		{"timeout_us", t.timeout_us},
		{"targets", t.n_targets},
		{"rules", trace.rules},
		{"kernel", trace.kernel},
		{"contexts", context_names(t.contexts)},
		{"categories", format_categories(t.filter)},
	};
}

} // namespace ltt

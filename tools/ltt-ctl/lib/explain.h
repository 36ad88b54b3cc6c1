// SPDX-License-Identifier: MIT
// Whether a trace takes the events of a process, and if not, why.
#ifndef LTT_CTL_EXPLAIN_H
#define LTT_CTL_EXPLAIN_H

#include <string>

#include "definitions.h"
#include "event_counts.h"
#include "kernel.h"
#include "traced_process.h"

namespace ltt
{

// What keeps events out of a trace, or does not. Scripts rely on the names.
struct Explanation {
	bool taken = false;
	// "taken"; "not-reached": it would be, but there is none; else what keeps it out:
	// "stopped", "user", "silent", "limits", "filter", "rules".
	std::string why;
	std::string text; // for people
};

// The process as a whole: "taken" if the trace covers it, as far as can be told.
Explanation explain_process(const ltt_trace_info &trace, const TracedProcess &process);

// One event of a process that the trace covers; @counts: what the trace has of it, null if
// nothing runs.
Explanation explain_event(const ltt_trace_info &trace, const std::string &rules,
	const Definition &event, const std::vector<Category> &categories,
	const EventCounts *counts);

} // namespace ltt

#endif

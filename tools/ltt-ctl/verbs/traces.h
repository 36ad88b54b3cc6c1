// SPDX-License-Identifier: MIT
// The traces that list and status show, and the form for scripts that both have.
#ifndef LTT_CTL_TRACES_H
#define LTT_CTL_TRACES_H

#include <string>
#include <vector>

#include "../lib/kernel.h"
#include "json.h"

namespace ltt
{

struct ShownTrace {
	ltt_trace_info info;
	std::string rules;
	std::string kernel; // events of it

	// "own", "system" or "boot".
	const char *covers() const;
};

std::vector<ShownTrace> all_traces(Kernel &kernel);
// Throws Error if there is none of that name.
ShownTrace trace_called(Kernel &kernel, const std::string &name);

// Keys are only ever added. Sizes in bytes.
Json json_of(const ShownTrace &trace);

} // namespace ltt

#endif

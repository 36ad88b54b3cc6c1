// SPDX-License-Identifier: MIT
// The traces in an image of memory, as uapi/linux/ltt_dump.h describes them.
#ifndef LTT_CTL_DUMP_TRACES_H
#define LTT_CTL_DUMP_TRACES_H

#include <functional>
#include <string>
#include <vector>

#include <ust/detail/abi.h>

#include "image.h"

namespace ltt::dump
{

struct Trace {
	std::string name;
	ltt_trace_info info{}; // what of it the image tells: geometry, clock, contexts
	uint64_t address = 0;
};

struct Traces {
	std::string hostname;
	std::vector<Trace> traces;
};

// Gets a line for each thing that cannot be read.
using Report = std::function<void(const std::string &)>;

// Throws Error if the image has no traces: it is of a kernel without them, or what tells of
// them is not in it.
Traces find_traces(const Image &image, const Report &report);

} // namespace ltt::dump

#endif

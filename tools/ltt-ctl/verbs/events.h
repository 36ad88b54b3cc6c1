// SPDX-License-Identifier: MIT
// What the forms of events have in common.
#ifndef LTT_CTL_EVENTS_H
#define LTT_CTL_EVENTS_H

#include <string>
#include <vector>

#include "../lib/objects.h"
#include "json.h"

namespace ltt
{

// Keys are only ever added.
Json json_of(const Definition &definition, const std::vector<Category> &categories);

Json json_fields(const Definition &definition);
// "p:name(u32 n, string s)"
std::string signature(const Definition &definition);

// What the kernel has. Returns the exit status.
int show_events_of_kernel(bool json);

// Which of the events the trace takes; @file_or_pid is where they are from. Returns the exit
// status.
int show_events_in_trace(const std::string &trace, const std::string &file_or_pid,
	const std::vector<Object> &objects, bool json);

} // namespace ltt

#endif

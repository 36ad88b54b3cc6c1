// SPDX-License-Identifier: MIT
//
// The whole path: what markers wrote into the buffers of the fake kernel is
// checked, recorded and described by ltt-ctl's library, and read by babeltrace2.
#pragma once

#include "fake_kernel.h"

#include <string>
#include <vector>

// All unread events of a trace, as "provider:name { field = value, ... }", with the
// contexts of the trace in braces of their own before the fields. Fails
// the test if a packet is set aside, or if babeltrace2 says anything else.
std::vector<std::string> recorded(unsigned trace);

// A trace whose clock is the one of recorded(), with room for large events.
fake::trace_options large_trace();

// SPDX-License-Identifier: MIT
//
// trace_marker_raw: one write() for an event; a number says which, the rest is opaque.

#include "../values.h"
#include "groups.h"
#include "tracefs.h"

namespace bench
{

void measure_marker_raw()
{
	const Tracefs tracefs;
	if (!tracefs.has("trace_marker_raw"))
		return missing("trace_marker_raw", "the kernel has no CONFIG_TRACING");
	const int fd = tracefs.open_file("trace_marker_raw", O_WRONLY);

	struct Event {
		std::uint32_t id;
		std::int32_t a;
		std::uint64_t b;
	};
	tracefs.measure("trace_marker_raw", [=](std::int32_t i) {
		const Event event = {1, i, number(i)};
		static_cast<void>(!write(fd, &event, sizeof event));
	});
}

} // namespace bench

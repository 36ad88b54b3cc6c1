// SPDX-License-Identifier: MIT
//
// The same with LTTng-UST's tracepoints: inside.py has a session for them.

#include "../lttng_events.h"

#include "../values.h"
#include "measure.h"

using namespace bench;

int main(int argc, char **argv)
{
	REQUIRE_EQ(argc, 2);
	// The session wants the events of the given kind, and not the other.
	REQUIRE(lttng_ust_tracepoint_enabled(bench, on_number));
	REQUIRE(lttng_ust_tracepoint_enabled(bench, on_text));
	REQUIRE(!lttng_ust_tracepoint_enabled(bench, off));

	const std::string group = argv[1];
	const char *string = text();
	if (group == "off")
		measure("off_lttng",
			[](std::int32_t i) { lttng_ust_tracepoint(bench, off, i, number(i)); });
	else if (group == "number")
		measure("number_lttng", [](std::int32_t i) {
			lttng_ust_tracepoint(bench, on_number, i, number(i));
		});
	else if (group == "text")
		measure("text_lttng",
			[=](std::int32_t i) { lttng_ust_tracepoint(bench, on_text, i, string); });
	else
		REQUIRE_EQ(group, "off, number or text");
}

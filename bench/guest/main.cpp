// SPDX-License-Identifier: MIT
//
// What an event costs in the guest, in instructions, by tracers. Arguments name groups of
// figures; the results are lines "samples KEY N…" for the host, and "missing TRACER WHY".

#include "groups.h"
#include "measure.h"

namespace
{

void measure_empty()
{
	bench::measure("empty", [](std::int32_t) {});
	bench::report("row_length", {bench::ROW});
	bench::report("written", {bench::WRITTEN});
}

constexpr struct {
	const char *name;
	void (*measure)();
} groups[] = {
	{"calibration", bench::calibrate},
	{"empty", measure_empty},
	{"off", bench::measure_off},
	{"number", bench::measure_number},
	{"text", bench::measure_text},
	{"user_events", bench::measure_user_events},
	{"trace_marker_raw", bench::measure_marker_raw},
	{"uprobe", bench::measure_uprobe},
};

} // namespace

int main(int argc, char **argv)
{
	REQUIRE_EQ(argc, 2);
	for (const auto &group : groups)
		if (strcmp(group.name, argv[1]) == 0) {
			group.measure();
			return 0;
		}
	ktap::fail(__FILE__, __LINE__, "there is no group %s", argv[1]);
	return ktap::exit_failed;
}

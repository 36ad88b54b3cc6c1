// SPDX-License-Identifier: MIT
//
// Measures what the kernel part costs, in instructions. Arguments name the groups
// of figures; the results are lines "samples KEY N…" for host and figures.py.

#include "samples.h"

namespace
{

struct Group {
	const char *name;
	void (*measure)();
};

constexpr Group groups[] = {
	{"calibration", bench::calibrate},
	{"calls", bench::measure_calls},
	{"buffers", bench::measure_buffers},
	{"threads", bench::measure_threads},
	{"fork", bench::measure_fork},
	{"exec", bench::measure_exec},
	{"events", bench::measure_events},
};

// On a page that nothing else is on: what a fork pays for it does not depend on what
// else of that page the process writes.
alignas(4096) union {
	ltt_gate gate;
	char page[4096];
} gate;

} // namespace

void bench::register_process()
{
	ltt_registration registration = {};
	registration.signal = LTT_SIGNAL_DEFAULT;
	registration.gate = reinterpret_cast<unsigned long>(&gate);
	REQUIRE_EQ(ltt_register(&registration, sizeof(registration)), 0);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; ++i) {
		const Group *chosen = nullptr;
		for (const Group &group : groups)
			if (strcmp(group.name, argv[i]) == 0)
				chosen = &group;
		REQUIRE(chosen);
		// In a process of its own: none finds the state that another left.
		int status = ktap::wait_for(ktap::spawn(chosen->measure));
		if (status != 0)
			ktap::fail(__FILE__, __LINE__, "%s ended with status %#x", argv[i], status);
		REQUIRE_EQ(status, 0);
	}
	return 0;
}

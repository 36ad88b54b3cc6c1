// SPDX-License-Identifier: MIT
#include "../lib/kernel.h"
#include "../lib/arguments.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_kernel(const Words &words)
{
	std::string name, events;

	Arguments a("kernel", describe("kernel"));
	a.positional("NAME", name, "the trace");
	a.positional("EVENTS", events,
		"groups (sched, syscalls, irq), names, or their begins (sched_wak*), between "
		"commas; '' "
		"for none; ltt-ctl events --kernel lists them");
	a.example("ltt-ctl kernel mine sched,syscalls");
	a.example("ltt-ctl kernel mine sched_switch,irq_*");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	open_device()->open(name)->set_kernel_events(events);
	return 0;
}

} // namespace ltt

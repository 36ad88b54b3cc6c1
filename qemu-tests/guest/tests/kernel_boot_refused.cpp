// SPDX-License-Identifier: MIT
//
// An event that does not exist, on the command line: the trace goes without, and says so.

// qemu: append="ltt.boot=early,kernel=sched+skhed+irq,filter=3"

#include "../boot_log.h"
#include "../kernel_events.h"

TEST("the log names the word, and the trace is there without events of the kernel")
{
	ltt::Trace trace = ltt::Trace::open("early");
	CHECK_EQ(trace.info().filter, 3);
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "");
	CHECK_EQ(trace.info().buffers, 0);
	ltt::expect_boot_log({"no event of the kernel is called", "\"skhed,irq\""});
}

// SPDX-License-Identifier: MIT
//
// Events of the kernel in the trace of the command line: from before PID 1.

// qemu: append="ltt.boot=early,subbuf=256k,kernel=sched+syscall_entry_execve,n=8"

#include "../kernel_events.h"

TEST("the first program is there, from its exec on, and what it started")
{
	ltt::Trace trace = ltt::Trace::open("early");
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "sched,syscall_entry_execve");
	trace.stop();
	kernel_events::Reader reader;
	reader.read(trace);
	CHECK_EQ(reader.lost(), 0);
	bool init = false, forked = false, me = false;
	for (const kernel_events::Event &e : reader.all()) {
		if (e.name == "sched_process_exec" && e["tid"] == 1) {
			CHECK_EQ(e.string("filename"), "/init");
			init = true;
		} else if (e.name == "sched_process_fork" && e["parent_pid"] == 1) {
			CHECK(init);
			forked = true;
		} else if (e.name == "sched_process_exec" && e["tid"] == getppid()) {
			CHECK(forked);
			me = true;
		}
	}
	CHECK(init);
	CHECK(forked);
	CHECK(me);
}

// SPDX-License-Identifier: MIT
//
// Times on a machine whose time stamp counters are not to be trusted.
// qemu: append="tsc=unstable" cpus=2

#include "../times.h"

TEST("the clock is the monotonic one")
{
	ltt::Trace trace(ltt::params());
	CHECK_EQ(trace.info().clock, LTT_CLOCK_MONOTONIC);
}

TEST("a thread that hops between processors has times that do not go back")
{
	ltt::Trace trace(times::large());
	trace.start();
	times::hop(trace);
}

TEST("threads that take turns on two processors keep cause before effect")
{
	ltt::Trace trace(times::large());
	trace.start();
	times::take_turns(trace);
}

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

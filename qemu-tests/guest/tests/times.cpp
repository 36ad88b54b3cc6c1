// SPDX-License-Identifier: MIT
//
// Times on a machine whose kernel chooses the clock.

#include "../times.h"

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

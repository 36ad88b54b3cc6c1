// SPDX-License-Identifier: MIT
//
// ltt.boot=: a trace that is older than PID 1.

// qemu: append="ltt.boot=early,filter=0x11,subbuf=8k,n=8"

#include "../ltt.h"

TEST("the trace is there, active, of the whole system, with the geometry asked for")
{
	ltt::Trace trace = ltt::Trace::open("early");
	ltt_trace_info info = trace.info();
	CHECK_EQ(info.flags, LTT_TRACE_SYSTEM | LTT_TRACE_BOOT);
	CHECK_EQ(info.active, 1u);
	CHECK_EQ(info.filter, 0x11u);
	CHECK_EQ(info.subbuf_size, 8192u);
	CHECK_EQ(info.n_subbufs, 8u);
}

TEST("it gets events, and what nobody read yet is there for a later reader")
{
	ltt::Buffer buffer = ltt::Buffer::next();
	REQUIRE(buffer);
	CHECK_EQ(buffer->active, 1u);
	buffer.write(uint64_t{42});
	CHECK_EQ(ltt_switch(buffer.address()), 0);
	ltt::Trace trace = ltt::Trace::open("early");
	std::vector<ltt::Event> events = ltt::events_of(trace.read_events(getpid()));
	REQUIRE_EQ(events.size(), 1u);
	CHECK_EQ(events[0].as<uint64_t>(), 42u);
}

TEST("it can be stopped, started and destroyed like any other")
{
	ltt::Trace trace = ltt::Trace::open("early");
	trace.stop();
	CHECK_EQ(trace.info().active, 0u);
	trace.start();
	CHECK_EQ(trace.info().active, 1u);
	trace.destroy();
	CHECK(!ltt::Buffer::next());
}

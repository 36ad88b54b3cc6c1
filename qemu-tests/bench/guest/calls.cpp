// SPDX-License-Identifier: MIT
//
// System calls: an empty one to compare with, ltt_update() of a buffer that is
// mapped, ltt_switch() of a sub-buffer that holds an event.

#include "samples.h"

namespace bench
{

namespace
{

void measure_update(const ltt::Buffer &buffer)
{
	void *address = buffer.address();
	int active = 0, filter = 0;
	long failed = 0;
	report("update", sample(200, 20, [&] {
		failed |= call(LTT_NR_update, &address, &active, &filter);
	}));
	REQUIRE_EQ(failed, 0);
	REQUIRE_EQ(active, 1);
}

void measure_switch(ltt::Trace &trace, const ltt::Buffer &buffer)
{
	Samples list;
	for (uint64_t i = 0; i < 200; ++i) {
		buffer.write(i);
		long failed = 0;
		list.push_back(
			instructions([&] { failed = call(LTT_NR_switch, buffer.address()); }));
		REQUIRE_EQ(failed, 0);
		// A sub-buffer was closed, none other, and the next is open.
		std::vector<ltt::Packet> packets = trace.read_events();
		REQUIRE_EQ(packets.size(), 1);
		REQUIRE_EQ(packets[0].events().size(), 1);
		REQUIRE_EQ(buffer.control().full, 0);
	}
	report("switch", list);
}

} // namespace

void measure_calls()
{
	report("empty_call", sample(200, 20, [] { call(SYS_getppid); }));
	report("getpid_loop", sample(50, 5, [] {
		for (int i = 0; i < 1000; ++i)
			call(SYS_getpid);
	}));

	ltt::Trace trace(ltt::params("calls"));
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	measure_update(buffer);
	measure_switch(trace, buffer);
}

} // namespace bench

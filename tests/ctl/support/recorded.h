// SPDX-License-Identifier: MIT
// A trace of a few packets to record, and what became of it.
#ifndef LTT_TESTS_CTL_RECORDED_H
#define LTT_TESTS_CTL_RECORDED_H

#include <catch2/catch.hpp>

#include "build.h"
#include "command.h"
#include "directory.h"
#include "fake_kernel.h"
#include "lib/recording.h"

inline const Bytes definitions = definitions_packet(1, definition(1, "p", "e", {}));

// How most recordings begin: the trace, into a new directory.
inline ltt::RecordOptions record_options(const Directory &d)
{
	ltt::RecordOptions o;
	o.names = {"mine"};
	o.directory = d / "out";
	return o;
}

inline Bytes one_event_packet(uint64_t sequence, uint32_t flags = 0)
{
	ltt_packet h = packet_header();
	h.sequence = sequence;
	h.events = sequence + 1;
	h.flags = flags;
	return packet(h, event(2000 + sequence, 1));
}

inline size_t events_on_disk(const Directory &d)
{
	CommandResult r = babeltrace(d / "out");
	CHECK(r.status == 0);
	CHECK(r.err == "");
	return static_cast<size_t>(std::count(r.out.begin(), r.out.end(), '\n'));
}

inline FakeKernel kernel_with_trace()
{
	FakeKernel k;
	k.state.params.name = "mine";
	k.state.active = true;
	k.state.ready = {definitions, one_event_packet(0)};
	k.state.in_open = {one_event_packet(1)};
	return k;
}

#endif

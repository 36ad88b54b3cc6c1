// SPDX-License-Identifier: MIT
// Packets of the kernel's events, as processors write them.
#ifndef LTT_TESTS_CTL_KERNEL_EVENTS_H
#define LTT_TESTS_CTL_KERNEL_EVENTS_H

#include <cstring>
#include <string>

#include "support/build.h"

inline Bytes kernel_definitions()
{
	const TypeBytes comm = array_of(LTT_COMM_SIZE, UST_TYPE_CHAR);
	return definitions_packet(LTT_PROCESS_KERNEL,
		definition(1, "sched", "sched_switch",
			{{comm, "prev_comm"}, {UST_TYPE_I32, "prev_tid"}, {comm, "next_comm"},
				{UST_TYPE_I32, "next_tid"}}));
}

inline ltt_packet kernel_packet(uint32_t cpu)
{
	ltt_packet h{};
	h.magic = LTT_PACKET_MAGIC;
	h.type = LTT_PACKET_EVENTS;
	h.header_size = sizeof(h);
	h.flags = LTT_PACKET_KERNEL;
	h.process = LTT_PROCESS_KERNEL;
	h.stream = 100 + cpu;
	h.cpu = cpu;
	h.begin = 1000;
	h.end = 1000000;
	return h;
}

inline Bytes switch_event(uint64_t time, const std::string &from, int32_t prev_tid,
	const std::string &to, int32_t next_tid)
{
	const auto comm = [](const std::string &name) {
		Bytes out(name.begin(), name.end());
		out.resize(LTT_COMM_SIZE);
		return out;
	};
	Bytes fields = comm(from);
	append(fields, payload(prev_tid));
	append(fields, comm(to));
	append(fields, payload(next_tid));
	return event(time, 1, fields);
}

#endif

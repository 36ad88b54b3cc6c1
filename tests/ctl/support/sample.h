// SPDX-License-Identifier: MIT
// A small session with all that there is in one: two programs, streams of several packets,
// losses, contexts, types of every kind.
#ifndef LTT_TESTS_CTL_SAMPLE_H
#define LTT_TESTS_CTL_SAMPLE_H

#include <string>

#include "lib/contexts.h"
#include "support/session.h"

inline Bytes sample_values(uint32_t n)
{
	Bytes p = payload(n);
	put_string(p, "text " + std::to_string(n));
	append(p, payload(static_cast<uint8_t>(n % 3)));
	return p;
}

constexpr size_t sample_events = 2 * 3 * 2 + 3;

// Ended as a recording of a stopped trace ends.
inline void write_sample(const std::string &directory)
{
	TestSession s(directory, ltt::reader_contexts);
	Bytes definitions = definition(1, "p", "values",
		{{UST_TYPE_U32, "n"}, {UST_TYPE_STRING, "text"},
			{enum_of<uint8_t>(UST_TYPE_U8, {{0, 0, "no"}, {1, 1, "yes"}}), "state"}});
	append(definitions, definition(2, "p", "empty", {}, UST_LEVEL_ERR));
	s.take(definitions_packet(1, definitions));
	s.take(definitions_packet(2, definition(1, "q", "only", {{UST_TYPE_U16, "n"}})));

	for (uint64_t sequence = 0; sequence < 3; ++sequence)
		for (uint32_t thread = 1; thread <= 2; ++thread) {
			ltt_packet h = packet_header();
			h.stream = thread;
			h.tid = h.vtid = 10 + thread;
			h.sequence = sequence;
			h.events = 2 * (sequence + 1);
			h.lost = thread == 2 ? 5 * sequence : 0;
			const uint64_t time = 2000 + 1000 * sequence + 10 * thread;
			Bytes body = event(time, 1, sample_values(thread));
			append(body, event(time + 5, 2));
			s.take(packet(h, body));
		}
	ltt_packet h = packet_header();
	h.process = 2;
	h.stream = 3;
	h.events = 3;
	std::memcpy(h.comm, "other\0", 6);
	Bytes body;
	for (uint16_t n = 0; n < 3; ++n)
		append(body, event(2500 + n, 1, payload(n)));
	s.take(packet(h, body));
	s.session.finish(true);
}

#endif

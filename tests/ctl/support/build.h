// SPDX-License-Identifier: MIT
// Makes the bytes that programs and the kernel would give.
#ifndef LTT_TESTS_CTL_BUILD_H
#define LTT_TESTS_CTL_BUILD_H

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <ust/definition.h>
#include <ust/detail/abi.h>

#include "support/types.h"

// One record of event definitions; more follows the fields.
inline Bytes definition(uint16_t id, const std::string &provider, const std::string &name,
	const Fields &fields, uint8_t level = UST_LEVEL_INFO, uint32_t filter = 1,
	const Bytes &more = {})
{
	Bytes out(sizeof(ust_definition));
	put_string(out, provider);
	put_string(out, name);
	append(out, fields_bytes(fields));
	append(out, more);
	out.resize((out.size() + 7) / 8 * 8);
	ust_definition head{};
	head.magic = UST_DEFINITION_MAGIC;
	head.size = static_cast<uint32_t>(out.size());
	head.filter = filter;
	head.id = id;
	head.level = level;
	head.n_fields = static_cast<uint8_t>(fields.size());
	std::memcpy(out.data(), &head, sizeof(head));
	return out;
}

// The same for a context of the program's own.
inline Bytes context_definition(
	uint16_t id, const std::string &provider, const std::string &name, const TypeBytes &type)
{
	Bytes out = definition(id, provider, name, {{type, "value"}});
	const uint32_t magic = UST_CONTEXT_MAGIC;
	std::memcpy(out.data(), &magic, sizeof(magic));
	return out;
}

// One event: header and payload.
inline Bytes event(uint64_t time, uint16_t id, const Bytes &payload = {})
{
	Bytes out;
	put(out, time << 16 | id);
	append(out, payload);
	return out;
}

template <class... T>
Bytes payload(const T &...values)
{
	Bytes out;
	(put(out, values), ...);
	return out;
}

// A packet of events of thread 10 in process 1; what matters is set by the test.
inline ltt_packet packet_header()
{
	ltt_packet h{};
	h.magic = LTT_PACKET_MAGIC;
	h.type = LTT_PACKET_EVENTS;
	h.header_size = sizeof(h);
	h.stream = 1;
	h.process = 1;
	h.begin = 1000;
	h.end = 1000000;
	h.pid = 10;
	h.tid = 10;
	h.vpid = 3;
	h.vtid = 3;
	h.vuid = 1001;
	h.vgid = 100;
	std::strcpy(h.comm, "program");
	return h;
}

inline Bytes packet(ltt_packet h, const Bytes &body)
{
	Bytes out;
	h.size = static_cast<uint32_t>(body.size());
	put(out, h);
	append(out, body);
	return out;
}

inline Bytes definitions_packet(uint64_t process, const Bytes &definitions)
{
	ltt_packet h{};
	h.magic = LTT_PACKET_MAGIC;
	h.type = LTT_PACKET_DEFINITIONS;
	h.header_size = sizeof(h);
	h.process = process;
	return packet(h, definitions);
}

#endif

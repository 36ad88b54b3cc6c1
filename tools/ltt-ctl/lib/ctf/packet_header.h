// SPDX-License-Identifier: MIT
// How a packet begins and ends in a stream file, as metadata.cpp declares it:
//
//	PacketHeader   events …   PacketTrailer
//	├─────── content ───────┤
//	├──────────────── packet ─────────────┤
//
// The trailer lies behind the content, where any reader sees padding only.
#ifndef LTT_CTL_CTF_PACKET_HEADER_H
#define LTT_CTL_CTF_PACKET_HEADER_H

#include <cstddef>
#include <cstdint>

#include "metadata.h"

namespace ltt::ctf
{

// As metadata.cpp declares it; all integers little-endian, as the machines are that have the
// kernel side.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the metadata says little-endian");

struct [[gnu::packed]] PacketHeader {
	// packet.header
	uint32_t magic;
	Uuid uuid;
	uint32_t stream_id; // 0: the only stream class
	uint64_t instance;
	// packet.context
	uint64_t begin, end;		    // ns
	uint64_t content_size, packet_size; // bits
	uint64_t sequence;
	uint64_t discarded;
	union {
		ThreadContext thread;
		uint32_t cpu; // of the kernel; the header ends behind it
	};
};

static_assert(sizeof(PacketHeader) == 32 + 48 + 6 * 4 + LTT_COMM_SIZE, "no padding");

// What of it there is on disk.
constexpr size_t header_size(Domain domain)
{
	return domain == Domain::kernel ? offsetof(PacketHeader, cpu) + sizeof(uint32_t)
					: sizeof(PacketHeader);
}

struct [[gnu::packed]] PacketTrailer {
	uint64_t events;   // in the file up to here: how many a damaged packet had
	uint64_t checksum; // of all that is before it in the packet
};

// Bytes of a packet that are none of its events.
constexpr size_t empty_packet_size(Domain domain)
{
	return header_size(domain) + sizeof(PacketTrailer);
}

} // namespace ltt::ctf

#endif

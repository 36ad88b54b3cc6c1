// SPDX-License-Identifier: MIT
//
// What a recorder reads of a trace: definitions and packets in the kernel's format, as
// threads at full speed leave them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/clock.h"
#include "lib/packet.h"

namespace bench
{

enum class Kind {
	number,	 // (int32, uint64)
	text,	 // (int32, string of 18 characters)
	mixture, // ten types of events, with strings and sequences, one after the other
	shuffled // the same types in no order, their strings and sequences of any length
};

// One read(): as many packets as fit into 2 MiB, each a full sub-buffer of 64 KiB.
class Recorded
{
public:
	// Packets by so many threads in turn.
	explicit Recorded(Kind kind, std::size_t threads = 1);

	const std::vector<std::uint8_t> &definitions() const { return definitions_; }
	// Bytes of all packets, one behind the other.
	std::vector<std::uint8_t> &bytes() { return bytes_; }
	std::size_t events() const { return events_; }

	ltt::EventTable table() const;
	std::vector<ltt::Packet> packets() const;
	// The same events one turn of their 48-bit timestamps later, in packets that follow
	// those before.
	void later();

private:
	std::vector<std::uint8_t> definitions_;
	std::vector<std::uint8_t> bytes_;
	std::size_t events_ = 0;
	std::size_t threads_;
};

// Of a processor whose counter is as fast as most.
ltt::Clock clock();

} // namespace bench

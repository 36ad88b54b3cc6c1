// SPDX-License-Identifier: MIT
// The packets of a stream that pass every check: what a session may keep.
#ifndef LTT_CTL_READER_PACKETS_H
#define LTT_CTL_READER_PACKETS_H

#include <vector>

#include "../ctf/manifest.h"
#include "stream.h"

namespace ltt::reader
{

class Packets
{
public:
	// Both outlive this. What does not pass is reported by the stream.
	Packets(Stream &stream, const TraceTypes &types) : stream_(stream), types_(types) {}

	bool next();
	const ctf::PacketHeader &header() const { return stream_.header(); }
	const ctf::PacketTrailer &trailer() const { return stream_.trailer(); }
	std::vector<uint8_t> &bytes() { return bytes_; }
	uint64_t events() const { return events_; } // of the packet
	// What the stream would have, were this packet its last; size 0 before the first.
	const ctf::StreamEnd &end() const { return end_; }

private:
	void check();

	Stream &stream_;
	const TraceTypes &types_;
	std::vector<uint8_t> bytes_;
	uint64_t events_ = 0;
	uint64_t ns_ = 0; // end of the packet
	ctf::StreamEnd end_;
};

} // namespace ltt::reader

#endif

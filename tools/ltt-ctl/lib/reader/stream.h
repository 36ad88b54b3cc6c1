// SPDX-License-Identifier: MIT
// The packets of a stream file. What is none is told of and passed over.
#ifndef LTT_CTL_READER_STREAM_H
#define LTT_CTL_READER_STREAM_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../ctf/packet_header.h"
#include "events.h"

namespace ltt::reader
{

// What is wrong in a file.
struct Fault {
	std::string file;
	std::optional<uint64_t> packet; // its number in the file, from 0
	uint64_t byte = 0;
	uint64_t size = 0; // bytes that belong to no sound packet; 0: another fault
	std::string reason;
};
std::string to_string(const Fault &fault); // one line

using Report = std::function<void(const Fault &)>;

class Stream
{
public:
	// @instance: the number in the file's name.
	Stream(std::string path, const ctf::Manifest &trace, uint64_t instance, Report report);

	// Goes to the next packet whose header fits; false behind the last one.
	bool next();
	const ctf::PacketHeader &header() const { return header_; }
	uint64_t offset() const { return offset_; }
	uint64_t number() const { return number_; } // of the packet in the file
	const std::string &path() const { return path_; }
	uint64_t size() const { return size_; }

	// Reads the packet. False if it is not what was written: it counts as passed over then.
	bool load(std::vector<uint8_t> &packet);
	// Its trailer, once it is read.
	const ctf::PacketTrailer &trailer() const { return trailer_; }
	// The packet is read, but will not do for this reason.
	void refuse(const std::string &reason);

private:
	std::string refusal(uint64_t at, ctf::PacketHeader &header) const;
	uint64_t find_header(uint64_t from);
	void end_bad_bytes(uint64_t at);

	std::string path_;
	Report report_;
	size_t header_size_;
	std::vector<uint8_t> mark_; // how each of its packets begins
	ctf::PacketHeader header_{};
	ctf::PacketTrailer trailer_{};
	uint64_t size_;
	uint64_t offset_ = 0;
	uint64_t number_ = 0;
	uint64_t packets_ = 0;
	uint64_t next_ = 0;	      // where the next packet should begin
	std::vector<uint8_t> window_; // of the file, where a header is looked for
	uint64_t window_at_ = 0;
	// What is passed over, while its end is looked for.
	std::optional<Fault> bad_;
};

} // namespace ltt::reader

#endif

// SPDX-License-Identifier: MIT
#include "stream.h"

#include <algorithm>
#include <cstring>

#include "../checksum.h"
#include "../file.h"
#include "../text.h"

namespace ltt::reader
{

namespace
{

// A sub-buffer has 16M at most; encoded again its events are larger by their headers and
// contexts.
constexpr uint64_t most_packet = uint64_t{1} << 28;
constexpr size_t window_size = 1 << 16;
constexpr size_t mark_size = offsetof(ctf::PacketHeader, begin);

} // namespace

std::string to_string(const Fault &fault)
{
	std::string s = fault.file + ": ";
	if (fault.packet)
		s += "packet " + std::to_string(*fault.packet) + ", ";
	s += "byte " + std::to_string(fault.byte);
	return s + ": " + fault.reason;
}

Stream::Stream(std::string path, const ctf::Manifest &trace, uint64_t instance, Report report)
	: path_(std::move(path)), report_(std::move(report)),
	  header_size_(ctf::header_size(trace.domain)), mark_(mark_size), size_(size_of_file(path_))
{
	ctf::PacketHeader expected{};
	expected.magic = ctf::packet_magic;
	expected.uuid = trace.uuid;
	expected.instance = instance;
	std::memcpy(mark_.data(), &expected, mark_size);
}

// Why no packet of this stream begins there; "" if one does.
std::string Stream::refusal(uint64_t at, ctf::PacketHeader &header) const
{
	const uint64_t left = size_ - at;
	const uint64_t least_packet = header_size_ + sizeof(ctf::PacketTrailer);
	const std::string cut = "cut off: " + count_of(left, "byte") + " left";

	header = {};
	const size_t got = read_file_at(path_, at, &header, header_size_);
	if (std::memcmp(&header, mark_.data(), std::min(got, mark_size)) != 0)
		return header.magic != ctf::packet_magic ? "no packet begins here"
							 : "is not a packet of this stream";
	if (got < header_size_ || left < least_packet)
		return cut;
	const uint64_t content = header.content_size / 8, size = header.packet_size / 8;
	if (header.content_size % 8 || header.packet_size % 8 || size < least_packet ||
		size > most_packet || content != size - sizeof(ctf::PacketTrailer))
		return "its size cannot be";
	if (size > left)
		return cut + " of " + std::to_string(size);
	if (header.end < header.begin)
		return "ends before it begins";
	return "";
}

// The end of the file if there is none.
uint64_t Stream::find_header(uint64_t from)
{
	while (from < size_) {
		// Where one candidate follows the other, the bytes are there already.
		if (from < window_at_ || from + mark_size > window_at_ + window_.size()) {
			window_.resize(window_size);
			window_.resize(read_file_at(path_, from, window_.data(), window_.size()));
			window_at_ = from;
			if (window_.size() < mark_size)
				break;
		}
		const auto begin = window_.begin() + static_cast<ptrdiff_t>(from - window_at_);
		const auto found = std::search(begin, window_.end(), mark_.begin(), mark_.end());
		if (found != window_.end())
			return window_at_ + static_cast<uint64_t>(found - window_.begin());
		from = window_at_ + window_.size() - mark_size + 1;
	}
	return size_;
}

void Stream::end_bad_bytes(uint64_t at)
{
	if (!bad_)
		return;
	bad_->size = at - bad_->byte;
	report_(*bad_);
	bad_.reset();
}

bool Stream::next()
{
	while (next_ < size_) {
		const std::string why = refusal(next_, header_);
		if (why.empty()) {
			end_bad_bytes(next_);
			offset_ = next_;
			number_ = packets_++;
			next_ = offset_ + header_.packet_size / 8;
			return true;
		}
		if (!bad_)
			bad_ = Fault{path_, packets_++, next_, 0, why};
		next_ = find_header(next_ + 1);
	}
	end_bad_bytes(size_);
	return false;
}

bool Stream::load(std::vector<uint8_t> &packet)
{
	const size_t size = header_.packet_size / 8;

	packet.resize(size);
	const bool whole = read_file_at(path_, offset_, packet.data(), size) == size;
	if (whole)
		std::memcpy(&trailer_, packet.data() + size - sizeof(trailer_), sizeof(trailer_));
	if (!whole ||
		checksum(packet.data(), size - sizeof(trailer_.checksum)) != trailer_.checksum) {
		refuse("does not match its checksum");
		return false;
	}
	return true;
}

void Stream::refuse(const std::string &reason)
{
	bad_ = Fault{path_, number_, offset_, 0, reason};
	// Its size cannot be trusted.
	next_ = find_header(offset_ + 1);
}

} // namespace ltt::reader

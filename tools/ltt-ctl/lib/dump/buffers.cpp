// SPDX-License-Identifier: MIT
#include "buffers.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "../text.h"
#include "area.h"

namespace ltt::dump
{

namespace
{

class Buffers
{
public:
	Buffers(const Image &image, const Trace &trace, Session &session, const Report &report)
		: image_(image), trace_(trace), session_(session), report_(report)
	{
	}

	unsigned read()
	{
		ltt_dump_trace dump{};
		image_.read(trace_.address, dump);
		uint64_t at = dump.buffers;
		while (at) {
			ltt_dump_buffer buffer;
			// In a damaged image the list may lead back into itself.
			if (!buffers_.insert(at).second || !image_.read(at, buffer) ||
				buffer.magic != LTT_DUMP_BUFFER_MAGIC) {
				fail("the list of threads breaks off after " +
					std::to_string(buffers_.size() - 1) + " of them");
				break;
			}
			read_buffer(buffer);
			at = buffer.next;
		}
		session_.finish(true);
		return failures_;
	}

private:
	// A part of a stream, and where its bytes are.
	struct Piece {
		ltt_range range;
		uint64_t offset;
	};

	uint64_t size() const { return uint64_t{trace_.info.subbuf_size} * trace_.info.n_subbufs; }

	void fail(const std::string &what)
	{
		++failures_;
		report_("trace " + trace_.name + ": " + what);
	}

	void read_buffer(const ltt_dump_buffer &buffer)
	{
		ltt_packet packet;
		if (!image_.read(buffer.packet, packet) || packet.magic != LTT_PACKET_MAGIC) {
			// A thread that is just getting its buffer has none yet.
			if (buffer.data.size || buffer.left.size)
				fail("a thread's name is not in the dump");
			return;
		}
		packet.comm[LTT_COMM_SIZE - 1] = 0;
		thread_ = packet.flags & LTT_PACKET_KERNEL
				  ? "processor " + std::to_string(packet.cpu)
				  : "thread " + std::to_string(packet.tid) + " (" +
					    printable(packet.comm) + ")";
		add_counts(buffer, packet);
		read_definitions(buffer, packet.process);

		const bool left = buffer.left.size;
		const Area data(image_, left ? buffer.left : buffer.data, size());
		const uint64_t there = left ? buffer.left.size : buffer.data.size;
		if (there && (!data.size() || (!left && data.size() != size()))) {
			fail("the memory of " + thread_ + " is not in the dump");
			return;
		}
		std::vector<Piece> pieces;
		if (there && !(left ? list_left(buffer, data.size(), pieces)
				    : list_data(buffer, pieces))) {
			fail("the positions of " + thread_ + " are not in the dump");
			return;
		}
		// Tells of losses only.
		if (pieces.empty() && (packet.lost || packet.too_big || packet.overwritten))
			pieces.emplace_back();
		for (const Piece &piece : pieces) {
			if (!buffer.control && &piece == &pieces.back())
				packet.flags |= LTT_PACKET_LAST;
			give(packet, piece, data);
		}
	}

	// The header is of the last reading; the thread counted on.
	void add_counts(const ltt_dump_buffer &buffer, ltt_packet &packet) const
	{
		ltt_control control;
		if (!buffer.control || !image_.read(buffer.control, control))
			return;
		packet.events = control.events;
		packet.lost = control.lost;
		packet.too_big = control.too_big;
	}

	// In the order of registration; @last is the address of what came last.
	std::vector<ltt_dump_area> list_definitions(uint64_t last)
	{
		std::vector<ltt_dump_area> all;
		ltt_dump_definitions one;

		for (uint64_t at = last; at; at = one.previous) {
			if (all.size() == LTT_MAX_GATES || !image_.read(at, one)) {
				fail("some events of " + thread_ +
					"'s program are not in the dump");
				break;
			}
			all.push_back(one.data);
		}
		std::reverse(all.begin(), all.end());
		return all;
	}

	void read_definitions(const ltt_dump_buffer &buffer, uint64_t id)
	{
		ltt_dump_process process;
		if (!buffer.process || !processes_.insert(id).second)
			return;
		if (!image_.read(buffer.process, process) ||
			(process.definitions && process.magic != LTT_DUMP_PROCESS_MAGIC)) {
			fail("the events of " + thread_ + "'s program are not in the dump");
			return;
		}
		for (const ltt_dump_area &where : list_definitions(process.definitions)) {
			const Area area(image_, where, LTT_MAX_DEFINITIONS);
			std::vector<uint8_t> bytes(area.size());
			if ((where.size && !area.size()) ||
				!area.read(0, bytes.data(), bytes.size())) {
				fail("some events of " + thread_ +
					"'s program are not in the dump");
				continue;
			}
			ltt_packet header{};
			header.magic = LTT_PACKET_MAGIC;
			header.type = LTT_PACKET_DEFINITIONS;
			header.process = id;
			take(header, bytes);
		}
	}

	// How far the thread's events are complete. It is the thread who says so.
	bool find_commit(const ltt_dump_buffer &buffer, uint64_t &commit) const
	{
		ltt_control control;
		if (!buffer.control)
			return image_.read(buffer.commit, commit);
		if (!image_.read(buffer.control, control))
			return false;
		commit = control.commit;
		return true;
	}

	// As struct ltt_dump_buffer describes it.
	bool list_data(const ltt_dump_buffer &buffer, std::vector<Piece> &pieces) const
	{
		const uint64_t subbuf = trace_.info.subbuf_size, n = trace_.info.n_subbufs;
		std::vector<ltt_range> ranges(n);
		ltt_range open;
		uint64_t taken, commit;

		if (!image_.read(buffer.open, open) || !image_.read(buffer.taken, taken) ||
			!find_commit(buffer, commit) ||
			!image_.read(buffer.closed, ranges.data(), n * sizeof(ltt_range)))
			return false;
		const uint64_t now = open.start / subbuf;
		const uint64_t oldest = open.start > size() ? open.start - size() : 0;
		ranges.erase(std::remove_if(ranges.begin(), ranges.end(),
				     [&](const ltt_range &r) {
					     return r.start >= r.end || r.start / subbuf == now ||
						    r.start > open.start || r.start < oldest;
				     }),
			ranges.end());
		std::sort(ranges.begin(), ranges.end(),
			[](const ltt_range &a, const ltt_range &b) { return a.start < b.start; });
		open.end = (now + 1) * subbuf;
		ranges.push_back(open);
		commit = std::min<uint64_t>(commit, open.end);
		for (ltt_range r : ranges) {
			r.start = std::max<uint64_t>(r.start, taken);
			r.end = std::min<uint64_t>(
				{r.end, (r.start / subbuf + 1) * subbuf, commit});
			if (r.start < r.end)
				pieces.push_back({r, r.start & (size() - 1)});
		}
		return true;
	}

	bool list_left(
		const ltt_dump_buffer &buffer, uint64_t size, std::vector<Piece> &pieces) const
	{
		const Area area(image_, buffer.left_ranges,
			(trace_.info.n_subbufs + uint64_t{1}) * sizeof(ltt_range));
		std::vector<ltt_range> ranges(area.size() / sizeof(ltt_range));
		uint64_t taken;

		if (ranges.empty() || !image_.read(buffer.taken, taken) ||
			!area.read(0, ranges.data(), ranges.size() * sizeof(ltt_range)))
			return false;
		// Of those that were read in part, the begin has moved.
		for (auto r = ranges.rbegin(); r != ranges.rend(); ++r) {
			const uint64_t from = std::max<uint64_t>(r->start, taken);
			if (from >= r->end)
				break;
			if (r->end - r->start > size)
				return false;
			size -= r->end - r->start;
			Piece piece{*r, size + (from - r->start)};
			piece.range.start = from;
			pieces.push_back(piece);
		}
		std::reverse(pieces.begin(), pieces.end());
		return true;
	}

	void give(ltt_packet &packet, const Piece &piece, const Area &data)
	{
		std::vector<uint8_t> bytes(piece.range.end - piece.range.start);
		if (!data.read(piece.offset, bytes.data(), bytes.size())) {
			fail(std::to_string(bytes.size()) + " bytes of " + thread_ +
				" are not in the dump");
			++packet.sequence; // a packet that is missing
			return;
		}
		packet.position = piece.range.start;
		packet.begin = piece.range.begin;
		// Nobody looked at the clock when the machine died.
		packet.end = packet.begin + (uint64_t{1} << 47);
		take(packet, bytes);
		++packet.sequence;
	}

	void take(ltt_packet header, const std::vector<uint8_t> &bytes)
	{
		header.header_size = sizeof(header);
		header.size = static_cast<uint32_t>(bytes.size());
		packet_.resize(sizeof(header) + bytes.size());
		std::memcpy(packet_.data(), &header, sizeof(header));
		if (!bytes.empty())
			std::memcpy(packet_.data() + sizeof(header), bytes.data(), bytes.size());
		session_.take(packet_.data(), packet_.size(), 0);
	}

	const Image &image_;
	const Trace &trace_;
	Session &session_;
	const Report &report_;
	std::set<uint64_t> buffers_;
	std::set<uint64_t> processes_;
	std::string thread_; // at hand
	std::vector<uint8_t> packet_;
	unsigned failures_ = 0;
};

} // namespace

unsigned read_buffers(
	const Image &image, const Trace &trace, Session &session, const Report &report)
{
	return Buffers(image, trace, session, report).read();
}

} // namespace ltt::dump

// SPDX-License-Identifier: MIT
// What a session makes of the packets of a stream, one after the other.
#include "session.h"

#include <algorithm>
#include <cstring>

#include "text.h"

namespace ltt
{

std::string Session::origin_of(const ltt_packet &h)
{
	return h.flags & LTT_PACKET_KERNEL ? "processor " + std::to_string(h.cpu)
					   : "thread " + std::to_string(h.tid);
}

// Counts what the header says.
void Session::note_header(Stream &stream, const ltt_packet &h)
{
	if (!stream.met) {
		totals_.threads += !(h.flags & LTT_PACKET_KERNEL);
		stream.from_birth = from_ == From::reader && h.sequence == 0;
		stream.met = true;
	} else if (const uint64_t next = stream.last.sequence + 1; h.sequence > next) {
		stream.gap += h.sequence - next;
		stream.spoiled = true;
	}

	// The thread itself counted these. One event takes one tick at least: more than ticks
	// went by since the clock's zero is a lie, and none of the counts is believed.
	bool lie =
		h.lost > h.end || h.too_big > h.end || h.events > h.end || h.overwritten > h.events;
	if (((h.flags & LTT_PACKET_CORRUPT) || lie) && !stream.corrupt) {
		stream.corrupt = true;
		++totals_.corrupt_streams;
		report_("thread " + std::to_string(h.tid) + " (" +
			printable(std::string(h.comm, strnlen(h.comm, sizeof(h.comm)))) +
			") wrote over its control page: its counts are not reliable");
	}
	uint64_t lost = lie ? 0 : h.lost + h.too_big + h.overwritten;
	if (lost > stream.lost) { // the counts of a liar may go back
		totals_.lost += lost - stream.lost;
		stream.lost = lost;
	}
	stream.last = h;
}

// Events that had room and never came here: newer ones replaced them, the thread died in
// their midst, they were in packets set aside, or it scribbled over them. All of them are
// known only when no more can come.
void Session::count_missing(Stream &stream)
{
	if (!stream.from_birth || stream.last.events > stream.last.end)
		return; // an earlier reader took some, or the count is a lie
	if (stream.last.events <= stream.recorded)
		return;
	uint64_t lost =
		stream.last.lost + stream.last.too_big + (stream.last.events - stream.recorded);
	// What the kernel counted by sub-buffers may be one too many.
	totals_.lost += lost - stream.lost;
	stream.lost = std::max(lost, stream.reported);
}

void Session::release_file(Stream &stream)
{
	if (stream.file)
		stream.trace->release(stream.file);
	stream.file = nullptr;
}

// Of a packet that has these events, or only losses to tell.
ctf::Place Session::place(Stream &stream, const ctf::Events &events)
{
	if (!events.count && stream.lost == stream.reported)
		return {};
	if (!stream.file)
		stream.file = stream.trace->acquire(
			events.count ? events.first : clock_.to_ns(stream.last.begin));
	const ctf::Place place = stream.trace->place(*stream.file, clock_,
		{events, stream.last, stream.lost - stream.reported, stream.gap});
	note_file(stream.file->path, stream.file->size);
	++totals_.packets;
	stream.reported = stream.lost;
	stream.gap = 0;
	return place;
}

ctf::Place Session::settle(
	const Packet &packet, const Gathered &gathered, const Round::Result &result)
{
	const ltt_packet &h = packet.header;
	const ctf::Events &events = result.events;
	Stream &stream = *gathered.stream;
	const bool last = h.flags & LTT_PACKET_LAST;
	ctf::Place here;

	stream.end_in_round = 0;
	note_header(stream, h);
	if (gathered.trace && stream.trace != gathered.trace) {
		release_file(stream);
		stream.trace = gathered.trace;
	}
	if (!result.bad.empty()) {
		stream.spoiled = true;
		++stream.gap;
		set_aside_now(packet.raw, packet.raw_size, "packet of " + origin_of(h), result.bad);
	}
	if (events.count) {
		stream.last_ticks = events.last_ticks;
		stream.recorded += events.count;
		totals_.events += events.count;
		totals_.last_ns = std::max(totals_.last_ns, events.last);
		if (gathered.domain == ctf::Domain::user)
			totals_.processes += processes_.count(h.process);
	}
	if (last)
		count_missing(stream);
	if (stream.trace)
		here = place(stream, events);
	// The threads of a backlog are all gone, and all their events may come before the first
	// of their last packets: would each keep its file until then, there were as many files.
	if (last || h.end < gathered.read_at)
		release_file(stream);
	if (last)
		streams_.erase(h.stream);
	return here;
}

void Session::tell_last_losses()
{
	for (auto &[number, stream] : streams_) {
		// A living thread may be in the midst of an event that has its room and is not
		// lost. So only those are told of that surely had one.
		if (stream.spoiled)
			count_missing(stream);
		if (!stream.trace && stream.lost != stream.reported) {
			// It had no packet in this chunk.
			Program &program = program_of(stream.last.process);
			if (&program != &root_)
				stream.trace = trace_of(program, stream.last.comm);
		}
		if (!stream.trace)
			continue;
		const ctf::Place here = place(stream, {});
		if (!here.file)
			continue;
		ctf::PacketWriter &writer = writers_[0];
		writer.clear();
		here.put_headers(writer);
		here.write(writer);
		here.set_written();
		totals_.bytes += here.size;
	}
}

} // namespace ltt

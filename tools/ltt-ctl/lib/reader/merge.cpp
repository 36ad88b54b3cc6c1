// SPDX-License-Identifier: MIT
#include "merge.h"

#include "../error.h"
#include "time.h"

namespace ltt::reader
{

uint64_t Merge::since_1970(const Source &source, uint64_t ns) const
{
	return reader::since_1970(source.types->environment(), ns);
}

void Merge::add(const std::string &program, const TraceTypes &types, Stream stream)
{
	auto source = std::make_unique<Source>(program, types, std::move(stream));
	source->order = sources_.size();
	if (next_packet(*source)) {
		queue_.push(source.get());
		sources_.push_back(std::move(source));
	}
}

bool Merge::is_wanted(const Source &source) const
{
	const ctf::PacketHeader &h = source.stream.header();
	return since_1970(source, h.end) >= wanted_.from &&
	       since_1970(source, h.begin) <= wanted_.to &&
	       (!wanted_.tid ||
		       (source.types->domain() == ctf::Domain::user &&
			       (h.thread.tid == wanted_.tid || h.thread.vtid == wanted_.tid)));
}

// Goes to the next packet that is wanted, not before its header only.
bool Merge::next_packet(Source &s)
{
	std::vector<uint8_t>().swap(s.packet);
	while (s.stream.next()) {
		note_loss(s);
		if (!is_wanted(s)) {
			accept(s);
			continue;
		}
		s.state = s.loss.events || s.loss.packets ? Source::LOSS : Source::PACKET;
		s.ns = since_1970(
			s, s.state == Source::LOSS ? s.loss.from : s.stream.header().begin);
		return true;
	}
	return false;
}

void Merge::note_loss(Source &s)
{
	const ctf::PacketHeader &h = s.stream.header();

	s.loss = {};
	s.loss.from = s.began ? s.end : h.begin;
	s.loss.to = h.end;
	if (h.discarded > s.discarded)
		s.loss.events = h.discarded - s.discarded;
	if (h.sequence > s.sequence)
		s.loss.packets = h.sequence - s.sequence;
}

// The packet is there: the next one follows it.
void Merge::accept(Source &s)
{
	const ctf::PacketHeader &h = s.stream.header();

	s.began = true;
	s.end = h.end;
	s.sequence = h.sequence + 1;
	s.discarded = h.discarded;
}

// False if the packet has no more.
bool Merge::next_event(Source &s)
{
	try {
		while (s.cursor.next(s.event)) {
			s.ns = since_1970(s, s.event.ns);
			if (s.event.type->wanted && s.ns >= wanted_.from && s.ns <= wanted_.to)
				return true;
		}
	} catch (const BadData &e) {
		s.stream.refuse(e.what());
	}
	return false;
}

// To the source's next item; false if there is none.
bool Merge::advance(Source &s)
{
	if (s.state == Source::LOSS) {
		// Told once, though the packet itself may turn out to be damaged.
		s.sequence = s.stream.header().sequence;
		s.discarded = s.stream.header().discarded;
		s.state = Source::PACKET;
		s.ns = since_1970(s, s.stream.header().begin);
		return true;
	}
	if (s.state == Source::PACKET) {
		if (!s.stream.load(s.packet))
			return next_packet(s);
		accept(s);
		s.cursor = EventCursor(*s.types, {s.packet.data(), s.packet.size()});
		s.state = Source::EVENT;
	}
	return next_event(s) || next_packet(s);
}

bool Merge::next(Item &item)
{
	if (current_ && advance(*current_))
		queue_.push(current_);
	current_ = nullptr;
	while (!queue_.empty()) {
		Source *s = queue_.top();
		queue_.pop();
		if (s->state == Source::PACKET) {
			// Only its begin was known.
			if (advance(*s))
				queue_.push(s);
			continue;
		}
		current_ = s;
		item.origin = {s->program, s->types, &s->stream.header()};
		item.event = s->state == Source::EVENT ? s->event : Event();
		item.loss = s->loss;
		return true;
	}
	return false;
}

} // namespace ltt::reader

// SPDX-License-Identifier: MIT
#include "events.h"

#include <cstring>

#include "../error.h"

namespace ltt::reader
{

TraceTypes::TraceTypes(ctf::Manifest manifest)
	: manifest_(std::move(manifest)), context_layout_(manifest_.context),
	  context_(shown_fields(manifest_.context))
{
	for (const Definition &d : manifest_.events)
		events_.push_back({&d, Layout(d.fields), shown_fields(d.fields)});
}

EventCursor::EventCursor(const TraceTypes &types, Bytes packet)
	: types_(&types), data_(packet.data), at_(ctf::header_size(types.domain()))
{
	ctf::PacketHeader header{};
	std::memcpy(&header, data_, at_);
	end_ = header.content_size / 8;
	now_ = header.begin;
	last_ = header.end;
}

void EventCursor::bad(const std::string &why) const
{
	throw BadData("event at byte " + std::to_string(event_at_) + " of the packet: " + why);
}

template <class T>
T EventCursor::take()
{
	T value;
	if (end_ - at_ < sizeof(value))
		bad("cut off in its header");
	std::memcpy(&value, data_ + at_, sizeof(value));
	at_ += sizeof(value);
	return value;
}

// Returns the number of the event.
uint32_t EventCursor::take_header(uint64_t &ns)
{
	constexpr uint64_t window = uint64_t{1} << ctf::compact_time_bits;

	if ((data_[at_] & 31) > ctf::max_compact_id) {
		++at_;
		const auto number = take<uint32_t>();
		ns = take<uint64_t>();
		return number;
	}
	const auto head = take<uint32_t>();
	ns = now_ + (((head >> 5) - now_) & (window - 1));
	return head & 31;
}

bool EventCursor::next(Event &event)
{
	if (at_ == end_)
		return false;
	event_at_ = at_;
	const uint32_t number = take_header(event.ns);
	event.type = types_->find(number);
	if (!event.type)
		bad("number " + std::to_string(number) + " is not defined");
	if (event.ns < now_ || event.ns > last_)
		bad("its time goes back or lies outside the packet");
	now_ = event.ns;

	auto measure = [&](const Layout &layout, Bytes &bytes) {
		bytes.data = data_ + at_;
		bytes.size = Layout::measure_content(layout.steps(), bytes.data, end_ - at_);
		if (bytes.size > end_ - at_)
			bad(event.type->definition->full_name() +
				" does not end within the packet");
		at_ += bytes.size;
	};
	measure(types_->context_layout(), event.context);
	measure(event.type->layout, event.payload);
	return true;
}

} // namespace ltt::reader

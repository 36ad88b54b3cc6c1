// SPDX-License-Identifier: MIT
#include "live.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../error.h"
#include "../rules.h"

namespace ltt::reader
{

namespace
{

std::string name_of(const ltt_packet &h)
{
	if (h.flags & LTT_PACKET_KERNEL)
		return "kernel";
	return std::string(h.comm, strnlen(h.comm, sizeof(h.comm)));
}

} // namespace

Live::Live(const Clock &clock, ctf::Environment environment, LiveOptions options, Printer &printer,
	Report report)
	: clock_(clock), environment_(std::move(environment)), options_(std::move(options)),
	  printer_(printer), report_(std::move(report))
{
}

void Live::take(const uint8_t *data, size_t size)
{
	while (size) {
		Packet packet;
		try {
			packet = first_packet(data, size);
		} catch (const BadData &e) {
			report_(std::string("what the kernel delivered: ") + e.what());
			return;
		}
		if (packet.header.type == LTT_PACKET_DEFINITIONS)
			take_definitions(packet);
		else if (packet.header.type == LTT_PACKET_EVENTS && is_wanted(packet.header))
			take_events(packet);
		data += packet.raw_size;
		size -= packet.raw_size;
	}
}

bool Live::is_wanted(const ltt_packet &h) const
{
	const bool kernel = h.flags & LTT_PACKET_KERNEL;
	return (!options_.tid || (!kernel && (h.tid == options_.tid || h.vtid == options_.tid))) &&
	       (options_.program.empty() || options_.program == name_of(h));
}

void Live::take_definitions(const Packet &packet)
{
	Process &process = processes_[packet.header.process];
	const std::string bytes(reinterpret_cast<const char *>(packet.body), packet.body_size);

	if (!process.registered.insert(bytes).second)
		return;
	process.domain = packet.header.process == LTT_PROCESS_KERNEL ? ctf::Domain::kernel
								     : ctf::Domain::user;
	try {
		process.table.add(parse_definitions(
			packet.body, packet.body_size, process.domain == ctf::Domain::kernel));
	} catch (const BadData &e) {
		report_("definitions of process " + std::to_string(packet.header.process) + ": " +
			e.what());
		return;
	}
	renew(process);
}

// What is printed may still need the types as they were.
void Live::renew(Process &process) const
{
	auto context =
		std::make_shared<ctf::EventContext>(environment_.contexts_of(process.domain));
	ctf::Manifest m;

	process.table.set_tags([&](const Definition &d) {
		if (d.is_context)
			return context->add(d);
		m.events.push_back(d);
		return static_cast<uint32_t>(m.events.size() - 1);
	});
	m.environment = environment_;
	m.domain = process.domain;
	m.context = context->fields();
	auto types = std::make_shared<TraceTypes>(std::move(m));
	for (EventType &type : types->events())
		type.wanted = ask_rules(options_.rules, *type.definition).takes;
	process.context = std::move(context);
	process.types = std::move(types);
}

void Live::take_events(const Packet &packet)
{
	const ltt_packet &h = packet.header;
	Stream &stream = streams_[h.stream];
	Process &process = processes_[h.process];
	const uint64_t end = h.position + packet.body_size;

	stream.process = h.process;
	stream.last = h;
	if (end <= stream.next)
		return; // shown before
	const uint64_t from = std::exchange(stream.next, end);
	if (!process.types)
		renew(process);
	ctf::Events events;
	writer_.clear();
	try {
		events = writer_.put_events(packet, process.table,
			environment_.contexts_of(process.domain), 0, clock_, process.context.get());
	} catch (const BadData &e) {
		report_("packet of thread " + std::to_string(h.tid) + ": " + e.what());
		return;
	}
	const uint64_t shown = events_before(packet, process, from);
	if (events.count == shown)
		return;
	stream.shown += events.count - shown;
	stream.ns = events.last;
	std::unique_ptr<Piece> piece = make_piece(h, events);
	for (uint64_t n = 0; n < shown; ++n)
		piece->cursor.next(piece->event);
	if (next_event(*piece))
		push(std::move(piece));
}

// Events of a packet that passed, up to this position of its thread's buffer.
uint64_t Live::events_before(const Packet &packet, const Process &process, uint64_t position) const
{
	uint64_t count = 0;

	if (position <= packet.header.position)
		return count;
	check_packet(packet, process.table, environment_.contexts_of(process.domain), 0,
		[&](const EventRef &e) {
			const auto offset = static_cast<uint64_t>(e.payload - packet.body) -
					    e.contexts_size - sizeof(uint64_t);
			count += packet.header.position + offset < position;
		});
	return count;
}

// Of what the writer has: these events.
std::unique_ptr<Live::Piece> Live::make_piece(const ltt_packet &h, const ctf::Events &events)
{
	Process &process = processes_[h.process];
	auto piece = std::make_unique<Piece>();
	ctf::PacketInfo info;

	if (!process.types)
		renew(process);
	info.begin = events.first;
	info.end = events.last;
	info.domain = process.domain;
	info.origin = h;
	writer_.put_header(info);
	piece->bytes.assign(writer_.data(), writer_.data() + writer_.size());
	piece->program = name_of(h);
	piece->types = process.types;
	std::memcpy(&piece->header, piece->bytes.data(), ctf::header_size(process.domain));
	piece->cursor = EventCursor(*piece->types, {piece->bytes.data(), piece->bytes.size()});
	return piece;
}

bool Live::next_event(Piece &piece)
{
	while (piece.cursor.next(piece.event)) {
		piece.ns = piece.event.ns;
		if (piece.event.type->wanted)
			return true;
	}
	return false;
}

void Live::push(std::unique_ptr<Piece> piece)
{
	piece->order = order_++;
	pieces_.push_back(std::move(piece));
	std::push_heap(pieces_.begin(), pieces_.end(), Later());
}

void Live::note_losses(Stream &stream)
{
	const ltt_packet &h = stream.last;
	const uint64_t lost = h.lost + h.too_big;
	Loss loss;

	if (!stream.met && h.events > stream.shown)
		stream.before = h.events - stream.shown;
	stream.met = true;
	if (lost > stream.lost)
		loss.events = lost - std::exchange(stream.lost, lost);
	// What had got room at the last look is here by now, or gone.
	const uint64_t accounted = stream.before + stream.shown + stream.missed;
	if (stream.reserved > accounted) {
		loss.events += stream.reserved - accounted;
		stream.missed += stream.reserved - accounted;
	}
	stream.reserved = h.events;
	const uint64_t told = std::exchange(stream.told, stream.ns);
	if (!loss.events)
		return;
	writer_.clear();
	std::unique_ptr<Piece> piece = make_piece(h, {});
	loss.to = clock_.to_ns(h.end);
	loss.from = std::min(told ? told : clock_.to_ns(h.begin), loss.to);
	piece->loss = loss;
	piece->ns = loss.from;
	push(std::move(piece));
}

void Live::print(std::string &out, uint64_t ticks)
{
	const uint64_t limit = ticks == UINT64_MAX ? UINT64_MAX : clock_.to_ns(ticks);

	for (auto it = streams_.begin(); it != streams_.end();) {
		note_losses(it->second);
		const bool over = it->second.last.flags & LTT_PACKET_LAST;
		it = over ? streams_.erase(it) : std::next(it);
	}
	while (!pieces_.empty() && pieces_.front()->ns <= limit) {
		std::pop_heap(pieces_.begin(), pieces_.end(), Later());
		std::unique_ptr<Piece> piece = std::move(pieces_.back());
		pieces_.pop_back();
		const Origin origin = {&piece->program, piece->types.get(), &piece->header};
		if (!piece->event.type) {
			printer_.loss(out, origin, piece->loss);
			continue;
		}
		printer_.event(out, origin, piece->event);
		if (next_event(*piece))
			push(std::move(piece));
	}
}

} // namespace ltt::reader

// SPDX-License-Identifier: MIT
#include "recorded.h"

#include <cstring>
#include <random>
#include <string>

#include "lib/definitions.h"
#include "support/build.h"

namespace bench
{

namespace
{

constexpr std::size_t packets_of_a_read = 30; // with their headers: 2 MiB
constexpr std::size_t subbuf_size = 64 * 1024;
constexpr std::uint64_t frequency = 2900000000;
constexpr std::uint64_t begin = frequency * 1000;
constexpr std::uint64_t ticks_of_an_event = 30;
constexpr std::uint64_t turn = std::uint64_t{1} << 48;

// One type of events. Strings and sequences have the length that it names, or any from 0 to
// twice as much.
struct EventType {
	Fields fields;
	std::size_t fixed; // bytes before what has a length
	enum {
		none,
		string,
		bytes,
		words,
		strings
	} rest;
	std::size_t length;
	std::size_t after; // bytes behind it
};

const EventType number = {{{UST_TYPE_I32, "a"}, {UST_TYPE_U64, "b"}}, 12, EventType::none, 0, 0};
const EventType text = {{{UST_TYPE_I32, "a"}, {UST_TYPE_STRING, "b"}}, 4, EventType::string, 18, 0};

std::vector<EventType> types_of(Kind kind)
{
	if (kind == Kind::number)
		return {number};
	if (kind == Kind::text)
		return {text};
	return {
		{{}, 0, EventType::none, 0, 0},
		{{{UST_TYPE_U32, "a"}}, 4, EventType::none, 0, 0},
		number,
		text,
		{{{UST_TYPE_STRING, "a"}, {UST_TYPE_U16, "b"}, {UST_TYPE_DOUBLE, "c"}}, 0,
			EventType::string, 6, 10},
		{{{sequence_of(UST_TYPE_U32), "a"}, {UST_TYPE_U8, "b"}}, 0, EventType::words, 4, 1},
		{{{UST_TYPE_U64, "a"}, {UST_TYPE_U64, "b"}, {UST_TYPE_DOUBLE, "c"}}, 24,
			EventType::none, 0, 0},
		{{{UST_TYPE_STRING, "a"}, {UST_TYPE_STRING, "b"}}, 0, EventType::strings, 12, 0},
		{{{UST_TYPE_U64, "a"}, {sequence_of(UST_TYPE_U8), "b"}}, 8, EventType::bytes, 20,
			0},
		{{{array_of(16, UST_TYPE_U8), "a"}, {UST_TYPE_BOOL, "b"}}, 17, EventType::none, 0,
			0},
	};
}

class Writer
{
public:
	explicit Writer(Kind kind) : types_(types_of(kind)), any_(kind == Kind::shuffled) {}

	const std::vector<EventType> &types() const { return types_; }

	Bytes next(std::uint64_t time)
	{
		const std::size_t n = any_ ? random_() % types_.size() : next_++ % types_.size();
		const EventType &type = types_[n];
		const std::size_t length = any_ ? random_() % (2 * type.length + 1) : type.length;
		Bytes payload(type.fixed, 0x11);
		const auto count = static_cast<std::uint32_t>(length);

		switch (type.rest) {
		case EventType::none:
			break;
		case EventType::strings:
			put_string(payload, std::string(length, 'y'));
			[[fallthrough]];
		case EventType::string:
			put_string(payload, std::string(length, 'x'));
			break;
		case EventType::bytes:
			put(payload, count);
			append(payload, Bytes(length, 0x22));
			break;
		case EventType::words:
			put(payload, count);
			append(payload, Bytes(4 * length, 0x33));
			break;
		}
		append(payload, Bytes(type.after, 0x44));
		return event(time % turn, static_cast<std::uint16_t>(n + 1), payload);
	}

private:
	std::vector<EventType> types_;
	bool any_;
	std::size_t next_ = 0;
	std::mt19937 random_{4711};
};

} // namespace

Recorded::Recorded(Kind kind, std::size_t threads) : threads_(threads)
{
	Writer writer(kind);
	std::uint16_t id = 0;
	for (const EventType &type : writer.types()) {
		++id;
		append(definitions_,
			definition(id, "bench", "event" + std::to_string(id), type.fields));
	}

	std::uint64_t time = begin;
	ltt_packet header = packet_header();
	for (std::size_t n = 0; n < packets_of_a_read; ++n) {
		Bytes body;
		header.stream = 1 + n % threads;
		header.tid = header.vtid = static_cast<std::uint32_t>(header.stream);
		header.sequence = n / threads;
		header.begin = time;
		for (;;) {
			const Bytes next = writer.next(time + ticks_of_an_event);
			if (body.size() + next.size() > subbuf_size)
				break;
			append(body, next);
			time += ticks_of_an_event;
			++events_;
		}
		header.end = time;
		append(bytes_, packet(header, body));
	}
}

ltt::EventTable Recorded::table() const
{
	ltt::EventTable table;
	table.add(ltt::parse_definitions(definitions_.data(), definitions_.size()));
	std::uint32_t tag = 0;
	table.set_tags([&](const ltt::Definition &) { return tag++; });
	return table;
}

std::vector<ltt::Packet> Recorded::packets() const
{
	std::vector<ltt::Packet> all;
	for (std::size_t at = 0; at < bytes_.size(); at += all.back().raw_size)
		all.push_back(ltt::first_packet(bytes_.data() + at, bytes_.size() - at));
	return all;
}

void Recorded::later()
{
	for (std::size_t at = 0; at < bytes_.size();) {
		ltt_packet header;
		std::memcpy(&header, bytes_.data() + at, sizeof(header));
		header.begin += turn;
		header.end += turn;
		header.sequence += packets_of_a_read / threads_;
		std::memcpy(bytes_.data() + at, &header, sizeof(header));
		at += header.header_size + header.size;
	}
}

ltt::Clock clock()
{
	ltt_trace_info info{};
	info.clock = LTT_CLOCK_TSC;
	info.clock_freq = frequency;
	info.clock_now = begin;
	info.monotonic_ns = 1000000000000;
	info.realtime_ns = 1700000000000000000;
	return ltt::Clock(info);
}

} // namespace bench

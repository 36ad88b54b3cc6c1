/* SPDX-License-Identifier: MIT */
/*
 * Events of the kernel, for tests in the guest: selecting them, and reading them by
 * the definitions that come along, as any reader has to.
 */
#ifndef GUEST_KERNEL_EVENTS_H
#define GUEST_KERNEL_EVENTS_H

#include "ltt.h"

#include <ust/definition.h>

#include <map>
#include <string>
#include <vector>

namespace kernel_events
{

/* LTT_IOC_KERNEL as it is; bad: of struct ltt_kernel_events. */
inline int select(int fd, const std::string &text, __u32 *bad = nullptr)
{
	ltt_kernel_events request = {};
	request.size = static_cast<__u32>(text.size());
	request.bad = ~0u;
	request.text = reinterpret_cast<uintptr_t>(text.data());
	int result = ioctl(fd, LTT_IOC_KERNEL, &request);
	if (bad)
		*bad = request.bad;
	return result;
}

inline std::string selected(int fd, __u32 room = LTT_MAX_KERNEL_EVENTS)
{
	std::string text(room, '?');
	ltt_kernel_events request = {};
	request.size = room;
	request.text = reinterpret_cast<uintptr_t>(text.data());
	REQUIRE_OK(ioctl(fd, LTT_IOC_GET_KERNEL, &request));
	text.resize(std::min(request.size, room));
	return text + (request.size > room ? "..." : "");
}

/* One event. Numbers stand in number, strings in text, both by the field's name. */
struct Event {
	uint64_t time = 0;
	std::string name;
	std::map<std::string, int64_t> number;
	std::map<std::string, std::string> text;

	int64_t operator[](const char *field) const
	{
		auto found = number.find(field);
		if (found == number.end())
			ktap::fail(__FILE__, __LINE__, "%s has no number %s", name.c_str(), field);
		return found == number.end() ? 0 : found->second;
	}

	std::string string(const char *field) const
	{
		auto found = text.find(field);
		if (found == text.end())
			ktap::fail(__FILE__, __LINE__, "%s has no string %s", name.c_str(), field);
		return found == text.end() ? "" : found->second;
	}
};

struct Field {
	uint8_t type;	/* UST_TYPE_U8 to UST_TYPE_I64, _POINTER, _STRING, _CHAR in an array */
	uint32_t n = 0; /* of an array; its numbers are called name0, name1 ... */
	std::string name;
	bool sequence = false; /* n comes with each event */
};

struct Definition {
	std::string group, name;
	std::vector<Field> fields;
};

/* What the kernel has defined; the ids are the keys. */
class Definitions
{
public:
	void add(const std::vector<uint8_t> &data)
	{
		for (size_t at = 0; at < data.size();) {
			ust_definition head;
			REQUIRE(data.size() - at >= sizeof(head));
			memcpy(&head, &data[at], sizeof(head));
			REQUIRE_EQ(head.magic, UST_DEFINITION_MAGIC);
			REQUIRE(head.size % 8 == 0 && head.size <= data.size() - at);
			const char *text = reinterpret_cast<const char *>(&data[at]) + 16;
			Definition d;
			d.group = take_string(text);
			d.name = take_string(text);
			for (unsigned i = 0; i < head.n_fields; ++i)
				d.fields.push_back(take_field(text));
			CHECK_LE(static_cast<size_t>(
					 text - reinterpret_cast<const char *>(&data[at])),
				size_t{head.size});
			CHECK(by_id.emplace(head.id, d).second);
			at += head.size;
		}
	}

	bool empty() const { return by_id.empty(); }

	const Definition *find(uint16_t id) const
	{
		auto found = by_id.find(id);
		return found == by_id.end() ? nullptr : &found->second;
	}

	std::map<uint16_t, Definition> by_id;

private:
	static std::string take_string(const char *&text)
	{
		std::string s = text;
		text += s.size() + 1;
		return s;
	}

	static Field take_field(const char *&text)
	{
		Field f = {};
		if (*text == UST_TYPE_ARRAY) {
			memcpy(&f.n, text + 1, 4);
			text += 5;
		}
		if (*text == UST_TYPE_SEQUENCE) {
			f.sequence = true;
			++text;
		}
		if (*text == UST_TYPE_BASE_16)
			++text;
		f.type = static_cast<uint8_t>(*text++);
		f.name = take_string(text);
		return f;
	}
};

/* The events of one processor in one trace, checked as they were added. */
struct Stream {
	ltt_packet header = {};
	std::vector<Event> events;
	size_t packets = 0;

	std::vector<Event> of(const std::string &name) const
	{
		std::vector<Event> some;
		for (const Event &e : events)
			if (e.name == name)
				some.push_back(e);
		return some;
	}
};

/* What a trace has of the kernel's events. Packets of programs are left out. */
class Reader
{
public:
	/* Reads what there is now. */
	void read(ltt::Trace &trace, unsigned most = ~0u)
	{
		for (const ltt::Packet &p : trace.read_packets(most))
			add(p);
	}

	void add(const ltt::Packet &p)
	{
		if (p.header.process != LTT_PROCESS_KERNEL)
			return;
		if (p.header.type == LTT_PACKET_DEFINITIONS) {
			definitions.add(p.data);
			return;
		}
		CHECK(p.header.flags & LTT_PACKET_KERNEL);
		CHECK_EQ(p.header.tid, 0);
		CHECK(!definitions.empty());
		Stream &s = streams[p.header.cpu];
		if (s.packets)
			ltt::check_follows(s.header, p.header);
		else
			CHECK_EQ(p.header.sequence, 0);
		s.header = p.header;
		s.packets++;
		walk(p, s);
	}

	size_t count() const
	{
		size_t n = 0;
		for (auto &[cpu, s] : streams)
			n += s.events.size();
		return n;
	}

	size_t count(const std::string &name) const
	{
		size_t n = 0;
		for (auto &[cpu, s] : streams)
			n += s.of(name).size();
		return n;
	}

	uint64_t lost() const
	{
		uint64_t n = 0;
		for (auto &[cpu, s] : streams)
			n += s.header.lost + s.header.too_big;
		return n;
	}

	/* Of all processors, by time. */
	std::vector<Event> all() const;

	Definitions definitions;
	std::map<unsigned, Stream> streams;

private:
	/* Each event whole, none earlier than the one before. */
	void walk(const ltt::Packet &p, Stream &s)
	{
		const uint64_t low = (uint64_t{1} << 48) - 1;
		uint64_t time = p.header.begin;
		if (!s.events.empty())
			time = std::max(time, s.events.back().time);
		for (size_t at = 0; at < p.data.size();) {
			uint64_t word;
			REQUIRE(p.data.size() - at >= sizeof(word));
			memcpy(&word, &p.data[at], sizeof(word));
			at += sizeof(word);
			const Definition *d = definitions.find(static_cast<uint16_t>(word));
			if (!d)
				ktap::fail(__FILE__, __LINE__,
					"processor %u: no event of id %u at %zu of %zu",
					p.header.cpu, unsigned(word & 0xffff), at, p.data.size());
			REQUIRE(d);
			Event e;
			e.name = d->name;
			e.time = (p.header.begin & ~low) | word >> 16;
			if (e.time < p.header.begin)
				e.time += low + 1;
			CHECK_GE(e.time, time);
			CHECK_LE(e.time, p.header.end);
			time = e.time;
			for (const Field &f : d->fields)
				at = take(p, at, f, e);
			s.events.push_back(std::move(e));
		}
	}

	static size_t take(const ltt::Packet &p, size_t at, const Field &f, Event &e)
	{
		const char *data = reinterpret_cast<const char *>(&p.data[at]);
		const size_t left = p.data.size() - at;
		if (f.sequence) {
			uint32_t n;
			REQUIRE(left >= sizeof(n));
			memcpy(&n, data, sizeof(n));
			at += sizeof(n);
			return n ? take(p, at, {f.type, n, f.name}, e) : at;
		}
		if (f.n && f.type == UST_TYPE_CHAR) {
			REQUIRE(left >= f.n);
			e.text[f.name] = std::string(data, strnlen(data, f.n));
			return at + f.n;
		}
		for (uint32_t i = 0; i < f.n; ++i)
			at = take(p, at, {f.type, 0, f.name + std::to_string(i)}, e);
		if (f.n)
			return at;
		if (f.type == UST_TYPE_STRING) {
			size_t n = strnlen(data, left);
			REQUIRE(n < left);
			e.text[f.name] = std::string(data, n);
			return at + n + 1;
		}
		const bool is_signed = f.type >= UST_TYPE_I8 && f.type <= UST_TYPE_I64;
		size_t size = 8;
		if (f.type <= UST_TYPE_I64)
			size = size_t{1} << ((f.type - UST_TYPE_U8) % 4);
		REQUIRE(left >= size);
		int64_t value = 0;
		memcpy(&value, data, size);
		if (is_signed && size < 8) {
			const unsigned shift = 64 - 8 * static_cast<unsigned>(size);
			value = static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >>
				shift;
		}
		e.number[f.name] = value;
		return at + size;
	}
};

inline std::vector<Event> Reader::all() const
{
	std::multimap<uint64_t, Event> sorted;
	for (auto &[cpu, s] : streams)
		for (const Event &e : s.events)
			sorted.emplace(e.time, e);
	std::vector<Event> list;
	for (auto &[time, e] : sorted)
		list.push_back(e);
	return list;
}

/* Room for all that a test makes happen while nobody reads. */
inline ltt_trace_params large()
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 256 << 10;
	p.n_subbufs = 16;
	return p;
}

/* Of all processors, by time: what happens during the work. Nothing is lost. */
template <class Work>
std::vector<Event> events_while(ltt::Trace &trace, const std::string &text, Work work)
{
	REQUIRE_OK(select(trace.descriptor(), text));
	trace.start();
	work();
	trace.stop();
	Reader reader;
	reader.read(trace);
	CHECK_EQ(reader.lost(), 0);
	return reader.all();
}

} // namespace kernel_events

#endif /* GUEST_KERNEL_EVENTS_H */

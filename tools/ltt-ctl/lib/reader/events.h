// SPDX-License-Identifier: MIT
// The events of a packet, one after the other.
#ifndef LTT_CTL_READER_EVENTS_H
#define LTT_CTL_READER_EVENTS_H

#include <cstdint>
#include <string>
#include <vector>

#include "../ctf/manifest.h"
#include "../ctf/packet_header.h"
#include "../layout.h"
#include "shown.h"

namespace ltt::reader
{

struct EventType {
	const Definition *definition;
	Layout layout;
	std::vector<Shown> fields;
	bool wanted = true; // free for the owner
};

// What the events of a trace are, made ready for reading.
class TraceTypes
{
public:
	explicit TraceTypes(ctf::Manifest manifest);
	TraceTypes(const TraceTypes &) = delete;

	const ctf::Manifest &manifest() const { return manifest_; }
	const ctf::Environment &environment() const { return manifest_.environment; }
	ctf::Domain domain() const { return manifest_.domain; }
	// Of the event of that number on disk; null if there is none.
	const EventType *find(uint32_t number) const
	{
		return number < events_.size() ? &events_[number] : nullptr;
	}
	std::vector<EventType> &events() { return events_; }
	const Layout &context_layout() const { return context_layout_; }
	const std::vector<Shown> &context() const { return context_; }

private:
	ctf::Manifest manifest_;
	std::vector<EventType> events_;
	Layout context_layout_;
	std::vector<Shown> context_;
};

struct Bytes {
	const uint8_t *data = nullptr;
	size_t size = 0;
};

struct Event {
	uint64_t ns = 0; // of the trace's clock
	const EventType *type = nullptr;
	Bytes context;
	Bytes payload;
};

class EventCursor
{
public:
	EventCursor() = default;
	// Of a packet whose header has been found to fit.
	EventCursor(const TraceTypes &types, Bytes packet);

	// False behind the last one. Throws BadData if what follows is none.
	bool next(Event &event);

private:
	uint32_t take_header(uint64_t &ns);
	template <class T>
	T take();
	[[noreturn]] void bad(const std::string &why) const;

	const TraceTypes *types_ = nullptr;
	const uint8_t *data_ = nullptr;
	size_t at_ = 0;
	size_t end_ = 0;
	size_t event_at_ = 0;
	uint64_t now_ = 0;
	uint64_t last_ = 0;
};

} // namespace ltt::reader

#endif

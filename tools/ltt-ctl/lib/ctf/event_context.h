// SPDX-License-Identifier: MIT
// What each event of a CTF trace has before its fields: the contexts.
#ifndef LTT_CTL_CTF_EVENT_CONTEXT_H
#define LTT_CTL_CTF_EVENT_CONTEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "../contexts.h"
#include "../packet.h"

namespace ltt::ctf
{

// Of a thread, as they are written.
struct ThreadContext {
	int32_t vpid, vtid, pid, tid;
	uint32_t vuid, vgid;
	char procname[LTT_COMM_SIZE];
};

// A name is what the thread set with prctl(): any bytes. Readers want UTF-8, so that what
// is not ASCII is shown only as being there.
ThreadContext thread_context(const ltt_packet &h);

// The same for all events of a trace. A context of the program's own has a column there,
// which is 0 where an event has none.
class EventContext
{
public:
	explicit EventContext(uint32_t contexts = 0);

	// The number on disk of a context of the program's own; it gets a column if it has none
	// and events have such contexts. Only before the first event is written.
	uint32_t add(const Definition &context);
	// Whether it needs none any more.
	bool has(const Definition &context) const;

	size_t size() const { return size_; }
	// As what they lie on disk.
	std::vector<Field> fields() const;
	// Writes size() bytes. @table: what the ids mean that the event has.
	void put(uint8_t *at, const ThreadContext &thread, const EventRef &event,
		const EventTable &table) const;

private:
	struct Column {
		Definition context;
		size_t offset; // among the columns
		size_t size;
	};

	void put_columns(uint8_t *at, const EventRef &event, const EventTable &table) const;

	uint32_t contexts_;
	size_t size_ = 0;
	size_t columns_size_ = 0;
	std::vector<Column> columns_;
};

} // namespace ltt::ctf

#endif

// SPDX-License-Identifier: MIT
#include "event_context.h"

#include <algorithm>
#include <cstring>

#include <ust/definition.h>

namespace ltt::ctf
{

ThreadContext thread_context(const ltt_packet &h)
{
	ThreadContext c{};
	c.vpid = static_cast<int32_t>(h.vpid);
	c.vtid = static_cast<int32_t>(h.vtid);
	c.pid = static_cast<int32_t>(h.pid);
	c.tid = static_cast<int32_t>(h.tid);
	c.vuid = h.vuid;
	c.vgid = h.vgid;
	static_assert(sizeof(h.comm) == sizeof(c.procname), "a name fits as it is");
	for (size_t i = 0; i + 1 < sizeof(c.procname) && h.comm[i]; ++i)
		c.procname[i] = h.comm[i] >= 0x20 && h.comm[i] < 0x7f ? h.comm[i] : '?';
	return c;
}

EventContext::EventContext(uint32_t contexts) : contexts_(contexts)
{
	for (const Context &c : all_contexts)
		if (contexts & c.bit)
			size_ += c.size;
}

bool EventContext::has(const Definition &context) const
{
	return !(contexts_ & LTT_CONTEXT_APP) ||
	       std::any_of(columns_.begin(), columns_.end(),
		       [&](const Column &c) { return c.context.identity() == context.identity(); });
}

uint32_t EventContext::add(const Definition &context)
{
	if (!(contexts_ & LTT_CONTEXT_APP))
		return 0;
	for (size_t i = 0; i < columns_.size(); ++i)
		if (columns_[i].context.identity() == context.identity())
			return static_cast<uint32_t>(i);
	const size_t size = static_cast<size_t>(fixed_size(context.fields[0].type));
	columns_.push_back({context, columns_size_, size});
	columns_size_ += size;
	size_ += size;
	return static_cast<uint32_t>(columns_.size() - 1);
}

std::vector<Field> EventContext::fields() const
{
	std::vector<Field> all;

	for (const Context &c : all_contexts) {
		if (!(contexts_ & c.bit) || !c.field)
			continue;
		Type type;
		type.code = c.type;
		// As many as there is room for.
		if (c.type == UST_TYPE_CHAR) {
			Type characters;
			characters.code = UST_TYPE_ARRAY;
			characters.count = static_cast<uint32_t>(c.size);
			characters.inner.push_back(type);
			type = characters;
		}
		all.push_back({type, c.field});
	}
	for (const Column &c : columns_)
		all.push_back({c.context.fields[0].type,
			"app_" + c.context.provider + "_" + c.context.name});
	return all;
}

void EventContext::put(uint8_t *at, const ThreadContext &thread, const EventRef &event,
	const EventTable &table) const
{
	auto bytes = [&](const void *data, size_t size) {
		std::memcpy(at, data, size);
		at += size;
	};
	if (contexts_ & LTT_CONTEXT_VPID)
		bytes(&thread.vpid, sizeof(thread.vpid));
	if (contexts_ & LTT_CONTEXT_VTID)
		bytes(&thread.vtid, sizeof(thread.vtid));
	if (contexts_ & LTT_CONTEXT_PROCNAME)
		bytes(thread.procname, sizeof(thread.procname));
	// These lie on disk as in the event.
	bytes(event.payload - event.contexts_size, event_contexts_size(contexts_));
	if (contexts_ & LTT_CONTEXT_APP)
		put_columns(at, event, table);
}

void EventContext::put_columns(uint8_t *at, const EventRef &event, const EventTable &table) const
{
	const uint8_t *from = event.payload - event.contexts_size + event_contexts_size(contexts_);
	std::memset(at, 0, columns_size_);
	for (uint8_t n = *from++; n; --n) {
		const Column &c = columns_[table.tag(own_context_id(from))];
		from += sizeof(uint16_t);
		// An executable and its libraries may each have one of the same name: the one
		// that was set counts.
		if (std::any_of(from, from + c.size, [](uint8_t byte) { return byte != 0; }))
			std::memcpy(at + c.offset, from, c.size);
		from += c.size;
	}
}

} // namespace ltt::ctf

// SPDX-License-Identifier: MIT
//
// One event into every buffer of the thread whose trace wants it:
//
//	for (s = ust_begin_event(...); s.at; s = ust_next_slot(s, ...))
//		store the fields at s.at
//
// This is for all cases; what is usual has a path of its own, fast.h.
#ifndef UST_DETAIL_WRITE_H
#define UST_DETAIL_WRITE_H

#include "event.h"

UST_DETAIL_C_BEGIN

// A place for the fields of an event; at is null after the last one.
struct ust_slot {
	char *at;
	// The buffer, a page's address; the lowest bit is set on top of another marker.
	uintptr_t marker;
};

UST_DETAIL_C_INLINE bool ust_wants(
	const ust_buffer *b, const struct ust_event *event, const struct ust_definition *definition)
{
	return ust_load(&b->active) && (ust_load(&b->filter) & definition->filter) &&
	       !(ust_load(&event->refused) >> (ust_load(&b->trace) & 31) & 1);
}

// In b or the first one after it that wants the event.
UST_DETAIL_C_FUNCTION(ust_begin_in)
struct ust_slot ust_begin_in(uint64_t n, uintptr_t here, const struct ust_event *event,
	const struct ust_definition *definition, ust_buffer *b)
{
	struct ust_thread *const thread = ust_current_thread();

	for (; b; b = ust_next_of(thread, b)) {
		if (!ust_wants(b, event, definition))
			continue;
		const struct ust_event_contexts contexts = ust_measure_contexts(b);
		const struct ust_reservation place = ust_reserve_slowly(b, n + contexts.size, here);
		// The markers that were left never count down.
		if (place.took_over)
			ust_store(&thread->markers, 1);
		if (place.fits) {
			struct ust_slot slot = {ust_write_header(b, ust_control_of(b), &place,
							ust_load(&event->id)),
				(uintptr_t)b | !place.outermost};
			if (contexts.mask)
				slot.at = ust_put_contexts(slot.at, &contexts, here);
			return slot;
		}
	}
	ust_order();
	ust_decrement32(&thread->markers);
	const struct ust_slot none = {NULL, 0};
	return none;
}

// Begins an event of n bytes, header included, contexts not. here: the stack
// of its marker.
UST_DETAIL_C_FUNCTION(ust_begin_event)
struct ust_slot ust_begin_event(uint64_t n, uintptr_t here, struct ust_event *event,
	const struct ust_definition *definition)
{
	struct ust_thread *const thread = ust_current_thread();
	const uint32_t generation = ust_load(&ust_gate.generation);

	if (ust_load(&thread->seen) != ust_seen_of(&ust_gate) &&
		(ust_load(&ust_gate.mask) & definition->filter))
		ust_update_thread(thread);
	ust_increment32(&thread->markers);
	ust_order();
	if (ust_load(&event->asked) != generation)
		ust_ask_rules(thread, event, definition, generation);
	return ust_begin_in(n, here, event, definition, ust_load(&thread->first));
}

// Ends the event in this buffer. Returns the next buffer; after the last one, null.
UST_DETAIL_C_FUNCTION(ust_end_event) ust_buffer *ust_end_event(uintptr_t marker, uintptr_t here)
{
	struct ust_thread *const thread = ust_current_thread();
	const bool outermost = !(marker & 1);
	ust_buffer *const b = (ust_buffer *)(marker - !outermost);

	ust_order();
	UST_DETAIL_STEP(stored);
	if (!outermost || !ust_commit(ust_control_of(b)))
		ust_finish(ust_control_of(b), outermost, here);
	ust_buffer *const next = ust_next_of(thread, b);
	if (!next) {
		ust_order();
		ust_decrement32(&thread->markers);
	}
	return next;
}

// After the fields: ends the event in this buffer, and begins it in the next one that
// wants it.
UST_DETAIL_C_INLINE struct ust_slot ust_next_slot(struct ust_slot slot, uint64_t n, uintptr_t here,
	const struct ust_event *event, const struct ust_definition *definition)
{
	ust_buffer *const next = ust_end_event(slot.marker, here);
	const struct ust_slot none = {NULL, 0};

	if (!UST_DETAIL_UNLIKELY(next))
		return none;
	return ust_begin_in(n, here, event, definition, next);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_WRITE_H

// SPDX-License-Identifier: MIT
//
// One event into every buffer of the thread whose trace wants it:
//
//	for (s = ust_begin_event(...); s.at; s = ust_next_slot(s, ...))
//		store the fields at s.at
//
// What all events have in common stands here, out of line: the function of an event has
// its fields alone, so that it is small and soon compiled. On the usual path neither of
// the two calls anything, so they need no stack and save no registers.
#ifndef UST_DETAIL_WRITE_H
#define UST_DETAIL_WRITE_H

#include "registry.h"

UST_DETAIL_C_BEGIN

// A place for the fields of an event; at is null after the last one.
struct ust_slot {
	char *at;
	// The buffer, a page's address; the lowest bit is set on top of another marker.
	uintptr_t marker;
};

UST_DETAIL_C_INLINE struct ust_slot ust_fill(ust_buffer *b, struct ltt_control *control,
	const struct ust_reservation *place, uint16_t id)
{
	const struct ust_slot slot = {
		ust_write_header(b, control, place, id), (uintptr_t)b | !place->outermost};
	return slot;
}

UST_DETAIL_C_INLINE bool ust_wants(const ust_buffer *b, uint32_t filter)
{
	return ust_load(&b->active) && (ust_load(&b->filter) & filter);
}

// In b or the first one after it that wants the event. begun: in b, as the outermost
// marker, but nothing is reserved.
UST_DETAIL_C_FUNCTION struct ust_slot ust_begin_slowly(
	uint64_t n, uintptr_t here, uint32_t filter, uint16_t id, ust_buffer *b, bool begun)
{
	struct ust_thread *const thread = ust_current_thread();

	for (; b; b = ust_next_of(thread, b)) {
		if (!begun && !ust_wants(b, filter))
			continue;
		const struct ust_reservation place = ust_reserve_slowly(b, n, here, begun);
		begun = false;
		// The markers that were left never count down.
		if (place.took_over)
			ust_store(&thread->markers, 1);
		if (place.fits)
			return ust_fill(b, ust_control_of(b), &place, id);
	}
	ust_order();
	ust_decrement32(&thread->markers);
	const struct ust_slot none = {NULL, 0};
	return none;
}

UST_DETAIL_C_FUNCTION struct ust_slot ust_begin_after_update(
	uint64_t n, uintptr_t here, uint32_t filter, uint16_t id)
{
	struct ust_thread *const thread = ust_current_thread();

	if (ust_load(&ust_gate.mask) & filter)
		ust_update_thread(thread);
	ust_increment32(&thread->markers);
	ust_order();
	return ust_begin_slowly(n, here, filter, id, ust_load(&thread->first), false);
}

// Begins an event of n bytes, header included. here: the stack of its marker.
UST_DETAIL_C_FUNCTION struct ust_slot ust_begin_event(
	uint64_t n, uintptr_t here, uint32_t filter, uint16_t id)
{
	struct ust_thread *const thread = ust_current_thread();

	if (UST_DETAIL_UNLIKELY(ust_load(&thread->seen) != ust_seen_of(&ust_gate)))
		return ust_begin_after_update(n, here, filter, id);
	ust_increment32(&thread->markers);
	ust_order();
	ust_buffer *const b = ust_load(&thread->first);
	if (UST_DETAIL_UNLIKELY(!b || !ust_wants(b, filter)))
		return ust_begin_slowly(n, here, filter, id, b, false);
	struct ltt_control *const control = ust_control_of(b);
	if (UST_DETAIL_UNLIKELY(!ust_begin_outermost(b, control, here)))
		return ust_begin_slowly(n, here, filter, id, b, false);
	struct ust_reservation place = {0, 0, false, true, false};
	if (UST_DETAIL_UNLIKELY(!ust_reserve(control, n, LTT_CLOCK_TSC, &place)))
		return ust_begin_slowly(n, here, filter, id, b, true);
	return ust_fill(b, control, &place, id);
}

UST_DETAIL_C_FUNCTION ust_buffer *ust_end_slowly(ust_buffer *b, bool outermost, uintptr_t here)
{
	struct ust_thread *const thread = ust_current_thread();

	ust_finish(ust_control_of(b), outermost, here);
	ust_buffer *const next = ust_next_of(thread, b);
	if (!next) {
		ust_order();
		ust_decrement32(&thread->markers);
	}
	return next;
}

// Ends the event in this buffer. Returns the next buffer; after the last one, null.
UST_DETAIL_C_FUNCTION ust_buffer *ust_end_event(uintptr_t marker, uintptr_t here)
{
	struct ust_thread *const thread = ust_current_thread();
	const bool outermost = !(marker & 1);
	ust_buffer *const b = (ust_buffer *)(marker - !outermost);

	ust_order();
	UST_DETAIL_STEP(stored);
	if (UST_DETAIL_UNLIKELY(
		    !outermost || b != ust_load(&thread->last) || !ust_commit(ust_control_of(b))))
		return ust_end_slowly(b, outermost, here);
	ust_order();
	ust_decrement32(&thread->markers);
	return NULL;
}

// After the fields: ends the event in this buffer, and begins it in the next one that
// wants it. Part of the function of the event, whose stack it looks at.
UST_DETAIL_C_INLINE struct ust_slot ust_next_slot(
	struct ust_slot slot, uint64_t n, uint32_t filter, uint16_t id)
{
	ust_buffer *const next = ust_end_event(slot.marker, ust_stack_position());
	const struct ust_slot none = {NULL, 0};

	if (!UST_DETAIL_UNLIKELY(next))
		return none;
	return ust_begin_slowly(n, ust_stack_position(), filter, id, next, false);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_WRITE_H

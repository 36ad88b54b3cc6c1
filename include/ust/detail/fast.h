// SPDX-License-Identifier: MIT
//
// The path that events usually take, part of the function of each event: the thread
// writes into one buffer, with the time stamp counter, not on top of another marker, and
// the sub-buffer has room. Whatever is different goes the way of write.h, from its begin.
//
// It is what all this is for, so its instructions are counted (make bench-guest).
#ifndef UST_DETAIL_FAST_H
#define UST_DETAIL_FAST_H

#include "write.h"

UST_DETAIL_C_BEGIN

UST_DETAIL_C_INLINE struct ltt_control *ust_fast_control(ust_buffer *b)
{
	return (struct ltt_control *)((char *)b + UST_DETAIL_FAST_CONTROL);
}

// The buffer of the thread, if the event may go there this way, or null. If not null the
// marker has begun, as the outermost one.
UST_DETAIL_C_INLINE ust_buffer *ust_begin_fast(const struct ust_event *event)
{
	const uint32_t generation = ust_load(&ust_gate.generation);

	ust_order();
	// Every trace takes the event; this also tells that the program is registered.
	if (UST_DETAIL_UNLIKELY(ust_peek(&event->plain) != generation))
		return NULL;
	struct ust_thread *const thread = ust_current_thread();
	if (UST_DETAIL_UNLIKELY(ust_peek(&thread->fast_generation) != generation))
		return NULL;
	// From here on no handler unmaps buffers.
	ust_increment32(&thread->markers);
	ust_order();
	ust_buffer *const b = ust_peek(&thread->fast);
	struct ltt_control *const control = ust_fast_control(b);
	// Inactive is also the one that stands for none: its control page is not there.
	if (UST_DETAIL_UNLIKELY(!ust_peek(&b->active)) ||
		UST_DETAIL_UNLIKELY(ust_peek(&control->writer))) {
		ust_decrement32(&thread->markers);
		return NULL;
	}
	ust_store(&control->writer, ust_stack_position());
	ust_order();
	UST_DETAIL_STEP(begun);
	return b;
}

// The place for the fields of an event of n bytes, header included, or null: then the
// marker has to end by ust_give_up().
UST_DETAIL_C_INLINE char *ust_reserve_fast(ust_buffer *b, uint64_t n, const struct ust_event *event)
{
	struct ltt_control *const control = ust_fast_control(b);
	struct ust_reservation place = {0, 0, false, true, false};

	if (UST_DETAIL_UNLIKELY(!ust_reserve(b, control, n, LTT_CLOCK_TSC, &place)))
		return NULL;
	return ust_put_header(
		(char *)b + UST_DETAIL_FAST_DATA, control, &place, ust_peek(&event->id));
}

// Ends a marker that got no place, or that a handler has left its event to.
UST_DETAIL_C_FUNCTION(ust_give_up)
void ust_give_up(ust_buffer *b, uintptr_t here)
{
	ust_finish(ust_fast_control(b), true, here);
	ust_order();
	ust_decrement32(&ust_current_thread()->markers);
}

// After the fields.
UST_DETAIL_C_INLINE void ust_end_fast(ust_buffer *b)
{
	ust_order();
	UST_DETAIL_STEP(stored);
	if (UST_DETAIL_UNLIKELY(!ust_commit(ust_fast_control(b)))) {
		ust_give_up(b, ust_stack_position());
		return;
	}
	ust_order();
	ust_decrement32(&ust_current_thread()->markers);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_FAST_H

// SPDX-License-Identifier: MIT
//
// One buffer of the calling thread: the write protocol of struct ltt_control
// (abi.h), step by step.
#ifndef UST_DETAIL_BUFFER_H
#define UST_DETAIL_BUFFER_H

#include "../ltt.h"
#include "platform.h"

#include <string.h>

UST_DETAIL_C_BEGIN

// What the thread keeps for itself in control.user: the next of its buffers, and
// what is known of an event in flight that a signal handler interrupted. FLIGHT
// is commit + 1 of that time, or older.
enum {
	UST_DETAIL_NEXT,
	UST_DETAIL_FLIGHT,
	UST_DETAIL_FLIGHT_END,
	UST_DETAIL_NESTED
};

// The first page of a mapped buffer stands for the buffer.
typedef struct ltt_trace_page ust_buffer;

UST_DETAIL_C_INLINE struct ltt_control *ust_control_of(ust_buffer *b)
{
	return (struct ltt_control *)((char *)b + ust_load(&b->control_offset));
}

// A marker that runs on top of another notes where the event in flight ends, and
// that it is itself in flight: should the handler never return, take_over() has to
// know.
UST_DETAIL_C_FUNCTION(ust_begin_nested) void ust_begin_nested(struct ltt_control *control)
{
	const __u64 flight = ust_load(&control->commit) + 1;

	if (ust_load(&control->user[UST_DETAIL_FLIGHT]) != flight) {
		ust_store(&control->user[UST_DETAIL_FLIGHT_END], ust_load(&control->reserve));
		ust_store(&control->user[UST_DETAIL_NESTED], 0);
		ust_order();
		ust_store(&control->user[UST_DETAIL_FLIGHT], flight);
	}
	ust_increment64(&control->user[UST_DETAIL_NESTED]);
}

// Was the marker in flight left by longjmp() or an exception? The stack grows down:
// a handler, and so its markers, lie below what it interrupted, unless it has a
// stack of its own.
UST_DETAIL_C_HELPER bool ust_abandoned(__u64 writer, uintptr_t here)
{
	stack_t alternate;

	return here >= writer && sigaltstack(NULL, &alternate) == 0 &&
	       !(alternate.ss_flags & SS_ONSTACK);
}

// Makes this marker the outermost one if the one in flight will never end. What that
// one had reserved becomes padding, one record in each sub-buffer; so do the events
// of handlers only if one of them was left in its midst too.
UST_DETAIL_C_FUNCTION(ust_take_over)
bool ust_take_over(ust_buffer *b, struct ltt_control *control, uintptr_t here)
{
	if (!ust_abandoned(ust_load(&control->writer), here))
		return false;
	__u64 at = ust_load(&control->commit), end = ust_load(&control->reserve);
	if (ust_load(&control->user[UST_DETAIL_FLIGHT]) == at + 1 &&
		!ust_load(&control->user[UST_DETAIL_NESTED]))
		end = ust_load(&control->user[UST_DETAIL_FLIGHT_END]);
	ust_order();
	ust_store(&control->writer, here);
	ust_order();
	const __u64 last = ust_load(&b->subbuf_size) - 1;
	while (at < end) {
		const __u64 boundary = (at | last) + 1, stop = boundary < end ? boundary : end;
		const uint64_t padding = (stop - at) << 16;
		memcpy((char *)b + ust_load(&b->data_offset) + (at & ust_load(&control->mask)),
			&padding, sizeof padding);
		at = stop;
	}
	ust_order();
	return true;
}

// Makes everything up to now readable, which only the outermost marker may do: what
// lies before its own event is then complete too. Returns false if a handler ran after
// the load of reserve and before writer became 0, and so left its event to this one.
UST_DETAIL_C_INLINE bool ust_commit(struct ltt_control *control)
{
	const __u64 reserved = ust_load(&control->reserve);
	UST_DETAIL_STEP(before_commit);
	// The kernel, and a reader on another processor, must not see it before
	// the events. The one place where that matters; free on x86.
	__atomic_store_n(&control->commit, reserved, __ATOMIC_RELEASE);
	ust_order();
	UST_DETAIL_STEP(committed);
	ust_store(&control->writer, 0);
	ust_order();
	UST_DETAIL_STEP(ended);
	return ust_peek(&control->reserve) == reserved;
}

// Ends a marker, or goes on to where commit() did not do for the outermost one.
UST_DETAIL_C_HELPER void ust_finish(struct ltt_control *control, bool outermost, uintptr_t here)
{
	if (!outermost) {
		// Handlers that interrupt this count up and down again.
		ust_store(&control->user[UST_DETAIL_NESTED],
			ust_load(&control->user[UST_DETAIL_NESTED]) - 1);
		return;
	}
	do {
		ust_store(&control->writer, here);
		ust_order();
	} while (!ust_commit(control));
}

enum {
	UST_DETAIL_MAX_SWITCHES = 16
};

// n bytes did not fit. Returns true if it is worth another try; otherwise the event
// is dropped, and counted.
UST_DETAIL_C_HELPER bool ust_make_room(
	ust_buffer *b, struct ltt_control *control, uint64_t n, unsigned switches)
{
	if (n > ust_load(&b->subbuf_size)) {
		ust_increment64(&control->too_big);
		return false;
	}
	// A full buffer costs no system call: the kernel clears the word when
	// there is room. The bound guards against handlers that fill each new
	// sub-buffer before this event gets its turn.
	if (ust_load(&control->full) || switches >= UST_DETAIL_MAX_SWITCHES ||
		ust_kernel_call(LTT_NR_switch, (long)b, 0, 0) != 0) {
		ust_increment64(&control->lost);
		return false;
	}
	return true;
}

// Where an event goes and when it was; and of its marker, whether it is the outermost
// one, and whether one before it had been abandoned.
struct ust_reservation {
	__u64 position;
	__u64 time;
	bool fits;
	bool outermost;
	bool took_over;
};

// Moves reserve by n if there is room and no handler did it meanwhile. Returns whether
// it did.
UST_DETAIL_C_INLINE bool ust_reserve(const ust_buffer *b, struct ltt_control *control, uint64_t n,
	__u32 clock, struct ust_reservation *result)
{
	result->position = ust_load(&control->reserve);
	ust_order();
	UST_DETAIL_STEP(before_clock);
	// After each load: when a handler's event came first, so does its time.
	result->time = ust_read_clock(clock);
	UST_DETAIL_STEP(after_clock);
	result->time += ust_peek(&b->clock_offset);
	UST_DETAIL_STEP(before_reserve);
	// Also after that: if the machine slept between the two, the limit is 0.
	ust_order();
	result->fits = result->position + n <= ust_peek(&control->limit);
	const bool done = result->fits && ust_compare_and_swap(&control->reserve, result->position,
						  result->position + n);
	ust_order();
	return done;
}

// Reserves n bytes, with a sub-buffer change if it has to be.
UST_DETAIL_C_HELPER struct ust_reservation ust_reserve_slowly(
	ust_buffer *b, uint64_t n, uintptr_t here)
{
	struct ltt_control *const control = ust_control_of(b);
	struct ust_reservation result = {0, 0, false, false, false};

	for (unsigned switches = 0;; ++switches) {
		result.outermost = ust_load(&control->writer) == 0;
		if (result.outermost)
			ust_store(&control->writer, here);
		else if (ust_take_over(b, control, here))
			result.outermost = result.took_over = true;
		else
			ust_begin_nested(control);
		ust_order();
		UST_DETAIL_STEP(begun);
		do {
			if (ust_reserve(b, control, n, ust_load(&b->clock), &result))
				return result;
		} while (result.fits);
		// Ended before the switch, so that the kernel finds everything committed.
		ust_finish(control, result.outermost, here);
		UST_DETAIL_STEP(no_room);
		if (!ust_make_room(b, control, n, switches))
			return result;
	}
}

// Writes the header of an event into the sub-buffers at data. Returns where its fields go.
UST_DETAIL_C_INLINE char *ust_put_header(
	char *data, struct ltt_control *control, const struct ust_reservation *place, uint64_t id)
{
	ust_increment64(&control->events);
	ust_order();
	UST_DETAIL_STEP(reserved);
	char *const at = data + (place->position & ust_peek(&control->mask));
	const uint64_t header = place->time << 16 | id;
	memcpy(at, &header, sizeof header);
	return at + sizeof header;
}

UST_DETAIL_C_INLINE char *ust_write_header(ust_buffer *b, struct ltt_control *control,
	const struct ust_reservation *place, uint64_t id)
{
	return ust_put_header((char *)b + ust_load(&b->data_offset), control, place, id);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_BUFFER_H

// SPDX-License-Identifier: MIT
//
// One buffer of the calling thread: the write protocol of struct ltt_control
// (abi.h), step by step.
#ifndef UST_DETAIL_BUFFER_H
#define UST_DETAIL_BUFFER_H

#include "../ltt.h"
#include "platform.h"

#include <csignal>
#include <cstring>

UST_DETAIL_BEGIN

// What the thread keeps for itself in control.user: the next of its buffers, and
// what is known of an event in flight that a signal handler interrupted. FLIGHT
// is commit + 1 of that time, or older.
enum : unsigned {
	NEXT,
	FLIGHT,
	FLIGHT_END,
	NESTED
};

// The first page of a mapped buffer stands for the buffer.
using buffer = ltt_trace_page;

UST_DETAIL_INLINE ltt_control &control_of(buffer *b) noexcept
{
	return *reinterpret_cast<ltt_control *>(
		reinterpret_cast<char *>(b) + load(b->control_offset));
}

// A marker that runs on top of another notes where the event in flight ends, and
// that it is itself in flight: should the handler never return, take_over() has to
// know.
[[gnu::noinline]] inline void begin_nested(ltt_control &control) noexcept
{
	const __u64 flight = load(control.commit) + 1;

	if (load(control.user[FLIGHT]) != flight) {
		store(control.user[FLIGHT_END], load(control.reserve));
		store(control.user[NESTED], 0);
		order();
		store(control.user[FLIGHT], flight);
	}
	increment(control.user[NESTED]);
}

// Was the marker in flight left by longjmp() or an exception? The stack grows down:
// a handler, and so its markers, lie below what it interrupted, unless it has a
// stack of its own.
inline bool abandoned(__u64 writer, std::uintptr_t here) noexcept
{
	stack_t alternate;

	return here >= writer && sigaltstack(nullptr, &alternate) == 0 &&
	       !(alternate.ss_flags & SS_ONSTACK);
}

// Makes this marker the outermost one if the one in flight will never end. What that
// one had reserved becomes padding, one record in each sub-buffer; so do the events
// of handlers only if one of them was left in its midst too.
[[gnu::noinline]] inline bool take_over(
	buffer *b, ltt_control &control, std::uintptr_t here) noexcept
{
	if (!abandoned(load(control.writer), here))
		return false;
	__u64 at = load(control.commit), end = load(control.reserve);
	if (load(control.user[FLIGHT]) == at + 1 && !load(control.user[NESTED]))
		end = load(control.user[FLIGHT_END]);
	order();
	store(control.writer, here);
	order();
	const __u64 last = load(b->subbuf_size) - 1;
	while (at < end) {
		const __u64 boundary = (at | last) + 1, stop = boundary < end ? boundary : end;
		const std::uint64_t padding = (stop - at) << 16;
		std::memcpy(reinterpret_cast<char *>(b) + load(b->data_offset) +
				    (at & load(control.mask)),
			&padding, sizeof padding);
		at = stop;
	}
	order();
	return true;
}

// Makes everything up to now readable, which only the outermost marker may do: what
// lies before its own event is then complete too. Returns false if a handler ran after
// the load of reserve and before writer became 0, and so left its event to this one.
UST_DETAIL_INLINE bool commit(ltt_control &control) noexcept
{
	const __u64 reserved = load(control.reserve);
	UST_DETAIL_STEP(before_commit);
	// The kernel, and a reader on another processor, must not see it before
	// the events. The one place where that matters; free on x86.
	__atomic_store_n(&control.commit, reserved, __ATOMIC_RELEASE);
	order();
	UST_DETAIL_STEP(committed);
	store(control.writer, 0);
	order();
	UST_DETAIL_STEP(ended);
	return load(control.reserve) == reserved;
}

// Ends a marker, or goes on to where commit() did not do for the outermost one.
inline void finish(ltt_control &control, bool outermost, std::uintptr_t here) noexcept
{
	if (!outermost) {
		// Handlers that interrupt this count up and down again.
		store(control.user[NESTED], load(control.user[NESTED]) - 1);
		return;
	}
	do {
		store(control.writer, here);
		order();
	} while (!commit(control));
}

enum {
	MAX_SWITCHES = 16
};

// n bytes did not fit. Returns true if it is worth another try; otherwise the event
// is dropped, and counted.
inline bool make_room(buffer *b, ltt_control &control, std::uint64_t n, unsigned switches) noexcept
{
	if (n > load(b->subbuf_size)) {
		increment(control.too_big);
		return false;
	}
	// A full buffer costs no system call: the kernel clears the word when
	// there is room. The bound guards against handlers that fill each new
	// sub-buffer before this event gets its turn.
	if (load(control.full) || switches >= MAX_SWITCHES ||
		ust_kernel_call(LTT_NR_switch, reinterpret_cast<long>(b), 0, 0) != 0) {
		increment(control.lost);
		return false;
	}
	return true;
}

// Where an event goes and when it was; and of its marker, whether it is the outermost
// one, and whether one before it had been abandoned.
struct reservation {
	__u64 position;
	__u64 time;
	bool fits;
	bool outermost;
	bool took_over;
};

// Moves reserve by n if there is room and no handler did it meanwhile. Returns whether
// it did.
UST_DETAIL_INLINE bool reserve(
	ltt_control &control, std::uint64_t n, __u32 clock, reservation &result) noexcept
{
	result.position = load(control.reserve);
	order();
	UST_DETAIL_STEP(before_clock);
	// After each load: when a handler's event came first, so does its time.
	result.time = read_clock(clock);
	UST_DETAIL_STEP(before_reserve);
	result.fits = result.position + n <= load(control.limit);
	const bool done = result.fits &&
			  compare_and_swap(control.reserve, result.position, result.position + n);
	order();
	return done;
}

// Begins the marker at `here` as the outermost one, in the usual case. Otherwise, which
// is with another in flight or with a clock that takes a call, does nothing and returns
// false.
UST_DETAIL_INLINE bool begin_outermost(
	buffer *b, ltt_control &control, std::uintptr_t here) noexcept
{
	if (UST_DETAIL_UNLIKELY(load(control.writer) || load(b->clock) != LTT_CLOCK_TSC))
		return false;
	store(control.writer, here);
	order();
	UST_DETAIL_STEP(begun);
	return true;
}

// The slow path. begun: the marker has begun as the outermost, but reserved nothing.
inline reservation reserve_slowly(
	buffer *b, std::uint64_t n, std::uintptr_t here, bool begun) noexcept
{
	ltt_control &control = control_of(b);
	reservation result = {0, 0, false, begun, false};

	for (unsigned switches = 0;; ++switches) {
		if (!begun) {
			result.outermost = load(control.writer) == 0;
			if (result.outermost)
				store(control.writer, here);
			else if (take_over(b, control, here))
				result.outermost = result.took_over = true;
			else
				begin_nested(control);
			order();
			UST_DETAIL_STEP(begun);
		}
		begun = false;
		do {
			if (reserve(control, n, load(b->clock), result))
				return result;
		} while (result.fits);
		// Ended before the switch, so that the kernel finds everything committed.
		finish(control, result.outermost, here);
		UST_DETAIL_STEP(no_room);
		if (!make_room(b, control, n, switches))
			return result;
	}
}

// Writes the header of an event. Returns where its fields go.
UST_DETAIL_INLINE char *write_header(
	buffer *b, ltt_control &control, const reservation &place, std::uint16_t id) noexcept
{
	increment(control.events);
	order();
	UST_DETAIL_STEP(reserved);
	char *const at = reinterpret_cast<char *>(b) + load(b->data_offset) +
			 (place.position & load(control.mask));
	const std::uint64_t header = place.time << 16 | id;
	std::memcpy(at, &header, sizeof header);
	return at + sizeof header;
}

UST_DETAIL_END

#endif // UST_DETAIL_BUFFER_H

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

// Ends a marker. Only the outermost one may commit: what lies before its own
// event is then complete too. A handler that ran after the load of reserve and
// before writer became 0 left its event to be committed here, hence the loop.
UST_DETAIL_INLINE void finish(ltt_control &control, bool outermost) noexcept
{
	if (!outermost) {
		// Handlers that interrupt this count up and down again.
		store(control.user[NESTED], load(control.user[NESTED]) - 1);
		return;
	}
	const __u64 self = load(control.writer);
	for (;;) {
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
		if (load(control.reserve) == reserved)
			return;
		store(control.writer, self);
		order();
	}
}

enum {
	MAX_SWITCHES = 16
};

// The slow path: n bytes did not fit. Returns true if it is worth another try;
// otherwise the event is dropped, and counted.
[[gnu::noinline]] inline bool make_room(
	buffer *b, ltt_control &control, std::uint64_t n, unsigned switches) noexcept
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

// Writes one event of n bytes, header included; put(address) stores what
// follows the header. Returns whether a marker before it had been abandoned.
template <class Put>
UST_DETAIL_INLINE bool write_event(
	buffer *b, std::uint64_t n, std::uint16_t id, const Put &put) noexcept
{
	ltt_control &control = control_of(b);
	const __u32 clock = load(b->clock);
	const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
	bool took_over = false;

	for (unsigned switches = 0;; ++switches) {
		bool outermost = load(control.writer) == 0;
		if (!UST_DETAIL_UNLIKELY(!outermost))
			store(control.writer, here);
		else if (take_over(b, control, here))
			outermost = took_over = true;
		else
			begin_nested(control);
		order();
		UST_DETAIL_STEP(begun);

		__u64 position, time;
		bool fits;
		do {
			position = load(control.reserve);
			order();
			UST_DETAIL_STEP(before_clock);
			// In the loop: when a handler's event came first, so does its time.
			time = read_clock(clock);
			UST_DETAIL_STEP(before_reserve);
			fits = position + n <= load(control.limit);
		} while (fits && !compare_and_swap(control.reserve, position, position + n));
		order();

		if (!UST_DETAIL_UNLIKELY(!fits)) {
			increment(control.events);
			order();
			UST_DETAIL_STEP(reserved);
			char *at = reinterpret_cast<char *>(b) + load(b->data_offset) +
				   (position & load(control.mask));
			const std::uint64_t header = time << 16 | id;
			std::memcpy(at, &header, sizeof header);
			put(at + sizeof header);
			order();
			UST_DETAIL_STEP(stored);
			finish(control, outermost);
			return took_over;
		}

		// Ended before the switch, so that the kernel finds everything committed.
		finish(control, outermost);
		UST_DETAIL_STEP(no_room);
		if (!make_room(b, control, n, switches))
			return took_over;
	}
}

UST_DETAIL_END

#endif // UST_DETAIL_BUFFER_H

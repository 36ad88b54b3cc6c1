// SPDX-License-Identifier: MIT
//
// One buffer of the calling thread: the write protocol of struct ltt_control
// (abi.h), step by step.
#ifndef UST_DETAIL_BUFFER_H
#define UST_DETAIL_BUFFER_H

#include "../ltt.h"
#include "platform.h"

#include <cstring>

UST_DETAIL_BEGIN

// The first page of a mapped buffer stands for the buffer.
using buffer = ltt_trace_page;

UST_DETAIL_INLINE ltt_control &control_of(buffer *b) noexcept
{
	return *reinterpret_cast<ltt_control *>(
		reinterpret_cast<char *>(b) + load(b->control_offset));
}

// Ends a marker. Only the outermost one may commit: what lies before its own
// event is then complete too. A handler that ran after the load of reserve and
// before writer became 0 left its event to be committed here, hence the loop.
UST_DETAIL_INLINE void finish(ltt_control &control, bool outermost) noexcept
{
	if (!outermost)
		return;
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
// follows the header.
template <class Put>
UST_DETAIL_INLINE void write_event(
	buffer *b, std::uint64_t n, std::uint16_t id, const Put &put) noexcept
{
	ltt_control &control = control_of(b);
	const __u32 clock = load(b->clock);

	for (unsigned switches = 0;; ++switches) {
		const bool outermost = load(control.writer) == 0;
		if (outermost)
			store(control.writer,
				reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
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
			return;
		}

		// Ended before the switch, so that the kernel finds everything committed.
		finish(control, outermost);
		UST_DETAIL_STEP(no_room);
		if (!make_room(b, control, n, switches))
			return;
	}
}

UST_DETAIL_END

#endif // UST_DETAIL_BUFFER_H

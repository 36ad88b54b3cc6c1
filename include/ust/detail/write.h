// SPDX-License-Identifier: MIT
//
// One event into every buffer of the thread whose trace wants it:
//
//	for (slot s = begin_event(...); s.at; s = begin_slowly(next, ...)) {
//		store the fields at s.at
//		next = end_event(s)
//	}
//
// What all events have in common stands here, out of line: the function of an event has
// its fields alone, so that it is small and soon compiled. On the usual path neither of
// the two calls anything, so they need no stack and save no registers.
#ifndef UST_DETAIL_WRITE_H
#define UST_DETAIL_WRITE_H

#include "registry.h"

UST_DETAIL_BEGIN

// A place for the fields of an event; at is nullptr after the last one.
struct slot {
	char *at;
	// The buffer, a page's address; the lowest bit is set on top of another marker.
	std::uintptr_t marker;
};

UST_DETAIL_INLINE slot fill(
	buffer *b, ltt_control &control, const reservation &place, std::uint16_t id) noexcept
{
	return {write_header(b, control, place, id),
		reinterpret_cast<std::uintptr_t>(b) | !place.outermost};
}

UST_DETAIL_INLINE bool wants(const buffer *b, std::uint32_t filter) noexcept
{
	return load(b->active) && (load(b->filter) & filter);
}

// In b or the first one after it that wants the event. begun: in b, as the outermost
// marker, but nothing is reserved.
[[gnu::noinline]] inline slot begin_slowly(std::uint64_t n, std::uintptr_t here,
	std::uint32_t filter, std::uint16_t id, buffer *b, bool begun) noexcept
{
	thread_state &thread = current_thread();

	for (; b; b = next_of(thread, b)) {
		if (!begun && !wants(b, filter))
			continue;
		const reservation place = reserve_slowly(b, n, here, begun);
		begun = false;
		// The markers that were left never count down.
		if (place.took_over)
			store(thread.markers, 1);
		if (place.fits)
			return fill(b, control_of(b), place, id);
	}
	order();
	decrement(thread.markers);
	return {nullptr, 0};
}

[[gnu::noinline]] inline slot begin_after_update(
	std::uint64_t n, std::uintptr_t here, std::uint32_t filter, std::uint16_t id) noexcept
{
	thread_state &thread = current_thread();

	if (load(gate.mask) & filter)
		update_thread(thread);
	increment(thread.markers);
	order();
	return begin_slowly(n, here, filter, id, load(thread.first), false);
}

// Begins an event of n bytes, header included. here: the stack of its marker.
[[gnu::noinline]] inline slot begin_event(
	std::uint64_t n, std::uintptr_t here, std::uint32_t filter, std::uint16_t id) noexcept
{
	thread_state &thread = current_thread();

	if (UST_DETAIL_UNLIKELY(load(thread.seen) != seen_of(gate)))
		return begin_after_update(n, here, filter, id);
	increment(thread.markers);
	order();
	buffer *const b = load(thread.first);
	if (UST_DETAIL_UNLIKELY(!b || !wants(b, filter)))
		return begin_slowly(n, here, filter, id, b, false);
	ltt_control &control = control_of(b);
	if (UST_DETAIL_UNLIKELY(!begin_outermost(b, control, here)))
		return begin_slowly(n, here, filter, id, b, false);
	reservation place = {0, 0, false, true, false};
	if (UST_DETAIL_UNLIKELY(!reserve(control, n, LTT_CLOCK_TSC, place)))
		return begin_slowly(n, here, filter, id, b, true);
	return fill(b, control, place, id);
}

[[gnu::noinline]] inline buffer *end_slowly(buffer *b, bool outermost, std::uintptr_t here) noexcept
{
	thread_state &thread = current_thread();

	finish(control_of(b), outermost, here);
	buffer *const next = next_of(thread, b);
	if (!next) {
		order();
		decrement(thread.markers);
	}
	return next;
}

// Ends the event in this buffer. Returns the next buffer; after the last one, nullptr.
[[gnu::noinline]] inline buffer *end_event(std::uintptr_t marker, std::uintptr_t here) noexcept
{
	thread_state &thread = current_thread();
	const bool outermost = !(marker & 1);
	buffer *const b = reinterpret_cast<buffer *>(marker - !outermost);

	order();
	UST_DETAIL_STEP(stored);
	if (UST_DETAIL_UNLIKELY(!outermost || b != load(thread.last) || !commit(control_of(b))))
		return end_slowly(b, outermost, here);
	order();
	decrement(thread.markers);
	return nullptr;
}

UST_DETAIL_END

#endif // UST_DETAIL_WRITE_H

/* SPDX-License-Identifier: MIT */
/*
 * One event into one buffer, whatever the thread's other buffers and its gate are:
 * the steps of a marker (ust/detail/write.h), for programs that have buffers and no
 * markers.
 */
#ifndef GUEST_EVENT_H
#define GUEST_EVENT_H

#include <cstdint>
#include <ust/detail/buffer.h>

namespace ltt
{

/* n: bytes, header included; put(address) stores what follows the header. */
template <class Put>
inline void write_event(ust_buffer *b, std::uint64_t n, std::uint16_t id, const Put &put) noexcept
{
	ltt_control *const control = ust_control_of(b);
	const std::uintptr_t here = ust_stack_position();
	const ust_reservation place = ust_reserve_slowly(b, n, here);
	if (!place.fits)
		return;
	put(ust_write_header(b, control, &place, id));
	ust_order();
	UST_DETAIL_STEP(stored);
	// Not finish() at once, which begins the outermost marker anew.
	if (!place.outermost || !ust_commit(control))
		ust_finish(control, place.outermost, here);
}

} // namespace ltt

#endif /* GUEST_EVENT_H */

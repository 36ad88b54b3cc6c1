/* SPDX-License-Identifier: MIT */
/*
 * One event into one buffer, whatever the thread's other buffers and its gate are:
 * the steps of a marker (ust/detail/write.h), for programs that have buffers and no
 * markers.
 */
#ifndef GUEST_EVENT_H
#define GUEST_EVENT_H

#include <ust/detail/buffer.h>

namespace ltt
{

/* n: bytes, header included; put(address) stores what follows the header. */
template <class Put>
inline void write_event(
	ust::detail::buffer *b, std::uint64_t n, std::uint16_t id, const Put &put) noexcept
{
	ltt_control &control = ust::detail::control_of(b);
	const std::uintptr_t here = ust::detail::stack_position();
	const ust::detail::reservation place = ust::detail::reserve_slowly(b, n, here, false);
	if (!place.fits)
		return;
	put(ust::detail::write_header(b, control, place, id));
	ust::detail::order();
	UST_DETAIL_STEP(stored);
	// Not finish() at once, which begins the outermost marker anew.
	if (!place.outermost || !ust::detail::commit(control))
		ust::detail::finish(control, place.outermost, here);
}

} // namespace ltt

#endif /* GUEST_EVENT_H */

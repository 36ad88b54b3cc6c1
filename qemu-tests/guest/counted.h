/* SPDX-License-Identifier: MIT */
/* The event by which tests of ltt-ctl tell what was recorded. */
#ifndef GUEST_COUNTED_H
#define GUEST_COUNTED_H

#include <ust/ust.h>

#include <cstdint>

UST_EVENT(guest, count, UST_BIT(0), (std::uint64_t, value))

inline void write_events(std::uint64_t n)
{
	for (std::uint64_t i = 0; i < n; ++i)
		UST(guest, count, i);
}

#endif /* GUEST_COUNTED_H */

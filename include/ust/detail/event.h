// SPDX-License-Identifier: MIT
//
// What an executable or library knows of one of its events, and what the rules of
// traces mean for it (rules.h).
#ifndef UST_DETAIL_EVENT_H
#define UST_DETAIL_EVENT_H

#include "context.h"
#include "rules.h"

UST_DETAIL_C_BEGIN

// Of the markers of one layout. Of two definitions that two files have for one name,
// the linker keeps one; a marker must not write the fields of the other.
//
// Threads find out the same, and store it in the order in which the members are looked
// at: the generation after what holds for it.
struct ust_event {
	// In the header of the event; 0: it is not written, or nobody has asked yet.
	uint64_t id;
	// Generation of the gate for which every trace takes the event that has a bit of
	// its filter; 0: none.
	uint32_t plain;
	// Generation of the gate for which refused is right.
	uint32_t asked;
	// Bit for each trace whose rules leave the event out.
	uint32_t refused;
	uint32_t reserved;
};

// Asks the rules of all traces that the thread has a buffer of. It is up to date with the
// gate's generation.
UST_DETAIL_C_FUNCTION(ust_ask_rules)
void ust_ask_rules(const struct ust_thread *thread, struct ust_event *event,
	const struct ust_definition *definition, uint32_t generation)
{
	uint32_t refused = 0;

	for (ust_buffer *b = ust_load(&thread->first); b; b = ust_next_of(thread, b))
		if (!ust_rules_take(b, definition))
			refused |= (uint32_t)1 << (ust_load(&b->trace) & 31);
	ust_store(&event->plain, 0);
	ust_store(&event->refused, refused);
	__atomic_store_n(&event->asked, generation, __ATOMIC_RELEASE);
	if (!refused)
		__atomic_store_n(&event->plain, generation, __ATOMIC_RELEASE);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_EVENT_H

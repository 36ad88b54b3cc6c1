// SPDX-License-Identifier: GPL-2.0
/*
 * What programs registered, a second time where a reboot leaves it: events that
 * persist are nothing without their definitions.
 */

#include "internal.h"

/* @previous: address of those that the program gave before. */
static bool ltt_keep_definitions(struct ltt_definitions *definitions,
				 u64 previous)
{
	struct ltt_dump_definitions *kept;

	/* A forked child has its parent's. */
	if (definitions->kept)
		return true;
	kept = ltt_alloc(sizeof(*kept) + definitions->size, true);
	if (!kept)
		return false;
	memcpy(kept + 1, definitions->data, definitions->size);
	kept->previous = previous;
	kept->data.start = __pa(kept + 1);
	kept->data.size = definitions->size;
	definitions->kept = kept;
	return true;
}

/**
 * ltt_keep_process() - keep what a program registered, from now on
 * @process: writes into a trace that persists
 *
 * Under ltt_mutex. Return: false if there is no room for all of it.
 */
bool ltt_keep_process(struct ltt_process *process)
{
	struct ltt_dump_process *kept = process->kept;
	unsigned int i;

	lockdep_assert_held(&ltt_mutex);
	ltt_region_set_nodename();
	if (!kept) {
		kept = ltt_alloc(sizeof(*kept), true);
		if (!kept)
			return false;
		kept->magic = LTT_DUMP_PROCESS_MAGIC;
		process->kept = kept;
	}
	for (i = process->n_kept; i < process->n_definitions; i++) {
		if (!ltt_keep_definitions(process->definitions[i],
					  kept->definitions))
			return false;
		smp_wmb(); /* order as in uapi/linux/ltt_dump.h */
		WRITE_ONCE(kept->definitions,
			   __pa(process->definitions[i]->kept));
		process->n_kept++;
	}
	return true;
}

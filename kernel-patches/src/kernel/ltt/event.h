/* SPDX-License-Identifier: GPL-2.0 */
/* Events of the kernel: what there is of each, and who wants it. */
#ifndef _LTT_EVENT_H
#define _LTT_EVENT_H

#include <linux/types.h>

/**
 * struct ltt_tap - where events come from: a tracepoint, or the facility itself
 * @attach: the probe to it; sleeps. NULL if there is none
 * @detach: the probe from it; one that is at work may go on for a while
 * @users: events that some trace wants; under ltt_kernel_mutex
 */
struct ltt_tap {
	int		(*attach)(void);
	void		(*detach)(void);
	unsigned int	users;
};

/**
 * struct ltt_event - one line of the table
 * @group: that it is selected by
 * @name: also alone
 * @layout: types and names, as in include/ust/definition.h of the project
 * @layout_size: bytes there
 * @n_fields: number
 * @tap: it comes from
 */
struct ltt_event {
	const char	*group;
	const char	*name;
	const char	*layout;
	u16		layout_size;
	u8		n_fields;
	struct ltt_tap	*tap;
};

/* The id of an event is its index, which is never 0: 0 is padding. */
extern const struct ltt_event ltt_events[];
extern const unsigned int ltt_n_events;

struct ltt_process;
int ltt_kernel_define(struct ltt_process *process);

/* For each event the slots of the traces that want it; under ltt_kernel_mutex. */
extern u32 ltt_wanted[];

#endif /* _LTT_EVENT_H */

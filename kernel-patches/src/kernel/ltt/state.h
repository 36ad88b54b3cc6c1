/* SPDX-License-Identifier: GPL-2.0 */
/* The state of the system, for a trace that starts. */
#ifndef _LTT_STATE_H
#define _LTT_STATE_H

#include <linux/workqueue.h>

struct ltt_trace;

/**
 * struct ltt_state - tells one trace
 * @work: walks the system; has a reference of @trace while it is queued or runs
 * @trace: which
 * @slots: the bit of its slot in ltt_wanted
 * @ended: it gets no events any more
 */
struct ltt_state {
	struct work_struct	work;
	struct ltt_trace	*trace;
	u32			slots;
	bool			ended;
};

void ltt_state_init(struct ltt_state *state, struct ltt_trace *trace, u32 slots);
bool ltt_state_is_wanted(const struct ltt_state *state);
void ltt_state_tell(struct ltt_state *state);
void ltt_state_end(struct ltt_state *state);

#endif /* _LTT_STATE_H */

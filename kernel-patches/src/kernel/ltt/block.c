// SPDX-License-Identifier: GPL-2.0
/*
 * Writers that wait for a reader, in traces of mode LTT_MODE_BLOCK.
 *
 * A writer waits in ltt_switch(), at most for the trace's timeout. It then
 * discards, as all others of its buffer, until a reader made room: a trace that
 * nobody reads costs one timeout and not one for each event.
 */

#include <linux/jiffies.h>
#include <linux/relay.h>
#include <linux/sched/signal.h>

#include "internal.h"

static bool ltt_may_wait(struct ltt_buffer *buf)
{
	return buf->full && buf->store && !buf->gave_up && !buf->retired &&
	       READ_ONCE(buf->trace->page->active);
}

/* No longer full, or not worth to wait for. */
static bool ltt_wait_is_over(struct ltt_buffer *buf)
{
	bool over;

	spin_lock(&buf->lock);
	over = !ltt_may_wait(buf) ||
	       buf->store->relay->subbufs_produced -
	       buf->store->relay->subbufs_consumed < buf->trace->n_subbufs;
	spin_unlock(&buf->lock);
	return over;
}

/**
 * ltt_buffer_wait() - wait until a full buffer has room
 * @buf: of the caller; ltt_buffer_switch() found no free sub-buffer
 *
 * A signal ends the wait, and the call begins anew after its handler; the
 * deadline stays.
 *
 * Return: 1 to try again, 0 if there is no room, -ERESTARTNOINTR.
 */
int ltt_buffer_wait(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;
	u64 now = get_jiffies_64();
	long left;

	if (trace->mode != LTT_MODE_BLOCK)
		return 0;
	spin_lock(&buf->lock);
	if (!ltt_may_wait(buf)) {
		spin_unlock(&buf->lock);
		return 0;
	}
	if (!buf->deadline)
		/* The tick that runs already does not count. */
		buf->deadline = now + usecs_to_jiffies(trace->timeout_us) + 1;
	left = buf->deadline - now;
	spin_unlock(&buf->lock);

	/* Over already, when signals took the rest of it. */
	left = max(left, 0L);
	if (left)
		left = wait_event_interruptible_timeout(trace->room,
							ltt_wait_is_over(buf),
							left);
	if (left < 0)
		return -ERESTARTNOINTR;
	spin_lock(&buf->lock);
	buf->deadline = 0;
	if (!left && ltt_may_wait(buf)) {
		buf->gave_up = true;
		WRITE_ONCE(buf->control->full, 1);
	}
	spin_unlock(&buf->lock);
	return left > 0;
}

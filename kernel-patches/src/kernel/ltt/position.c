// SPDX-License-Identifier: GPL-2.0
/*
 * Positions of a buffer: what is written, closed, committed and read.
 *
 *	      taken		      commit	 reserve     open.end
 *	        |			|	    |		|
 *	--------+=========+.....+=======+-----------+-----------+
 *	  read	  closed[] ^	 open.start		room
 *			   padding
 *
 * The thread moves reserve and commit in the control page, which it can fill
 * with anything: each is read once, clamped against the kernel's own positions,
 * and a lie is told in the packet (LTT_PACKET_CORRUPT).
 */

#include <linux/mm.h>
#include <linux/relay.h>

#include "internal.h"

/* Bytes of all sub-buffers. */
static u64 ltt_size(const struct ltt_buffer *buf)
{
	return (u64)buf->trace->subbuf_size * buf->trace->n_subbufs;
}

static u64 ltt_sub_buffer(const struct ltt_buffer *buf, u64 position)
{
	return position / buf->trace->subbuf_size;
}

static struct ltt_range *ltt_closed(const struct ltt_buffer *buf, u64 n)
{
	return &buf->closed[n & (buf->trace->n_subbufs - 1)];
}

static u64 ltt_clamp(struct ltt_buffer *buf, u64 position, u64 low, u64 high)
{
	if (position >= low && position <= high)
		return position;
	buf->packet.flags |= LTT_PACKET_CORRUPT;
	return position < low ? low : high;
}

/* Where the next event would go. */
static u64 ltt_reserved(struct ltt_buffer *buf)
{
	if (buf->full)
		return buf->open.end;
	return ltt_clamp(buf, READ_ONCE(buf->control->reserve),
			 buf->open.start, buf->open.end);
}

/* Everything before it is complete. */
static u64 ltt_committed(struct ltt_buffer *buf)
{
	u64 commit;

	if (buf->retired)
		return buf->commit;
	/* Pairs with the marker's store of commit. */
	commit = smp_load_acquire(&buf->control->commit);
	buf->commit = ltt_clamp(buf, commit, buf->commit, ltt_reserved(buf));
	return buf->commit;
}

/* What a child, forked by the owner now, has to go on from. */
void ltt_buffer_snapshot(struct ltt_buffer *buf, struct ltt_origin *origin)
{
	spin_lock(&buf->lock);
	if (!buf->control) {
		*origin = buf->fork;
	} else {
		/*
		 * A lap further: a reservation that was interrupted between its
		 * load and its compare-and-swap must fail in the child, and take
		 * the time anew.
		 */
		origin->reserve = ltt_reserved(buf) + ltt_size(buf);
		memcpy(origin->user, buf->control->user, sizeof(origin->user));
	}
	spin_unlock(&buf->lock);
}

static void ltt_open_sub_buffer(struct ltt_buffer *buf, u64 start, u64 n)
{
	/*
	 * Memory images see one that is closed as soon as another one starts, and
	 * take its events for later than the begin that they see.
	 */
	smp_wmb();
	WRITE_ONCE(buf->open.start, start);
	smp_wmb(); /* the same */
	buf->open.end = (n + 1) * buf->trace->subbuf_size;
	buf->open.begin = ltt_clock_now(buf->trace->page->clock);
	buf->full = false;
	buf->deadline = 0;
	WRITE_ONCE(buf->control->reserve, start);
	WRITE_ONCE(buf->control->limit, buf->open.end);
	WRITE_ONCE(buf->control->full, 0);
}

/*
 * Is calling ltt_switch() again a waste, as long as nobody reads? In overwrite
 * mode an event in flight is in the way, which may end at any time.
 */
static bool ltt_switch_is_vain(const struct ltt_buffer *buf)
{
	return buf->trace->mode == LTT_MODE_DISCARD || buf->gave_up;
}

/* No sub-buffer is open: every reservation fails until ltt_switch() finds one. */
static void ltt_no_sub_buffer(struct ltt_buffer *buf)
{
	buf->full = true;
	smp_wmb(); /* as in ltt_open_sub_buffer() */
	WRITE_ONCE(buf->open.start, buf->open.end);
	WRITE_ONCE(buf->control->reserve, buf->open.end);
	WRITE_ONCE(buf->control->limit, buf->open.end);
	WRITE_ONCE(buf->control->full, ltt_switch_is_vain(buf));
}

/* Positions of a fresh buffer; a forked child goes on from its parent's. */
void ltt_buffer_begin(struct ltt_buffer *buf, struct ltt_store *store)
{
	struct ltt_control *control = buf->control;
	u64 start = buf->fork.reserve;
	u64 n = ltt_sub_buffer(buf, start);

	buf->taken = start;
	buf->commit = start;
	memcpy(control->user, buf->fork.user, sizeof(control->user));
	control->mask = ltt_size(buf) - 1;
	/*
	 * An event that was in flight in the parent ends in the child too, but
	 * lies before the start of this stream. Nobody waits for it: writer is 0.
	 */
	control->commit = start;
	if (!store) {
		buf->open.end = start;
		ltt_no_sub_buffer(buf);
		WRITE_ONCE(control->full, 1);
		return;
	}
	buf->store = store;
	kref_get(&store->kref);
	buf->mapped = store;
	store->relay->subbufs_produced = n;
	store->relay->subbufs_consumed = n;
	store->relay->data = store->relay->start +
			     (n & (buf->trace->n_subbufs - 1)) *
			     buf->trace->subbuf_size;
	ltt_open_sub_buffer(buf, start, n);
	ltt_dump_show_store(buf);
}

static void ltt_consume_sub_buffer(struct ltt_buffer *buf)
{
	relay_subbufs_consumed(buf->store->rchan, 0, 1);
	if (!buf->full || buf->retired)
		return;
	/* There is room: the thread's next marker calls ltt_switch(). */
	buf->gave_up = false;
	WRITE_ONCE(buf->control->full, 0);
	if (wq_has_sleeper(&buf->trace->room))
		wake_up_interruptible(&buf->trace->room);
}

static void ltt_take(struct ltt_buffer *buf, const struct ltt_range *range)
{
	buf->taken = max(buf->taken, range->end);
	buf->events_taken = range->events;
}

/*
 * Makes room for one more sub-buffer than fits. Handlers on top of a marker may
 * have gone all the way round: an event in flight must find its place as it was,
 * so the newer ones are lost.
 */
static void ltt_overwrite(struct ltt_buffer *buf)
{
	struct rchan_buf *relay = buf->store->relay;
	const struct ltt_range *oldest = ltt_closed(buf, relay->subbufs_consumed);

	if (relay->subbufs_produced - relay->subbufs_consumed <
	    buf->trace->n_subbufs - !buf->full || oldest->end > ltt_committed(buf))
		return;
	buf->packet.overwritten += oldest->events - buf->events_taken;
	ltt_take(buf, oldest);
	ltt_consume_sub_buffer(buf);
}

/**
 * ltt_buffer_switch() - close the open sub-buffer and open the next
 * @buf: any buffer
 *
 * An empty sub-buffer stays open. If all are unread, none is open afterwards; in
 * overwrite mode the oldest is dropped instead.
 *
 * Return: 0; -ENOENT if the buffer is sealed; -EAGAIN if an event in flight lies
 * in the sub-buffer that would be overwritten.
 */
int ltt_buffer_switch(struct ltt_buffer *buf)
{
	struct ltt_range *range;
	struct rchan_buf *relay;
	bool closed;
	int ret = 0;
	u64 end, n;

	spin_lock(&buf->lock);
	closed = !buf->full;
	if (!buf->store || buf->retired) {
		bool gone = buf->retired || READ_ONCE(buf->trace->dead);

		spin_unlock(&buf->lock);
		return gone ? -ENOENT : 0;
	}
	relay = buf->store->relay;
	n = relay->subbufs_produced;
	if (closed) {
		end = ltt_reserved(buf);
		if (end == buf->open.start) {
			spin_unlock(&buf->lock);
			return 0;
		}
		range = ltt_closed(buf, n);
		*range = buf->open;
		range->end = end;
		range->events = READ_ONCE(buf->control->events);
		relay->offset = end - n * buf->trace->subbuf_size;
	}
	if (buf->trace->mode == LTT_MODE_OVERWRITE)
		ltt_overwrite(buf);
	relay_switch_subbuf(relay, 0);
	n = relay->subbufs_produced;
	if (relay->offset > buf->trace->subbuf_size) {
		ltt_no_sub_buffer(buf);
		if (buf->trace->mode == LTT_MODE_OVERWRITE)
			ret = -EAGAIN;
	} else {
		ltt_open_sub_buffer(buf, n * buf->trace->subbuf_size, n);
	}
	spin_unlock(&buf->lock);

	/* Else a reader has nothing more to find than before. */
	if (closed)
		ltt_buffer_ready(buf);
	return ret;
}

static struct ltt_range ltt_open_range(const struct ltt_buffer *buf)
{
	struct ltt_range range = buf->open;

	/* After commit was: none of those that are committed is missing. */
	range.events = buf->retired ? buf->packet.events :
				      READ_ONCE(buf->control->events);
	return range;
}

/*
 * The first committed bytes of the store from @from on. The open sub-buffer's
 * count too with @open.
 */
static bool ltt_store_find(struct ltt_buffer *buf, u64 from, bool open,
			   struct ltt_range *range)
{
	struct rchan_buf *relay = buf->store->relay;
	u64 commit = ltt_committed(buf);
	size_t i;

	for (i = relay->subbufs_consumed; i <= relay->subbufs_produced; i++) {
		if (i != relay->subbufs_produced)
			*range = *ltt_closed(buf, i);
		else if (open && !buf->full)
			*range = ltt_open_range(buf);
		else
			return false;
		range->start = max(range->start, from);
		range->end = min(range->end, commit);
		if (range->start < range->end)
			return true;
		/* An event is in flight in it: what comes later waits for that. */
		if (range->start < ltt_closed(buf, i)->end)
			return false;
	}
	return false;
}

static bool ltt_left_find(const struct ltt_left *left, u64 from,
			  struct ltt_range *range, const u8 **data)
{
	size_t offset = left->offset;
	unsigned int i;

	for (i = left->next; i < left->n; i++) {
		*range = left->ranges[i];
		if (from < range->end) {
			if (from > range->start) {
				offset += from - range->start;
				range->start = from;
			}
			*data = left->data + offset;
			return true;
		}
		offset += range->end - range->start;
	}
	return false;
}

/**
 * ltt_buffer_find() - committed bytes of one sub-buffer, consumed or not
 * @buf: its lock is held
 * @from: the first position of interest
 * @open: in the open sub-buffer as well
 * @range: where they are
 * @data: they themselves; valid while the reader holds @buf and its store. The
 *	writer may overwrite them: then @buf->taken has changed
 *
 * Return: false if there is nothing now.
 */
bool ltt_buffer_find(struct ltt_buffer *buf, u64 from, bool open,
		     struct ltt_range *range, const u8 **data)
{
	lockdep_assert_held(&buf->lock);
	if (ltt_is_cpu(buf))
		return ltt_cpu_find(buf, from, open, range, data);
	if (!buf->store)
		return buf->left && ltt_left_find(buf->left, from, range, data);
	if (!ltt_store_find(buf, from, open, range))
		return false;
	*data = buf->store->relay->start +
		(range->start & (buf->store->size - 1));
	return true;
}

/* What a reader that consumes gets next; see ltt_buffer_find(). */
bool ltt_buffer_next(struct ltt_buffer *buf, struct ltt_range *range,
		     const u8 **data)
{
	struct rchan_buf *relay = buf->store ? buf->store->relay : NULL;

	if (ltt_is_cpu(buf))
		return ltt_cpu_next(buf, range, data);
	/* Those that were read to their ends while they were open. */
	while (relay && relay->subbufs_consumed != relay->subbufs_produced &&
	       ltt_closed(buf, relay->subbufs_consumed)->end <= buf->taken)
		ltt_consume_sub_buffer(buf);
	return ltt_buffer_find(buf, buf->taken,
			       ltt_wants_flush(buf) || buf->retired, range, data);
}

/* Did ltt_buffer_next() find part of the open sub-buffer? */
bool ltt_buffer_is_open(const struct ltt_buffer *buf)
{
	if (ltt_is_cpu(buf))
		return ltt_cpu_is_open(buf);
	return buf->store && buf->store->relay->subbufs_consumed ==
			     buf->store->relay->subbufs_produced;
}

/* Is what ltt_buffer_next() found the end of the stream, for sure? */
bool ltt_buffer_is_last(const struct ltt_buffer *buf)
{
	if (ltt_is_cpu(buf))
		return ltt_cpu_is_last(buf);
	return buf->left && buf->left->next + 1 == buf->left->n;
}

static void ltt_left_consume(struct ltt_left *left, u64 end)
{
	while (left->next < left->n) {
		struct ltt_range *range = &left->ranges[left->next];

		if (end < range->end) {
			if (end > range->start) {
				left->offset += end - range->start;
				range->start = end;
			}
			return;
		}
		left->offset += range->end - range->start;
		left->next++;
	}
}

/* The reader has @range, and everything before it. */
void ltt_buffer_consume(struct ltt_buffer *buf, const struct ltt_range *range)
{
	struct rchan_buf *relay;

	lockdep_assert_held(&buf->lock);
	if (ltt_is_cpu(buf)) {
		ltt_cpu_consume(buf, range);
		return;
	}
	ltt_take(buf, range);
	if (!buf->store) {
		if (buf->left)
			ltt_left_consume(buf->left, range->end);
		return;
	}
	relay = buf->store->relay;
	if (relay->subbufs_consumed == relay->subbufs_produced)
		return;
	if (ltt_closed(buf, relay->subbufs_consumed)->end > range->end)
		return;
	ltt_consume_sub_buffer(buf);
}

#ifdef CONFIG_LTT_KUNIT_TEST
#include "position_kunit.c"
#endif

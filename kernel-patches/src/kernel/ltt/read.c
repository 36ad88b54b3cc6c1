// SPDX-License-Identifier: GPL-2.0
/* What read() of a trace's descriptor yields, and consumes: whole packets. */

#include <linux/sched/signal.h>

#include "internal.h"

/**
 * struct ltt_found - what a reader found in a buffer
 * @packet: its header
 * @range: where it lies
 * @data: itself
 * @store: holds @data; a reference, or NULL
 * @taken: ltt_buffer.taken at that time
 * @flush: wishes to be read that it fulfils
 * @have: there is data
 * @open: it is of the open sub-buffer
 * @last: nothing comes after it
 */
struct ltt_found {
	struct ltt_packet	packet;
	struct ltt_range	range;
	const u8		*data;
	struct ltt_store	*store;
	u64			taken;
	unsigned int		flush;
	bool			have;
	bool			open;
	bool			last;
};

/* A flush tells of losses even when there is nothing else to read. */
static bool ltt_has_losses_to_tell(struct ltt_buffer *buf)
{
	return ltt_wants_flush(buf) && !buf->retired &&
	       buf->packet.lost + buf->packet.too_big != buf->lost_sent;
}

static bool ltt_find(struct ltt_buffer *buf, struct ltt_found *found)
{
	bool tell;

	spin_lock(&buf->lock);
	/* Those that come from now on want more than is found here. */
	found->flush = READ_ONCE(buf->flush);
	found->have = ltt_buffer_next(buf, &found->range, &found->data);
	ltt_buffer_update_packet(buf);
	found->last = buf->retired && !buf->last_sent &&
		      (!found->have || ltt_buffer_is_last(buf));
	tell = found->have || found->last || ltt_has_losses_to_tell(buf);
	if (tell) {
		found->open = found->have && ltt_buffer_is_open(buf);
		found->taken = buf->taken;
		ltt_fill_packet(buf, found->have ? &found->range : NULL,
				&found->packet);
		if (found->last)
			found->packet.flags |= LTT_PACKET_LAST;
		found->store = buf->store;
		if (found->store)
			kref_get(&found->store->kref);
	} else {
		buf->flushed = found->flush;
	}
	spin_unlock(&buf->lock);
	return tell;
}

/* It was copied. False if it was overwritten meanwhile: to be found anew. */
static bool ltt_consume(struct ltt_buffer *buf, const struct ltt_found *found)
{
	bool valid;

	spin_lock(&buf->lock);
	valid = buf->taken == found->taken &&
		!(found->have && ltt_is_cpu(buf) &&
		  ltt_cpu_lapped(buf, found->range.start));
	if (valid) {
		buf->packet.sequence++;
		buf->lost_sent = found->packet.lost + found->packet.too_big;
		buf->last_sent = found->last;
		if (found->have)
			ltt_buffer_consume(buf, &found->range);
		if (found->last)
			buf->events_taken = found->packet.events;
		if (found->open)
			buf->flushed = found->flush;
	}
	spin_unlock(&buf->lock);
	return valid;
}

/*
 * The next packet of @buf. @more is set if there may be another. The reader alone
 * consumes (read_mutex), so what it found stays where it is, but for a writer
 * that overwrites.
 */
static int ltt_read_events(struct ltt_buffer *buf, struct ltt_out *out,
			   bool *more)
{
	struct ltt_found found = {};
	size_t done = out->done;
	int ret;

	if (!ltt_find(buf, &found))
		return 0;
	ret = ltt_put_packet(out, &found.packet, found.data);
	if (!ret) {
		if (!ltt_consume(buf, &found)) {
			out->done = done;
			*more = true;
		} else if (found.last) {
			ltt_buffer_drop(buf);
		} else {
			*more = true;
		}
	}
	if (found.store)
		ltt_store_put(found.store);
	return ret;
}

/* The first buffer that has something, off the list, with a reference. */
static struct ltt_buffer *ltt_pop_ready(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;

	ltt_kernel_collect(trace);
	spin_lock(&trace->lock);
	buf = list_first_entry_or_null(&trace->ready, struct ltt_buffer,
				       ready_node);
	if (buf) {
		ltt_buffer_get(buf);
		list_del_init(&buf->ready_node);
	}
	spin_unlock(&trace->lock);
	return buf;
}

/* As many packets as fit. 0: there was nothing. */
static ssize_t ltt_read_ready(struct ltt_reader *reader, char __user *to,
			      size_t size)
{
	struct ltt_out out = { .to = to, .size = size };
	struct ltt_buffer *buf;
	int ret = 0;

	if (mutex_lock_interruptible(&reader->trace->read_mutex))
		return -ERESTARTSYS;
	while (!ret && (buf = ltt_pop_ready(reader->trace))) {
		bool more = false;

		ret = ltt_put_definitions(reader, buf->process, &out);
		if (!ret)
			ret = ltt_read_events(buf, &out, &more);
		if (ret || more)
			ltt_buffer_ready(buf);
		ltt_buffer_put(buf);
		/* A thread that keeps switching must not keep us here. */
		if (!ret && signal_pending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	mutex_unlock(&reader->trace->read_mutex);
	return out.done ?: ret;
}

/* Is there a buffer that a reader should look at? */
bool ltt_has_ready(const struct ltt_trace *trace)
{
	return !list_empty_careful(&trace->ready) || READ_ONCE(trace->cpus_ready);
}

/**
 * ltt_read() - read() of a trace
 * @reader: its descriptor
 * @to: memory of the reader
 * @size: bytes there
 * @nonblock: do not wait
 *
 * Return: bytes of whole packets; 0 once the trace is destroyed and all is
 * read; -EAGAIN, -EINVAL (not even one packet fits), -EFAULT, -ERESTARTSYS,
 * -ENOMEM. What was not returned is not consumed.
 */
ssize_t ltt_read(struct ltt_reader *reader, char __user *to, size_t size,
		 bool nonblock)
{
	struct ltt_trace *trace = reader->trace;
	ssize_t ret;

	for (;;) {
		bool sealed = READ_ONCE(trace->sealed);

		ret = ltt_read_ready(reader, to, size);
		if (ret)
			return ret;
		if (sealed && !ltt_has_ready(trace))
			return 0;
		if (nonblock)
			return -EAGAIN;
		ret = wait_event_interruptible(trace->wait,
					       ltt_has_ready(trace) ||
					       READ_ONCE(trace->sealed));
		if (ret)
			return ret;
	}
}

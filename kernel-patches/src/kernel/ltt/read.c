// SPDX-License-Identifier: GPL-2.0
/* What read() of a trace's descriptor yields: whole packets. */

#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Not an errno: nothing more fits into the reader's memory. */
#define LTT_NO_ROOM	1

/* One packet; only counted in @done once all of it is there. */
static int ltt_copy(char __user *to, size_t size, size_t *done,
		    const struct ltt_packet *packet, const void *data)
{
	if (size - *done < sizeof(*packet) + packet->size)
		return LTT_NO_ROOM;
	to += *done;
	if (copy_to_user(to, packet, sizeof(*packet)) ||
	    copy_to_user(to + sizeof(*packet), data, packet->size))
		return -EFAULT;
	*done += sizeof(*packet) + packet->size;
	return 0;
}

/* The definitions of @process that this descriptor has not had. */
static int ltt_read_definitions(struct ltt_reader *reader,
				struct ltt_process *process, char __user *to,
				size_t size, size_t *done)
{
	void *entry = xa_load(&reader->definitions, process->id);
	unsigned long i = entry ? xa_to_value(entry) : 0;
	/* Pairs with the store in ltt_process_register(). */
	unsigned long n = smp_load_acquire(&process->n_definitions);
	struct ltt_packet packet = {
		.magic		= LTT_PACKET_MAGIC,
		.type		= LTT_PACKET_DEFINITIONS,
		.trace		= reader->trace->slot,
		.header_size	= sizeof(packet),
		.process	= process->id,
	};
	int ret;

	for (; i < n; i++) {
		packet.size = process->definitions[i]->size;
		ret = ltt_copy(to, size, done, &packet,
			       process->definitions[i]->data);
		if (ret)
			return ret;
		ret = xa_err(xa_store(&reader->definitions, process->id,
				      xa_mk_value(i + 1), GFP_KERNEL_ACCOUNT));
		if (ret)
			return ret;
	}
	return 0;
}

/* A flush tells of losses even when there is nothing else to read. */
static bool ltt_has_losses_to_tell(struct ltt_buffer *buf)
{
	return ltt_wants_flush(buf) && !buf->retired &&
	       buf->packet.lost + buf->packet.too_big != buf->lost_sent;
}

/*
 * The next packet of @buf. @more is set if it was copied. The reader alone
 * consumes (read_mutex), so what it found stays where it is.
 */
static int ltt_read_events(struct ltt_buffer *buf, char __user *to, size_t size,
			   size_t *done, bool *more)
{
	struct ltt_packet packet;
	struct ltt_store *store;
	struct ltt_range range;
	const u8 *data = NULL;
	bool have, last, open;
	unsigned int flush;
	int ret;

	spin_lock(&buf->lock);
	/* Those that come from now on want more than is found here. */
	flush = READ_ONCE(buf->flush);
	ltt_buffer_update_packet(buf);
	have = ltt_buffer_next(buf, &range, &data);
	last = buf->retired && !buf->last_sent &&
	       (!have || ltt_buffer_is_last(buf));
	if (!have && !last && !ltt_has_losses_to_tell(buf)) {
		buf->flushed = flush;
		spin_unlock(&buf->lock);
		return 0;
	}
	open = have && ltt_buffer_is_open(buf);
	packet = buf->packet;
	packet.end = buf->retired ? buf->end :
		     ltt_clock_now(buf->trace->page->clock);
	packet.position = buf->taken;
	packet.begin = packet.end;
	if (have) {
		packet.size = range.end - range.start;
		packet.position = range.start;
		packet.begin = range.begin;
	}
	if (last)
		packet.flags |= LTT_PACKET_LAST;
	store = buf->store;
	if (store)
		kref_get(&store->kref);
	spin_unlock(&buf->lock);

	ret = ltt_copy(to, size, done, &packet, data);
	if (!ret) {
		spin_lock(&buf->lock);
		buf->packet.sequence++;
		buf->lost_sent = packet.lost + packet.too_big;
		buf->last_sent = last;
		if (have)
			ltt_buffer_consume(buf, range.end);
		if (open)
			buf->flushed = flush;
		spin_unlock(&buf->lock);
		*more = !last;
		if (last)
			ltt_buffer_drop(buf);
	}
	if (store)
		ltt_store_put(store);
	return ret;
}

/* The first buffer that has something, off the list, with a reference. */
static struct ltt_buffer *ltt_pop_ready(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;

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
	struct ltt_buffer *buf;
	size_t done = 0;
	int ret = 0;

	if (mutex_lock_interruptible(&reader->trace->read_mutex))
		return -ERESTARTSYS;
	while (!ret && (buf = ltt_pop_ready(reader->trace))) {
		bool more = false;

		ret = ltt_read_definitions(reader, buf->process, to, size,
					   &done);
		if (!ret)
			ret = ltt_read_events(buf, to, size, &done, &more);
		if (ret || more)
			ltt_buffer_ready(buf);
		ltt_buffer_put(buf);
		/* A thread that keeps switching must not keep us here. */
		if (!ret && signal_pending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	mutex_unlock(&reader->trace->read_mutex);
	if (done)
		return done;
	return ret == LTT_NO_ROOM ? -EINVAL : ret;
}

static bool ltt_has_ready(struct ltt_trace *trace)
{
	return !list_empty_careful(&trace->ready);
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

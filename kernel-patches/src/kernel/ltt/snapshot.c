// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: what a trace holds now, from the oldest to the newest, without
 * taking it away. All streams that there are at the beginning, in the order of
 * their numbers; of each, what is committed when its turn comes.
 */

#include <linux/sched/signal.h>

#include "internal.h"

/* The reader's stream, or the next that exists still, with a reference. */
static struct ltt_buffer *ltt_snapshot_buffer(struct ltt_reader *reader)
{
	struct ltt_trace *trace = reader->trace;
	struct ltt_buffer *buf, *found = NULL;

	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node) {
		if (buf->stream < reader->stream || buf->stream > reader->last)
			continue;
		if (!found || buf->stream < found->stream)
			found = buf;
		if (found->stream == reader->stream)
			break;
	}
	if (found)
		ltt_buffer_get(found);
	spin_unlock(&trace->lock);
	return found;
}

static void ltt_snapshot_go_to(struct ltt_reader *reader, u64 stream)
{
	reader->stream = stream;
	reader->position = 0;
	reader->sequence = 0;
}

void ltt_snapshot_begin(struct ltt_reader *reader)
{
	struct ltt_trace *trace = reader->trace;
	struct ltt_buffer *buf;

	reader->snapshot = true;
	ltt_snapshot_go_to(reader, 0);
	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node)
		reader->last = max(reader->last, buf->stream);
	spin_unlock(&trace->lock);
}

/* The lock of @buf is held. */
static bool ltt_snapshot_find(struct ltt_reader *reader, struct ltt_buffer *buf,
			      struct ltt_range *range, const u8 **data)
{
	u64 from = max(buf->taken, reader->position);

	if (!ltt_buffer_find(buf, from, true, range, data))
		return false;
	/*
	 * A busy thread must not keep us with what it goes on to write. But while
	 * nothing was given out, all that we saw may have been overwritten.
	 */
	if (!reader->sequence)
		reader->end = buf->commit;
	range->end = min(range->end, reader->end);
	return range->start < range->end;
}

/* One packet from the reader's position on. @more is set if there was one. */
static int ltt_snapshot_packet(struct ltt_reader *reader,
			       struct ltt_buffer *buf, struct ltt_out *out,
			       bool *more)
{
	size_t done = out->done;
	struct ltt_packet packet;
	struct ltt_store *store;
	struct ltt_range range;
	const u8 *data = NULL;
	u64 lost;
	int ret;

	spin_lock(&buf->lock);
	*more = ltt_snapshot_find(reader, buf, &range, &data);
	ltt_buffer_update_packet(buf);
	/* A stream of which all is lost tells of that. */
	lost = buf->packet.lost | buf->packet.too_big | buf->packet.overwritten;
	if (!*more && (reader->sequence || !lost)) {
		spin_unlock(&buf->lock);
		return 0;
	}
	ltt_fill_packet(buf, *more ? &range : NULL, &packet);
	packet.sequence = reader->sequence;
	store = buf->store;
	if (store)
		kref_get(&store->kref);
	spin_unlock(&buf->lock);

	ret = ltt_put_packet(out, &packet, data);
	if (!ret && *more) {
		spin_lock(&buf->lock);
		if (buf->taken <= packet.position &&
		    !(ltt_is_cpu(buf) && ltt_cpu_lapped(buf, packet.position))) {
			reader->position = range.end;
		} else {
			/* Overwritten while it was copied, perhaps all of it. */
			out->done = done;
		}
		spin_unlock(&buf->lock);
	}
	if (!ret && out->done != done)
		reader->sequence++;
	if (store)
		ltt_store_put(store);
	return ret;
}

/**
 * ltt_snapshot_read() - read() of a snapshot
 * @reader: its descriptor
 * @to: memory of the reader
 * @size: bytes there
 *
 * Never waits for events.
 *
 * Return: bytes of whole packets, 0 at the end; -EINVAL (not even one packet
 * fits), -EFAULT, -ERESTARTSYS, -ENOMEM.
 */
ssize_t ltt_snapshot_read(struct ltt_reader *reader, char __user *to,
			  size_t size)
{
	struct ltt_out out = { .to = to, .size = size };
	struct ltt_buffer *buf;
	int ret = 0;

	if (mutex_lock_interruptible(&reader->trace->read_mutex))
		return -ERESTARTSYS;
	while (!ret && (buf = ltt_snapshot_buffer(reader))) {
		bool more = true;

		if (buf->stream != reader->stream)
			ltt_snapshot_go_to(reader, buf->stream);
		ret = ltt_put_definitions(reader, buf->process, &out);
		if (!ret)
			ret = ltt_snapshot_packet(reader, buf, &out, &more);
		if (!ret && !more)
			ltt_snapshot_go_to(reader, buf->stream + 1);
		ltt_buffer_put(buf);
		if (!ret && signal_pending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	mutex_unlock(&reader->trace->read_mutex);
	return out.done ?: ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a buffer: its thread died, called exec, or the trace is destroyed,
 * perhaps with the thread in the middle of an event. What is committed is moved
 * to memory of its right size, and the buffer's own memory is given back.
 */

#include <linux/mm.h>
#include <linux/relay.h>
#include <linux/slab.h>

#include "internal.h"

static void *ltt_left_memory(const struct ltt_trace *trace, size_t size,
			     gfp_t flags)
{
	if (ltt_persists(trace))
		return ltt_alloc(size, true);
	return kvmalloc(size, GFP_KERNEL_ACCOUNT | flags);
}

/*
 * Room for the ranges of @buf: all closed sub-buffers and the open one. A
 * reader may take some meanwhile, nobody adds any.
 */
static struct ltt_left *ltt_left_alloc(struct ltt_buffer *buf,
				       struct ltt_store *store)
{
	struct ltt_left *left;
	size_t n;

	spin_lock(&buf->lock);
	n = store->relay->subbufs_produced -
	    store->relay->subbufs_consumed + 1;
	spin_unlock(&buf->lock);
	left = ltt_left_memory(buf->trace, struct_size(left, ranges, n),
			       __GFP_ZERO);
	return left;
}

/* All ranges that are committed and unread, in order. Returns their bytes. */
static size_t ltt_left_list(struct ltt_buffer *buf, struct ltt_left *left)
{
	size_t mask = buf->trace->n_subbufs - 1, bytes = 0, i;
	struct rchan_buf *relay;

	/* A reader was faster: nothing is left. */
	if (!buf->store)
		return 0;
	relay = buf->store->relay;
	for (i = relay->subbufs_consumed; i <= relay->subbufs_produced; i++) {
		struct ltt_range *range = &left->ranges[left->n];

		if (i != relay->subbufs_produced) {
			*range = buf->closed[i & mask];
		} else {
			if (buf->full)
				break;
			*range = buf->open;
			range->events = buf->packet.events;
		}
		range->start = max(range->start, buf->taken);
		range->end = min(range->end, buf->commit);
		if (range->start >= range->end)
			continue;
		left->n++;
		bytes += range->end - range->start;
	}
	return bytes;
}

static void ltt_left_copy(struct ltt_left *left, struct ltt_store *store)
{
	size_t offset = 0, n;
	unsigned int i;

	for (i = 0; i < left->n; i++) {
		n = left->ranges[i].end - left->ranges[i].start;
		memcpy(left->data + offset, store->relay->start +
		       (left->ranges[i].start & (store->size - 1)), n);
		offset += n;
	}
}

/*
 * From now on the kernel's positions stand still, whatever the control page
 * says. Returns false if there is no more to do.
 */
static bool ltt_seal(struct ltt_buffer *buf)
{
	struct ltt_control *control = buf->control;
	u64 commit, reserve;

	lockdep_assert_held(&buf->lock);
	if (buf->retired)
		return false;
	if (ltt_is_cpu(buf)) {
		ltt_cpu_seal(buf);
		return true;
	}
	if (!control) {
		/* Never touched, as in most forked children: nobody knows it. */
		buf->retired = true;
		buf->owner = NULL;
		return false;
	}
	/* Pairs with the marker's store of commit. */
	commit = smp_load_acquire(&control->commit);
	ltt_buffer_update_packet(buf);
	reserve = READ_ONCE(control->reserve);
	if (READ_ONCE(control->writer) && commit != reserve)
		buf->packet.flags |= LTT_PACKET_TORN;
	commit = clamp(commit, buf->commit,
		       max(buf->commit, min(reserve, buf->open.end)));
	if (buf->store)
		buf->commit = commit;
	/* A writer that lives on finds no room and no sub-buffer. */
	WRITE_ONCE(control->limit, 0);
	WRITE_ONCE(control->full, 1);
	buf->retired = true;
	buf->owner = NULL;
	buf->end = ltt_clock_now(buf->trace->page->clock);
	return true;
}

/*
 * Moves what is left out of the store. Without memory it stays there. A reader
 * may have read and dropped all of it meanwhile.
 */
static void ltt_move(struct ltt_buffer *buf, struct ltt_store *store)
{
	struct ltt_left *left = ltt_left_alloc(buf, store);
	struct ltt_range taken = {};
	bool wanted;
	size_t bytes;

	if (!left)
		return;
	spin_lock(&buf->lock);
	bytes = ltt_left_list(buf, left);
	spin_unlock(&buf->lock);
	if (bytes) {
		left->data = ltt_left_memory(buf->trace, bytes, 0);
		left->size = bytes;
		if (!left->data ||
		    ltt_dump_area_set(&left->dump, left->data, bytes) ||
		    ltt_dump_area_set(&left->dump_ranges, left->ranges,
				      left->n * sizeof(*left->ranges))) {
			ltt_left_free(left);
			return;
		}
		/* Sealed: a reader may consume meanwhile, nobody writes. */
		ltt_left_copy(left, store);
	}
	spin_lock(&buf->lock);
	wanted = buf->store;
	if (wanted) {
		ltt_quota_force(buf->trace, bytes);
		ltt_dump_show_left(buf, left);
		swap(buf->left, left);
		buf->store = NULL;
		taken.end = buf->taken;
		taken.events = buf->events_taken;
		ltt_buffer_consume(buf, &taken);
	}
	spin_unlock(&buf->lock);

	if (wanted)
		ltt_store_put(store);
	ltt_left_free(left);
}

void ltt_left_free(struct ltt_left *left)
{
	if (!left)
		return;
	ltt_dump_area_free(&left->dump_ranges);
	ltt_dump_area_free(&left->dump);
	ltt_free(left->data);
	ltt_free(left);
}

/**
 * ltt_buffer_strip() - free what only the living need
 * @buf: retired, and its thread will not touch it any more
 *
 * Thousands of dead threads may wait for a reader: they cost what they left.
 */
void ltt_buffer_strip(struct ltt_buffer *buf)
{
	struct ltt_range *closed = NULL;
	struct ltt_control *control;

	spin_lock(&buf->lock);
	control = buf->control;
	buf->control = NULL;
	WRITE_ONCE(buf->dump.control, 0);
	if (!buf->store)
		swap(closed, buf->closed);
	spin_unlock(&buf->lock);
	ltt_free_page(control);
	ltt_free(closed);
}

/* Would a reader learn anything of @buf that it does not know? */
static bool ltt_nothing_to_tell(struct ltt_buffer *buf)
{
	const struct ltt_packet *packet = &buf->packet;
	struct ltt_range range;
	const u8 *data;

	return !packet->sequence && !packet->events && !packet->lost &&
	       !packet->too_big && !packet->flags &&
	       !(buf->store && ltt_buffer_next(buf, &range, &data));
}

/**
 * ltt_buffer_retire() - seal a buffer for good
 * @buf: of a thread that ends, or of a destroyed trace
 * @zap: take the pages from a program that goes on; else its mapping goes
 *
 * Sleeps, but waits for nobody: neither for a writer nor for a reader.
 */
void ltt_buffer_retire(struct ltt_buffer *buf, bool zap)
{
	struct ltt_store *store;
	bool nothing;

	spin_lock(&buf->lock);
	if (!ltt_seal(buf)) {
		spin_unlock(&buf->lock);
		return;
	}
	store = buf->store;
	if (store)
		kref_get(&store->kref);
	nothing = ltt_nothing_to_tell(buf);
	/* At once: whoever destroys the trace must find it in the list. */
	if (!nothing)
		ltt_buffer_ready(buf);
	spin_unlock(&buf->lock);

	if (nothing)
		ltt_buffer_drop(buf);
	if (!store)
		return;
	/* Processors are few: what they left stays where it is. */
	if (!nothing && !ltt_is_cpu(buf))
		ltt_move(buf, store);
	if (zap && !ltt_is_cpu(buf))
		ltt_mapping_zap(buf);
	ltt_store_put(store);
}

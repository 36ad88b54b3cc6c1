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

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/relay.h>
#include <linux/slab.h>

#include "internal.h"

static atomic64_t ltt_streams;

/* @process may be NULL: that of the thread that touches the buffer first. */
struct ltt_buffer *ltt_buffer_alloc(struct ltt_trace *trace,
				    struct ltt_process *process)
{
	struct ltt_buffer *buf = kzalloc(sizeof(*buf), GFP_KERNEL_ACCOUNT);

	if (!buf)
		return NULL;
	kref_init(&buf->kref);
	kref_get(&trace->kref);
	buf->trace = trace;
	if (process) {
		kref_get(&process->kref);
		buf->process = process;
	}
	INIT_LIST_HEAD(&buf->task_node);
	INIT_LIST_HEAD(&buf->trace_node);
	INIT_LIST_HEAD(&buf->ready_node);
	spin_lock_init(&buf->lock);
	return buf;
}

/* Its data, not what a thread that lives on may still touch. */
static void ltt_buffer_release(struct ltt_buffer *buf)
{
	struct ltt_store *store = NULL;
	struct ltt_left *left = NULL;

	spin_lock(&buf->lock);
	swap(buf->store, store);
	swap(buf->left, left);
	spin_unlock(&buf->lock);
	if (store)
		ltt_store_put(store);
	if (left)
		atomic64_sub(left->size, &buf->trace->memory);
	ltt_left_free(left);
}

static void ltt_buffer_free(struct kref *kref)
{
	struct ltt_buffer *buf = container_of(kref, struct ltt_buffer, kref);

	ltt_buffer_release(buf);
	free_page((unsigned long)buf->control);
	if (buf->sink)
		__free_page(buf->sink);
	kvfree(buf->closed);
	if (buf->process)
		ltt_process_put(buf->process);
	ltt_trace_put(buf->trace);
	kfree(buf);
}

void ltt_buffer_get(struct ltt_buffer *buf)
{
	kref_get(&buf->kref);
}

/* Not under a spin lock. */
void ltt_buffer_put(struct ltt_buffer *buf)
{
	kref_put(&buf->kref, ltt_buffer_free);
}

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
void ltt_buffer_snapshot(struct ltt_buffer *buf, struct ltt_control *state)
{
	spin_lock(&buf->lock);
	if (!buf->control) {
		*state = buf->fork;
	} else {
		memset(state, 0, sizeof(*state));
		/*
		 * A lap further: a reservation that was interrupted between its
		 * load and its compare-and-swap must fail in the child, and take
		 * the time anew.
		 */
		state->reserve = ltt_reserved(buf) + ltt_size(buf);
		memcpy(state->user, buf->control->user, sizeof(state->user));
	}
	spin_unlock(&buf->lock);
}

static void ltt_open_sub_buffer(struct ltt_buffer *buf, u64 start, u64 n)
{
	buf->open.start = start;
	buf->open.end = (n + 1) * buf->trace->subbuf_size;
	buf->open.begin = ltt_clock_now(buf->trace->page->clock);
	buf->full = false;
	WRITE_ONCE(buf->control->reserve, start);
	WRITE_ONCE(buf->control->limit, buf->open.end);
	WRITE_ONCE(buf->control->full, 0);
}

/* No sub-buffer is open: every reservation fails until ltt_switch() finds one. */
static void ltt_no_sub_buffer(struct ltt_buffer *buf)
{
	buf->full = true;
	buf->open.start = buf->open.end;
	WRITE_ONCE(buf->control->reserve, buf->open.end);
	WRITE_ONCE(buf->control->limit, buf->open.end);
	WRITE_ONCE(buf->control->full, 1);
}

/* Positions of a fresh buffer; a forked child goes on from its parent's. */
static void ltt_buffer_begin(struct ltt_buffer *buf, struct ltt_store *store)
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
		return;
	}
	buf->store = store;
	store->relay->subbufs_produced = n;
	store->relay->subbufs_consumed = n;
	store->relay->data = store->relay->start +
			     (n & (buf->trace->n_subbufs - 1)) *
			     buf->trace->subbuf_size;
	ltt_open_sub_buffer(buf, start, n);
}

static void ltt_buffer_set_identity(struct ltt_buffer *buf)
{
	struct ltt_packet *packet = &buf->packet;
	struct task_struct *task = buf->owner->task;
	struct pid_namespace *ns = task_active_pid_ns(task);

	packet->magic = LTT_PACKET_MAGIC;
	packet->type = LTT_PACKET_EVENTS;
	packet->trace = buf->trace->slot;
	packet->header_size = sizeof(*packet);
	packet->stream = buf->stream;
	packet->process = buf->process->id;
	packet->pid = task_tgid_nr_ns(task, &init_pid_ns);
	packet->tid = task_pid_nr_ns(task, &init_pid_ns);
	packet->vpid = task_tgid_nr_ns(task, ns);
	packet->vtid = task_pid_nr_ns(task, ns);
}

/* Into the list of the trace, unless that is destroyed. */
static bool ltt_buffer_list(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;
	bool dead;

	spin_lock(&trace->lock);
	dead = trace->dead;
	if (!dead) {
		ltt_buffer_get(buf);
		list_add_tail(&buf->trace_node, &trace->buffers);
	}
	spin_unlock(&trace->lock);
	return !dead;
}

/**
 * ltt_buffer_populate() - give a buffer memory, at its first touch
 * @buf: mapped in current
 *
 * A refused allocation is counted; the program then loses its events, which
 * the control page counts. Without even that page, nothing changes.
 */
void ltt_buffer_populate(struct ltt_buffer *buf)
{
	struct ltt_control *control;
	struct ltt_range *closed;
	struct ltt_store *store;
	struct ltt_task *lt;

	/* A vfork child may be the first to touch its parent's buffer. */
	lt = buf->process ? NULL : ltt_task_get();
	if (IS_ERR(lt))
		return;
	control = (void *)get_zeroed_page(GFP_KERNEL);
	closed = kvcalloc(buf->trace->n_subbufs, sizeof(*closed),
			  GFP_KERNEL_ACCOUNT);
	if (!control || !closed)
		goto free;
	store = ltt_store_alloc(buf->trace);
	if (!store)
		atomic64_inc(&buf->trace->refused);

	spin_lock(&buf->lock);
	if (buf->control || buf->retired) {
		/* Another thread of the process touched it too. */
		spin_unlock(&buf->lock);
		if (store)
			ltt_store_put(store);
		goto free;
	}
	if (!buf->process) {
		/* A stub that fork() had no memory to hand over. */
		ltt_buffer_get(buf);
		buf->owner = lt;
		buf->thread = lt;
		list_add_tail(&buf->task_node, &lt->buffers);
		kref_get(&lt->process->kref);
		buf->process = lt->process;
	}
	buf->stream = atomic64_inc_return(&ltt_streams);
	buf->closed = closed;
	ltt_buffer_set_identity(buf);
	if (!ltt_buffer_list(buf) && store) {
		ltt_store_put(store);
		store = NULL;
	}
	/* Pairs with the load in ltt_vma_fault(). */
	buf->control = control;
	ltt_buffer_begin(buf, store);
	spin_unlock(&buf->lock);
	return;

free:
	free_page((unsigned long)control);
	kvfree(closed);
}

/* A reader shall look at @buf. */
void ltt_buffer_ready(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;

	spin_lock(&trace->lock);
	if (list_empty(&buf->ready_node) && !list_empty(&buf->trace_node))
		list_add_tail(&buf->ready_node, &trace->ready);
	spin_unlock(&trace->lock);
	if (wq_has_sleeper(&trace->wait))
		wake_up_interruptible(&trace->wait);
}

/* Out of the lists of the trace, retired: nothing of it is left to read. */
void ltt_buffer_drop(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;
	bool listed;

	spin_lock(&trace->lock);
	listed = !list_empty(&buf->trace_node);
	list_del_init(&buf->trace_node);
	list_del_init(&buf->ready_node);
	spin_unlock(&trace->lock);
	if (!listed)
		return;
	atomic64_add(buf->packet.lost + buf->packet.too_big, &trace->lost);
	ltt_buffer_release(buf);
	ltt_buffer_put(buf);
}

/* Who the thread is now and what it counted, into the next packet's header. */
void ltt_buffer_update_packet(struct ltt_buffer *buf)
{
	struct ltt_packet *packet = &buf->packet;
	const struct cred *cred;

	lockdep_assert_held(&buf->lock);
	if (buf->retired)
		return;
	packet->events = READ_ONCE(buf->control->events);
	packet->lost = READ_ONCE(buf->control->lost);
	packet->too_big = READ_ONCE(buf->control->too_big);
	if (!buf->owner)
		return;
	strscpy_pad(packet->comm, buf->owner->task->comm);
	rcu_read_lock();
	cred = __task_cred(buf->owner->task);
	packet->uid = from_kuid(&init_user_ns, cred->uid);
	packet->gid = from_kgid(&init_user_ns, cred->gid);
	rcu_read_unlock();
}

/**
 * ltt_buffer_switch() - close the open sub-buffer and open the next
 * @buf: any buffer
 *
 * An empty sub-buffer stays open. If all are unread, none is open afterwards.
 *
 * Return: 0, or -ENOENT if the trace is destroyed.
 */
int ltt_buffer_switch(struct ltt_buffer *buf)
{
	struct rchan_buf *relay;
	bool closed;
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
		*ltt_closed(buf, n) = buf->open;
		ltt_closed(buf, n)->end = end;
		relay->offset = end - n * buf->trace->subbuf_size;
	}
	relay_switch_subbuf(relay, 0);
	n = relay->subbufs_produced;
	if (relay->offset > buf->trace->subbuf_size)
		ltt_no_sub_buffer(buf);
	else
		ltt_open_sub_buffer(buf, n * buf->trace->subbuf_size, n);
	spin_unlock(&buf->lock);

	/* Else a reader has nothing more to find than before. */
	if (closed)
		ltt_buffer_ready(buf);
	return 0;
}

static void ltt_consume_sub_buffer(struct ltt_buffer *buf)
{
	relay_subbufs_consumed(buf->store->rchan, 0, 1);
	/* There is room: the thread's next marker calls ltt_switch(). */
	if (buf->full && !buf->retired)
		WRITE_ONCE(buf->control->full, 0);
}

/* The next range of the store that a reader may have; false if none. */
static bool ltt_store_next(struct ltt_buffer *buf, struct ltt_range *range,
			   const u8 **data)
{
	struct rchan_buf *relay = buf->store->relay;
	u64 commit = ltt_committed(buf);

	/* Those that were read to their ends while they were open. */
	while (relay->subbufs_consumed != relay->subbufs_produced &&
	       ltt_closed(buf, relay->subbufs_consumed)->end <= buf->taken)
		ltt_consume_sub_buffer(buf);
	if (relay->subbufs_consumed != relay->subbufs_produced)
		*range = *ltt_closed(buf, relay->subbufs_consumed);
	else if (!buf->full && (ltt_wants_flush(buf) || buf->retired))
		*range = buf->open;
	else
		return false;
	range->start = max(range->start, buf->taken);
	range->end = min(range->end, commit);
	*data = relay->start + (range->start & (buf->store->size - 1));
	return range->start < range->end;
}

/**
 * ltt_buffer_next() - what a reader gets next
 * @buf: its lock is held
 * @range: committed bytes of one sub-buffer that were not read yet
 * @data: where they lie; valid while the reader holds @buf and its store
 *
 * Return: false if there is nothing now.
 */
bool ltt_buffer_next(struct ltt_buffer *buf, struct ltt_range *range,
		     const u8 **data)
{
	struct ltt_left *left = buf->left;

	lockdep_assert_held(&buf->lock);
	if (buf->store)
		return ltt_store_next(buf, range, data);
	if (!left || left->next == left->n)
		return false;
	*range = left->ranges[left->next];
	*data = left->data + left->offset;
	return true;
}

/* Did ltt_buffer_next() find part of the open sub-buffer? */
bool ltt_buffer_is_open(const struct ltt_buffer *buf)
{
	return buf->store && buf->store->relay->subbufs_consumed ==
			     buf->store->relay->subbufs_produced;
}

/* Is what ltt_buffer_next() found the end of the stream, for sure? */
bool ltt_buffer_is_last(const struct ltt_buffer *buf)
{
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

/* The reader has everything before @end, a position got from a range. */
void ltt_buffer_consume(struct ltt_buffer *buf, u64 end)
{
	struct rchan_buf *relay;

	lockdep_assert_held(&buf->lock);
	buf->taken = max(buf->taken, end);
	if (!buf->store) {
		if (buf->left)
			ltt_left_consume(buf->left, end);
		return;
	}
	relay = buf->store->relay;
	if (relay->subbufs_consumed == relay->subbufs_produced)
		return;
	if (ltt_closed(buf, relay->subbufs_consumed)->end > end)
		return;
	ltt_consume_sub_buffer(buf);
}

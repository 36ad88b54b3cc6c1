// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a buffer: it is made when a thread asks for it, gets memory at its
 * first touch, and goes when its thread is gone and all is read.
 */

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "internal.h"

static atomic64_t ltt_streams;
static struct kmem_cache *ltt_buffers;

static int __init ltt_buffer_init(void)
{
	ltt_buffers = KMEM_CACHE(ltt_buffer, SLAB_PANIC | SLAB_ACCOUNT);
	return 0;
}
core_initcall(ltt_buffer_init);

/* @process may be NULL: that of the thread that touches the buffer first. */
struct ltt_buffer *ltt_buffer_alloc(struct ltt_trace *trace,
				    struct ltt_process *process)
{
	struct ltt_buffer *buf = NULL;

	if (ltt_persists(trace))
		buf = ltt_alloc(sizeof(*buf), true);
	/* Of a trace that persists it refuses what is written, instead of keeping it. */
	if (!buf)
		buf = kmem_cache_zalloc(ltt_buffers, GFP_KERNEL);
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
	INIT_LIST_HEAD(&buf->dump_node);
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
		ltt_quota_uncharge(buf->trace, left->size);
	ltt_left_free(left);
}

static void ltt_buffer_free(struct kref *kref)
{
	struct ltt_buffer *buf = container_of(kref, struct ltt_buffer, kref);

	ltt_buffer_release(buf);
	ltt_free_page(buf->control);
	/* A mapping that was never closed: that of a failed mmap. */
	if (buf->mapped)
		ltt_store_put(buf->mapped);
	if (buf->sink)
		__free_page(buf->sink);
	ltt_free(buf->closed);
	ltt_free(buf->cpu);
	if (buf->process)
		ltt_process_put(buf->process);
	ltt_trace_put(buf->trace);
	if (ltt_is_kept(buf))
		ltt_free(buf);
	else
		kmem_cache_free(ltt_buffers, buf);
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

/* The number of a new stream, and what its packets have in common. */
void ltt_buffer_identify(struct ltt_buffer *buf, u32 flags)
{
	struct ltt_packet *packet = &buf->packet;

	buf->stream = atomic64_inc_return(&ltt_streams);
	packet->magic = LTT_PACKET_MAGIC;
	packet->type = LTT_PACKET_EVENTS;
	packet->flags = flags;
	packet->trace = buf->trace->slot;
	packet->header_size = sizeof(*packet);
	packet->stream = buf->stream;
	packet->process = buf->process->id;
}

static void ltt_buffer_set_thread(struct ltt_buffer *buf)
{
	struct ltt_packet *packet = &buf->packet;
	struct task_struct *task = buf->owner->task;
	struct pid_namespace *ns = task_active_pid_ns(task);

	packet->pid = task_tgid_nr(task);
	packet->tid = task_pid_nr(task);
	packet->vpid = packet->pid;
	packet->vtid = packet->tid;
	if (ns == &init_pid_ns)
		return;
	packet->vpid = task_tgid_nr_ns(task, ns);
	packet->vtid = task_pid_nr_ns(task, ns);
}

/* Into the list of the trace, unless that is destroyed. */
bool ltt_buffer_list(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;
	bool dead;

	spin_lock(&trace->lock);
	dead = trace->dead;
	if (!dead) {
		ltt_buffer_get(buf);
		list_add_tail(&buf->trace_node, &trace->buffers);
		ltt_dump_add_buffer(buf);
	}
	spin_unlock(&trace->lock);
	return !dead;
}

/**
 * struct ltt_touched - memory that a first touch needs, but for the store
 * @control: zeroed
 * @closed: ltt_trace.n_subbufs ranges
 * @full: the buffer may have a store
 */
struct ltt_touched {
	struct ltt_control	*control;
	struct ltt_range	*closed;
	bool			full;
};

static void ltt_touched_free(struct ltt_touched *touched)
{
	ltt_free_page(touched->control);
	ltt_free(touched->closed);
}

static bool ltt_touched_alloc(struct ltt_trace *trace, bool persist,
			      struct ltt_touched *touched)
{
	touched->full = persist == ltt_persists(trace);
	touched->control = ltt_alloc_page(persist);
	/* In one piece, for memory images. */
	touched->closed = ltt_alloc(array_size(trace->n_subbufs,
					       sizeof(*touched->closed)),
				    persist);
	if (touched->control && touched->closed)
		return true;
	ltt_touched_free(touched);
	return false;
}

/* May what @process writes into @buf persist? All that belongs to it has room? */
static bool ltt_buffer_keep(struct ltt_buffer *buf, struct ltt_process *process)
{
	bool keep;

	if (!ltt_is_kept(buf))
		return false;
	mutex_lock(&ltt_mutex);
	keep = ltt_keep_process(process);
	mutex_unlock(&ltt_mutex);
	return keep;
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
	struct ltt_store *store = NULL;
	struct ltt_touched touched;
	struct ltt_task *lt;
	bool keep;

	/* A vfork child may be the first to touch its parent's buffer. */
	lt = buf->process ? NULL : ltt_task_get();
	if (IS_ERR(lt))
		return;
	keep = ltt_persists(buf->trace) &&
	       ltt_buffer_keep(buf, lt ? lt->process : buf->process);
	if (!ltt_touched_alloc(buf->trace, keep, &touched) &&
	    !(keep && ltt_touched_alloc(buf->trace, false, &touched)))
		return;
	if (touched.full)
		store = ltt_store_alloc(buf->trace);
	if (!store)
		atomic64_inc(&buf->trace->refused);

	spin_lock(&buf->lock);
	if (buf->control || buf->retired) {
		/* Another thread of the process touched it too. */
		spin_unlock(&buf->lock);
		if (store)
			ltt_store_put(store);
		ltt_touched_free(&touched);
		return;
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
	buf->closed = touched.closed;
	ltt_buffer_identify(buf, 0);
	ltt_buffer_set_thread(buf);
	if (!ltt_buffer_list(buf) && store) {
		ltt_store_put(store);
		store = NULL;
	}
	/* Pairs with the load in ltt_vma_fault(). */
	buf->control = touched.control;
	ltt_buffer_begin(buf, store);
	/* Memory images have it before a reader asks. */
	ltt_buffer_update_packet(buf);
	spin_unlock(&buf->lock);
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
	ltt_dump_remove_buffer(buf);
	spin_unlock(&trace->lock);
	if (!listed)
		return;
	/* What a reader will never see was lost, too. */
	atomic64_add(buf->packet.lost + buf->packet.too_big +
		     buf->packet.events - buf->events_taken, &trace->lost);
	atomic64_add(buf->packet.overwritten, &trace->overwritten);
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
	if (ltt_is_cpu(buf)) {
		ltt_cpu_update_packet(buf);
		return;
	}
	packet->events = READ_ONCE(buf->control->events);
	packet->lost = READ_ONCE(buf->control->lost);
	packet->too_big = READ_ONCE(buf->control->too_big);
	if (!buf->owner)
		return;
	strscpy_pad(packet->comm, buf->owner->task->comm,
		    sizeof(packet->comm));
	rcu_read_lock();
	cred = __task_cred(buf->owner->task);
	packet->uid = from_kuid(&init_user_ns, cred->uid);
	packet->gid = from_kgid(&init_user_ns, cred->gid);
	packet->vuid = from_kuid_munged(cred->user_ns, cred->uid);
	packet->vgid = from_kgid_munged(cred->user_ns, cred->gid);
	rcu_read_unlock();
}

/* Forgets what the thread that died first left; false if there is none. */
bool ltt_buffer_drop_dead(struct ltt_trace *trace)
{
	struct ltt_buffer *buf, *found = NULL;

	/* A reader may be copying it; who waits for that is not the writer. */
	if (!mutex_trylock(&trace->read_mutex))
		return false;
	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node) {
		if (!READ_ONCE(buf->retired) || !READ_ONCE(buf->left))
			continue;
		ltt_buffer_get(buf);
		found = buf;
		break;
	}
	spin_unlock(&trace->lock);
	if (found) {
		ltt_buffer_drop(found);
		ltt_buffer_put(found);
	}
	mutex_unlock(&trace->read_mutex);
	return found;
}

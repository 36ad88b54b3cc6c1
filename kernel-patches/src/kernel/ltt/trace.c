// SPDX-License-Identifier: GPL-2.0
/* Traces: their table, their life, and what of it every thread must see. */

#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "internal.h"

#define LTT_MIN_SUBBUF_SIZE	4096
#define LTT_MAX_SUBBUF_SIZE	(16 << 20)
#define LTT_MIN_SUBBUFS		2
#define LTT_MAX_SUBBUFS		4096
#define LTT_MAX_BUFFER_SIZE	(256 << 20)

/* Guards the tables of traces and processes, and the gates. */
DEFINE_MUTEX(ltt_mutex);
struct ltt_trace *ltt_traces[LTT_MAX_TRACES];
u32 ltt_slots;

static void ltt_trace_free(struct kref *kref)
{
	struct ltt_trace *trace = container_of(kref, struct ltt_trace, kref);

	ltt_kernel_free(trace);
	fput(trace->file);
	ltt_limits_free(trace->limits);
	ltt_user_put(trace->user);
	put_cred(trace->cred);
	ltt_free_page(trace->page);
	ltt_free(trace);
}

void ltt_trace_put(struct ltt_trace *trace)
{
	kref_put(&trace->kref, ltt_trace_free);
}

/*
 * May the owner of @trace see what @process does? The rule is ptrace's: all ids
 * alike, no capability that the owner lacks, and nothing that was not its to
 * read.
 */
static bool ltt_trace_may_see(const struct ltt_trace *trace,
			      const struct ltt_process *process)
{
	const struct cred *owner = trace->cred, *cred = process->cred;

	if (trace->flags & LTT_TRACE_SYSTEM)
		return true;
	return process->dumpable && owner->user_ns == cred->user_ns &&
	       uid_eq(owner->euid, cred->uid) &&
	       uid_eq(owner->euid, cred->euid) &&
	       uid_eq(owner->euid, cred->suid) &&
	       gid_eq(owner->egid, cred->gid) &&
	       gid_eq(owner->egid, cred->egid) &&
	       gid_eq(owner->egid, cred->sgid) &&
	       cap_issubset(cred->cap_permitted, owner->cap_permitted);
}

/* Do markers of @process write into @trace? Under ltt_mutex. */
bool ltt_trace_covers(const struct ltt_trace *trace,
		      const struct ltt_process *process)
{
	return ltt_trace_may_see(trace, process) &&
	       ltt_limits_match(trace, process);
}

static int ltt_check_name(const char *name)
{
	size_t n = strnlen(name, LTT_NAME_SIZE), i;

	if (!n || n == LTT_NAME_SIZE || name[0] == '.' || name[0] == '-')
		return -EINVAL;
	for (i = 0; i < n; i++)
		/* isalnum() takes letters of Latin-1, too. */
		if (!isascii(name[i]) ||
		    (!isalnum(name[i]) && !strchr("_.-", name[i])))
			return -EINVAL;
	/* Unused bytes must stay usable for something else one day. */
	return memchr_inv(name + n, 0, LTT_NAME_SIZE - n) ? -EINVAL : 0;
}

static bool ltt_timeout_is_valid(const struct ltt_trace_params *params)
{
	if (params->mode != LTT_MODE_BLOCK)
		return !params->timeout_us;
	return params->timeout_us && params->timeout_us <= LTT_MAX_TIMEOUT_US;
}

static int ltt_check_params(const struct ltt_trace_params *params)
{
	if (params->mode > LTT_MODE_BLOCK || !ltt_timeout_is_valid(params) ||
	    !is_power_of_2(params->subbuf_size) ||
	    params->subbuf_size < LTT_MIN_SUBBUF_SIZE ||
	    params->subbuf_size > LTT_MAX_SUBBUF_SIZE ||
	    !is_power_of_2(params->n_subbufs) ||
	    params->n_subbufs < LTT_MIN_SUBBUFS ||
	    params->n_subbufs > LTT_MAX_SUBBUFS ||
	    params->contexts & ~LTT_CONTEXTS_KNOWN || params->reserved ||
	    (u64)params->subbuf_size * params->n_subbufs > LTT_MAX_BUFFER_SIZE)
		return -EINVAL;
	return ltt_check_name(params->name);
}

static void ltt_fill_page(struct ltt_trace *trace,
			  const struct ltt_trace_params *params)
{
	struct ltt_trace_page *page = trace->page;

	BUILD_BUG_ON(sizeof(struct ltt_trace_page) != 88);
	BUILD_BUG_ON(sizeof(struct ltt_control) > PAGE_SIZE);
	page->version = LTT_ABI_VERSION;
	page->compat = LTT_ABI_COMPAT;
	page->size = sizeof(*page);
	page->trace = trace->slot;
	page->filter = params->filter;
	page->mode = params->mode;
	page->subbuf_size = params->subbuf_size;
	page->n_subbufs = params->n_subbufs;
	page->control_offset = LTT_CONTROL_PAGE << PAGE_SHIFT;
	page->data_offset = LTT_DATA_PAGE << PAGE_SHIFT;
	page->clock = ltt_clock_type();
	page->contexts = params->contexts;
	page->clock_freq = ltt_clock_freq(page->clock);
	page->clock_offset = ltt_clock_offset(page->clock);
}

static struct ltt_trace *ltt_trace_alloc(const struct ltt_trace_params *params,
					 unsigned int flags)
{
	bool persist = params->flags & LTT_TRACE_PERSIST;
	struct ltt_trace *trace;
	struct file *file;
	int ret;

	ret = persist ? ltt_region_open() : 0;
	if (ret)
		return ERR_PTR(ret);
	trace = ltt_alloc(sizeof(*trace), persist);
	if (!trace)
		return ERR_PTR(-ENOMEM);
	trace->page = ltt_alloc_page(persist);
	if (!trace->page)
		goto free_trace;
	file = ltt_mapping_file();
	if (IS_ERR(file))
		goto free_page;
	trace->file = file;
	trace->user = ltt_user_get(current_euid());
	if (!trace->user)
		goto put_file;
	kref_init(&trace->kref);
	trace->flags = params->flags | flags;
	trace->cred = get_current_cred();
	trace->privileged = flags & LTT_TRACE_BOOT || perfmon_capable();
	trace->subbuf_size = params->subbuf_size;
	trace->n_subbufs = params->n_subbufs;
	trace->mode = params->mode;
	trace->timeout_us = params->timeout_us;
	trace->max_memory = params->max_memory;
	spin_lock_init(&trace->lock);
	INIT_LIST_HEAD(&trace->buffers);
	INIT_LIST_HEAD(&trace->ready);
	INIT_LIST_HEAD(&trace->pool);
	INIT_LIST_HEAD(&trace->dumped);
	init_waitqueue_head(&trace->wait);
	init_waitqueue_head(&trace->room);
	mutex_init(&trace->read_mutex);
	strscpy(trace->name, params->name, sizeof(trace->name));
	return trace;

put_file:
	fput(file);
free_page:
	ltt_free_page(trace->page);
free_trace:
	ltt_free(trace);
	return ERR_PTR(-ENOMEM);
}

static int ltt_trace_insert(struct ltt_trace *trace)
{
	int slot = -1, ret, i;

	lockdep_assert_held(&ltt_mutex);
	for (i = LTT_MAX_TRACES - 1; i >= 0; i--) {
		if (!ltt_traces[i])
			slot = i;
		else if (!strcmp(ltt_traces[i]->name, trace->name))
			return -EEXIST;
	}
	ret = ltt_quota_check(trace->user, trace->privileged);
	if (ret)
		return ret;
	trace->user->traces++;
	trace->slot = slot;
	ltt_traces[slot] = trace;
	ltt_slots |= BIT(slot);
	return 0;
}

/**
 * ltt_trace_create() - a new trace, stopped
 * @params: from user space or from the kernel command line
 * @limits: its targets or NULL; the trace takes them, an error leaves them
 * @flags: LTT_TRACE_* that user space cannot set
 * @start: start it at once
 *
 * Return: the trace, with a reference and one of its readers for the caller, or
 * an ERR_PTR: -EINVAL, -EEXIST (name), -ENOSPC (all slots taken, but for the
 * privileged), -EDQUOT (traces of the user), -ENOMEM, -ENXIO (nothing is reserved
 * for what persists).
 */
struct ltt_trace *ltt_trace_create(const struct ltt_trace_params *params,
				   struct ltt_limits *limits,
				   unsigned int flags, bool start)
{
	struct ltt_trace *trace;
	int ret = ltt_check_params(params);

	if (ret)
		return ERR_PTR(ret);
	trace = ltt_trace_alloc(params, flags);
	if (IS_ERR(trace))
		return trace;
	mutex_lock(&ltt_mutex);
	ret = ltt_trace_insert(trace);
	if (ret) {
		mutex_unlock(&ltt_mutex);
		ltt_trace_put(trace);
		return ERR_PTR(ret);
	}
	trace->limits = limits;
	/* The caller's, before anybody else can open and close it. */
	atomic_set(&trace->readers, 1);
	ltt_limits_follow(trace);
	ltt_fill_page(trace, params);
	trace->page->active = start;
	ltt_dump_add_trace(trace);
	kref_get(&trace->kref);
	ltt_notify_trace(trace);
	mutex_unlock(&ltt_mutex);
	return trace;
}

/* One store to the trace page shows in all buffers; then the gates follow. */
void ltt_trace_changed(struct ltt_trace *trace)
{
	lockdep_assert_held(&ltt_mutex);
	WRITE_ONCE(trace->page->generation, trace->page->generation + 1);
	ltt_notify_trace(trace);
	/* Nobody waits for room in a trace that is stopped. */
	wake_up_interruptible(&trace->room);
}

void ltt_trace_set_active(struct ltt_trace *trace, bool active)
{
	lockdep_assert_held(&ltt_mutex);
	if (trace->page->active == active)
		return;
	WRITE_ONCE(trace->page->active, active);
	if (active)
		ltt_kernel_started(trace);
	ltt_trace_changed(trace);
}

void ltt_trace_set_filter(struct ltt_trace *trace, u32 filter)
{
	lockdep_assert_held(&ltt_mutex);
	if (trace->page->filter == filter)
		return;
	WRITE_ONCE(trace->page->filter, filter);
	ltt_trace_changed(trace);
}

/* What is committed in the open sub-buffers can be read. */
void ltt_trace_flush(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;

	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node) {
		WRITE_ONCE(buf->flush, buf->flush + 1);
		if (list_empty(&buf->ready_node))
			list_add_tail(&buf->ready_node, &trace->ready);
	}
	spin_unlock(&trace->lock);
	wake_up_interruptible(&trace->wait);
}

/* Seals all buffers; new ones are refused by trace->dead. */
static void ltt_retire_buffers(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;
	unsigned long n = 0;

	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node)
		n++;
	/* Round once, in place: snapshots look at the list meanwhile. */
	for (; n && !list_empty(&trace->buffers); n--) {
		buf = list_first_entry(&trace->buffers, struct ltt_buffer,
				       trace_node);
		list_move_tail(&buf->trace_node, &trace->buffers);
		ltt_buffer_get(buf);
		spin_unlock(&trace->lock);
		ltt_buffer_retire(buf, true);
		ltt_buffer_put(buf);
		spin_lock(&trace->lock);
	}
	spin_unlock(&trace->lock);
}

/**
 * ltt_trace_destroy() - take a trace out of the table and seal its buffers
 * @trace: the caller has a reference
 *
 * Waits for no thread: writers in flight keep a page to write to. What was
 * committed stays readable by the open descriptors. If it has events of the
 * kernel, the probes that are at work end first.
 *
 * Return: 0, or -ENOENT if it is destroyed already.
 */
int ltt_trace_destroy(struct ltt_trace *trace)
{
	ltt_kernel_detach(trace);
	mutex_lock(&ltt_mutex);
	if (trace->dead) {
		mutex_unlock(&ltt_mutex);
		return -ENOENT;
	}
	ltt_dump_remove_trace(trace);
	ltt_traces[trace->slot] = NULL;
	ltt_slots &= ~BIT(trace->slot);
	trace->user->traces--;
	WRITE_ONCE(trace->page->active, 0);
	spin_lock(&trace->lock);
	WRITE_ONCE(trace->dead, true);
	spin_unlock(&trace->lock);
	ltt_trace_changed(trace);
	ltt_limits_unfollow(trace);
	mutex_unlock(&ltt_mutex);

	ltt_retire_buffers(trace);
	ltt_store_drain(trace);
	WRITE_ONCE(trace->sealed, true);
	wake_up_interruptible(&trace->wait);
	ltt_trace_put(trace);
	return 0;
}

#ifdef CONFIG_LTT_KUNIT_TEST
#include "trace_kunit.c"
#endif

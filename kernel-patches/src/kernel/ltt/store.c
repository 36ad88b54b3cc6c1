// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a buffer: one global relay buffer.
 *
 *	relay->start
 *	| sub-buffer 0 | sub-buffer 1 | ... | sub-buffer n - 1 |
 *
 * Relay allocates the pages and counts sub-buffers produced and consumed. Its
 * files are not used: they would let a reader map memory beyond the buffer,
 * hold the inode lock while it copies, and know nothing of events in flight.
 *
 * When a thread has ended and nothing maps its store any more, the store goes to
 * the pool of its trace, for the next thread: short threads cost the memory of
 * those that live at once, and less than half the time of a fresh one.
 */

#include <linux/highmem.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/relay.h>
#include <linux/slab.h>

#include "internal.h"

/* A pool holds this much at most, and no store that is larger. */
#define LTT_POOL_BYTES		(8 << 20)
#define LTT_POOL_STORES		256

/* Relay wants a dentry back and does nothing with it: there is no file name. */
static struct dentry *ltt_relay_create(const char *filename,
				       struct dentry *parent, umode_t mode,
				       struct rchan_buf *buf, int *is_global)
{
	*is_global = 1;
	return ltt_mnt->mnt_root;
}

static struct page *ltt_relay_page(struct rchan *rchan, unsigned int i)
{
	/* That of a trace which persists; relay gives its reference back. */
	struct page *page = virt_to_page(rchan->private_data +
					 ((size_t)i << PAGE_SHIFT));

	get_page(page);
	return page;
}

static int ltt_relay_remove(struct dentry *dentry)
{
	return 0;
}

static const struct rchan_callbacks ltt_relay_callbacks = {
	.create_buf_file	= ltt_relay_create,
	.remove_buf_file	= ltt_relay_remove,
};

static const struct rchan_callbacks ltt_kept_callbacks = {
	.create_buf_file	= ltt_relay_create,
	.remove_buf_file	= ltt_relay_remove,
	.get_buf_page		= ltt_relay_page,
};

static void ltt_store_free(struct work_struct *work)
{
	struct ltt_store *store = container_of(work, struct ltt_store, free);

	relay_close(store->rchan);
	ltt_dump_area_free(&store->dump);
	ltt_free(store->kept);
	ltt_trace_put(store->trace);
	kfree(store);
}

static void ltt_store_discard(struct ltt_store *store)
{
	ltt_quota_uncharge(store->trace, store->size);
	schedule_work(&store->free);
}

/* Who else has a page, by a mapping or direct I/O, could still write to it. */
static bool ltt_store_is_private(const struct ltt_store *store)
{
	/* Relay's, and where they persist ours and the region's. */
	int own = store->kept ? 3 : 1;
	unsigned int i;

	for (i = 0; i < store->relay->page_count; i++)
		if (page_count(store->relay->page_array[i]) != own)
			return false;
	return true;
}

/* Into the pool; false if there is no room, or no trace any more. */
static bool ltt_store_pool(struct ltt_store *store)
{
	struct ltt_trace *trace = store->trace;
	struct ltt_store *old = NULL;
	bool pooled = false;
	unsigned int max;

	max = min_t(size_t, LTT_POOL_BYTES / store->size, LTT_POOL_STORES);
	if (!max || !ltt_store_is_private(store))
		return false;
	spin_lock(&trace->lock);
	if (!trace->dead) {
		if (trace->n_pool == max) {
			/* It was charged to whom no new thread belongs. */
			old = list_last_entry(&trace->pool, struct ltt_store,
					      pool_node);
			list_del(&old->pool_node);
			trace->n_pool--;
		}
		list_add(&store->pool_node, &trace->pool);
		trace->n_pool++;
		pooled = true;
	}
	spin_unlock(&trace->lock);
	if (old)
		ltt_store_discard(old);
	return pooled;
}

static void ltt_store_release(struct kref *kref)
{
	struct ltt_store *store = container_of(kref, struct ltt_store, kref);

	if (!ltt_store_pool(store))
		ltt_store_discard(store);
}

/* Any context: relay_close() itself runs later, without locks. */
void ltt_store_put(struct ltt_store *store)
{
	kref_put(&store->kref, ltt_store_release);
}

/* Is the memory on the account that a fresh store would be on? */
static bool ltt_store_is_ours(const struct ltt_store *store)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;
	bool ours;

	/* On none. */
	if (store->kept)
		return true;
	rcu_read_lock();
	memcg = mem_cgroup_from_task(current);
	if (memcg && mem_cgroup_is_root(memcg))
		memcg = NULL;
	ours = page_memcg_check(store->relay->page_array[0]) == memcg;
	rcu_read_unlock();
	return ours;
#else
	return true;
#endif
}

static struct ltt_store *ltt_store_from_pool(struct ltt_trace *trace)
{
	struct ltt_store *store, *found = NULL;
	unsigned int i;

	spin_lock(&trace->lock);
	list_for_each_entry(store, &trace->pool, pool_node) {
		if (!ltt_store_is_ours(store))
			continue;
		found = store;
		list_del(&store->pool_node);
		trace->n_pool--;
		break;
	}
	spin_unlock(&trace->lock);
	if (found) {
		/* Another program's data. */
		for (i = 0; i < found->relay->page_count; i++)
			clear_highpage(found->relay->page_array[i]);
		relay_reset(found->rchan);
		kref_init(&found->kref);
	}
	return found;
}

/* Empties the pool; false if it is empty. */
bool ltt_store_drain(struct ltt_trace *trace)
{
	struct ltt_store *store, *next;
	LIST_HEAD(pool);

	spin_lock(&trace->lock);
	list_splice_init(&trace->pool, &pool);
	trace->n_pool = 0;
	spin_unlock(&trace->lock);
	if (list_empty(&pool))
		return false;
	list_for_each_entry_safe(store, next, &pool, pool_node)
		ltt_store_discard(store);
	return true;
}

/*
 * Idle memory goes before anybody's events. In overwrite mode the newest events
 * are kept: what the dead left makes room for them.
 */
static bool ltt_store_charge(struct ltt_trace *trace, size_t size)
{
	while (!ltt_quota_charge(trace, size)) {
		if (ltt_store_drain(trace))
			continue;
		if (trace->mode != LTT_MODE_OVERWRITE ||
		    !ltt_buffer_drop_dead(trace))
			return false;
	}
	return true;
}

static bool ltt_store_open(struct ltt_store *store, struct ltt_trace *trace)
{
	bool persist = ltt_persists(trace);

	if (persist) {
		store->kept = ltt_alloc(store->size, true);
		if (!store->kept)
			return false;
	}
	store->rchan = relay_open(NULL, NULL, trace->subbuf_size,
				  trace->n_subbufs, persist ?
				  &ltt_kept_callbacks : &ltt_relay_callbacks,
				  store->kept);
	if (!store->rchan)
		return false;
	store->relay = *per_cpu_ptr(store->rchan->buf, 0);
	return !ltt_dump_area_set(&store->dump, store->relay->start,
				  store->size);
}

/* Sleeps, and takes relay's locks: not under mmap_lock. NULL: refused. */
struct ltt_store *ltt_store_alloc(struct ltt_trace *trace)
{
	size_t size = (size_t)trace->subbuf_size * trace->n_subbufs;
	struct ltt_store *store = ltt_store_from_pool(trace);

	if (store) {
		/* It is charged; but what the dead leave comes on top. */
		if (ltt_store_charge(trace, 0))
			return store;
		ltt_store_discard(store);
	}
	if (!ltt_store_charge(trace, size))
		return NULL;
	store = kzalloc(sizeof(*store), GFP_KERNEL_ACCOUNT);
	if (!store)
		goto uncharge;
	store->size = size;
	if (!ltt_store_open(store, trace))
		goto close;
	kref_init(&store->kref);
	INIT_WORK(&store->free, ltt_store_free);
	kref_get(&trace->kref);
	store->trace = trace;
	return store;

close:
	relay_close(store->rchan);
	ltt_free(store->kept);
	kfree(store);
uncharge:
	ltt_quota_uncharge(trace, size);
	return NULL;
}

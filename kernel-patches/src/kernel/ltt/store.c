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
 */

#include <linux/relay.h>
#include <linux/slab.h>

#include "internal.h"

/* Relay wants a dentry back and does nothing with it: there is no file name. */
static struct dentry *ltt_relay_create(const char *filename,
				       struct dentry *parent, umode_t mode,
				       struct rchan_buf *buf, int *is_global)
{
	*is_global = 1;
	return ltt_mnt->mnt_root;
}

static int ltt_relay_remove(struct dentry *dentry)
{
	return 0;
}

static const struct rchan_callbacks ltt_relay_callbacks = {
	.create_buf_file	= ltt_relay_create,
	.remove_buf_file	= ltt_relay_remove,
};

static void ltt_store_free(struct work_struct *work)
{
	struct ltt_store *store = container_of(work, struct ltt_store, free);

	atomic64_sub(store->size, &store->trace->memory);
	relay_close(store->rchan);
	ltt_trace_put(store->trace);
	kfree(store);
}

static void ltt_store_release(struct kref *kref)
{
	struct ltt_store *store = container_of(kref, struct ltt_store, kref);

	schedule_work(&store->free);
}

/* Any context: relay_close() itself runs later, without locks. */
void ltt_store_put(struct ltt_store *store)
{
	kref_put(&store->kref, ltt_store_release);
}

/* Sleeps, and takes relay's locks: not under mmap_lock. NULL: no memory. */
struct ltt_store *ltt_store_alloc(struct ltt_trace *trace)
{
	struct ltt_store *store = kzalloc(sizeof(*store), GFP_KERNEL_ACCOUNT);

	if (!store)
		return NULL;
	store->rchan = relay_open(NULL, NULL, trace->subbuf_size,
				  trace->n_subbufs, &ltt_relay_callbacks, NULL);
	if (!store->rchan) {
		kfree(store);
		return NULL;
	}
	kref_init(&store->kref);
	INIT_WORK(&store->free, ltt_store_free);
	kref_get(&trace->kref);
	store->trace = trace;
	store->relay = *per_cpu_ptr(store->rchan->buf, 0);
	store->size = (size_t)trace->subbuf_size * trace->n_subbufs;
	atomic64_add(store->size, &trace->memory);
	return store;
}

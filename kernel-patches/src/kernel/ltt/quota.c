// SPDX-License-Identifier: GPL-2.0
/*
 * What a user may take: traces, and memory of their buffers.
 *
 * Whoever may trace the whole system shares one limit of memory with all others,
 * and may take any trace; everybody else has limits of his own, and cannot take
 * the last traces. Refused buffers are counted in their trace.
 *
 * The limits are parameters, on the kernel's command line and below
 * /sys/module/ltt/parameters/.
 */

#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "internal.h"

/* Of the table, for CAP_PERFMON alone. */
#define LTT_RESERVED_TRACES	8

static DEFINE_SPINLOCK(ltt_users_lock); /* guards ltt_users */
static LIST_HEAD(ltt_users);
static atomic64_t ltt_memory;

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "ltt."

/* Traces of one user. */
static unsigned int ltt_user_traces = 8;
module_param_named(user_traces, ltt_user_traces, uint, 0644);

/* Memory of one user's traces in KiB; by default a sixteenth of all there is. */
static unsigned long ltt_user_memory_kb;
module_param_named(user_memory_kb, ltt_user_memory_kb, ulong, 0644);

/* Memory of all traces in KiB; by default half of all there is. */
static unsigned long ltt_memory_kb;
module_param_named(memory_kb, ltt_memory_kb, ulong, 0644);

/* The account of @uid, with a reference; NULL without memory. */
struct ltt_user *ltt_user_get(kuid_t uid)
{
	struct ltt_user *user, *fresh;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return NULL;
	kref_init(&fresh->kref);
	fresh->uid = uid;

	spin_lock(&ltt_users_lock);
	list_for_each_entry(user, &ltt_users, node) {
		if (!uid_eq(user->uid, uid))
			continue;
		kref_get(&user->kref);
		spin_unlock(&ltt_users_lock);
		kfree(fresh);
		return user;
	}
	list_add(&fresh->node, &ltt_users);
	spin_unlock(&ltt_users_lock);
	return fresh;
}

/* kref_put_lock() took the lock. */
static void ltt_user_free(struct kref *kref) __releases(&ltt_users_lock)
{
	struct ltt_user *user = container_of(kref, struct ltt_user, kref);

	list_del(&user->node);
	spin_unlock(&ltt_users_lock);
	kfree(user);
}

void ltt_user_put(struct ltt_user *user)
{
	kref_put_lock(&user->kref, ltt_user_free, &ltt_users_lock);
}

/* May @user have one more trace? Under ltt_mutex. 0, -EDQUOT or -ENOSPC. */
int ltt_quota_check(const struct ltt_user *user, bool privileged)
{
	unsigned int n_free = LTT_MAX_TRACES - hweight32(ltt_slots);

	lockdep_assert_held(&ltt_mutex);
	if (!n_free)
		return -ENOSPC;
	if (privileged)
		return 0;
	if (user->traces >= READ_ONCE(ltt_user_traces))
		return -EDQUOT;
	return n_free > LTT_RESERVED_TRACES ? 0 : -ENOSPC;
}

/* Whatever the limits say: memory that exists already, in another shape. */
void ltt_quota_force(struct ltt_trace *trace, size_t bytes)
{
	atomic64_add(bytes, &ltt_memory);
	atomic64_add(bytes, &trace->user->memory);
	atomic64_add(bytes, &trace->memory);
}

void ltt_quota_uncharge(struct ltt_trace *trace, size_t bytes)
{
	atomic64_sub(bytes, &ltt_memory);
	atomic64_sub(bytes, &trace->user->memory);
	atomic64_sub(bytes, &trace->memory);
}

static bool ltt_add(atomic64_t *memory, size_t bytes, u64 limit)
{
	if ((u64)atomic64_add_return(bytes, memory) <= limit)
		return true;
	atomic64_sub(bytes, memory);
	return false;
}

/*
 * Room for @bytes of memory in a buffer of @trace? The smallest limit comes first:
 * what one user may not have never shows to another.
 */
bool ltt_quota_charge(struct ltt_trace *trace, size_t bytes)
{
	u64 user = (u64)READ_ONCE(ltt_user_memory_kb) << 10;
	u64 all = (u64)READ_ONCE(ltt_memory_kb) << 10;

	if (!ltt_add(&trace->memory, bytes, trace->max_memory ?: U64_MAX))
		return false;
	if (!ltt_add(&trace->user->memory, bytes,
		     trace->privileged ? U64_MAX : user))
		goto undo_trace;
	if (!ltt_add(&ltt_memory, bytes, all))
		goto undo_user;
	return true;

undo_user:
	atomic64_sub(bytes, &trace->user->memory);
undo_trace:
	atomic64_sub(bytes, &trace->memory);
	return false;
}

/* Before boot.c makes the first trace. */
static int __init ltt_quota_init(void)
{
	unsigned long kb = totalram_pages() << (PAGE_SHIFT - 10);

	if (!ltt_memory_kb)
		ltt_memory_kb = kb / 2;
	if (!ltt_user_memory_kb)
		ltt_user_memory_kb = kb / 16;
	return 0;
}
fs_initcall(ltt_quota_init);

#ifdef CONFIG_LTT_KUNIT_TEST
#include "quota_kunit.c"
#endif

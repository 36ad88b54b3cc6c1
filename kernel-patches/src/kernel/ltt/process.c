// SPDX-License-Identifier: GPL-2.0
/* Registered programs: their gates and their event definitions. */

#include <linux/cred.h>
#include <linux/file.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "internal.h"

LIST_HEAD(ltt_processes);
static atomic64_t ltt_process_ids;
static struct kmem_cache *ltt_process_cache;

static int __init ltt_process_init(void)
{
	ltt_process_cache = KMEM_CACHE(ltt_process, SLAB_PANIC | SLAB_ACCOUNT);
	return 0;
}
core_initcall(ltt_process_init);

/* Under ltt_mutex. */
static struct ltt_pin *ltt_pin_add(struct ltt_process *process,
				   unsigned long address, struct page *page)
{
	struct ltt_pin *pin = &process->first;

	if (pin->address)
		pin = kzalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return NULL;
	pin->address = address;
	pin->page = page;
	list_add_tail(&pin->node, &process->pins);
	process->n_pins++;
	return pin;
}

/* Under ltt_mutex, or in a process that is off the list. Returns its page. */
static struct page *ltt_pin_take(struct ltt_process *process,
				 struct ltt_pin *pin)
{
	struct page *page = pin->page;

	list_del(&pin->node);
	process->n_pins--;
	if (pin == &process->first)
		memset(pin, 0, sizeof(*pin));
	else
		kfree(pin);
	return page;
}

/* @dirty: the program goes on with what we wrote into it. */
static void ltt_unpin(struct page *page, bool dirty)
{
	if (page)
		unpin_user_pages_dirty_lock(&page, 1, dirty);
}

static void ltt_definitions_free(struct kref *kref)
{
	struct ltt_definitions *definitions;

	definitions = container_of(kref, struct ltt_definitions, kref);
	ltt_dump_area_free(&definitions->dump.data);
	ltt_free(definitions->kept);
	kvfree(definitions);
}

static void ltt_process_free(struct kref *kref)
{
	struct ltt_process *process = container_of(kref, struct ltt_process,
						   kref);
	unsigned int i;

	for (i = 0; i < process->n_definitions; i++)
		kref_put(&process->definitions[i]->kref, ltt_definitions_free);
	if (process->exe)
		fput(process->exe);
	put_cred(process->cred);
	put_pid(process->pid);
	ltt_free(process->kept);
	kmem_cache_free(ltt_process_cache, process);
}

void ltt_process_put(struct ltt_process *process)
{
	kref_put(&process->kref, ltt_process_free);
}

/*
 * Whose process is it now? Programs change their credentials, so this is asked
 * again whenever one asks for buffers. Under ltt_mutex.
 */
void ltt_process_identify(struct ltt_process *process)
{
	lockdep_assert_held(&ltt_mutex);
	if (process->cred != current_cred()) {
		put_cred(process->cred);
		process->cred = get_current_cred();
	}
	process->dumpable = get_dumpable(current->mm) == SUID_DUMP_USER;
}

/* For the thread group of @task, with its parent's program or its own. */
static struct ltt_process *ltt_process_alloc(struct task_struct *task)
{
	struct ltt_process *process = kmem_cache_zalloc(ltt_process_cache,
							GFP_KERNEL);

	if (!process)
		return NULL;
	kref_init(&process->kref);
	INIT_LIST_HEAD(&process->node);
	INIT_LIST_HEAD(&process->pins);
	INIT_LIST_HEAD(&process->tasks);
	spin_lock_init(&process->lock);
	process->id = atomic64_inc_return(&ltt_process_ids);
	process->signal = LTT_SIGNAL_DEFAULT;
	process->pid = get_pid(task_tgid(task));
	process->exe = get_task_exe_file(task);
	return process;
}

/* Takes the references to @process and @cred. Under ltt_mutex. */
static void ltt_process_attach(struct ltt_process *process,
			       const struct cred *cred,
			       struct signal_struct *group)
{
	lockdep_assert_held(&ltt_mutex);
	process->cred = cred;
	list_add_tail(&process->node, &ltt_processes);
	WRITE_ONCE(group->ltt, process);
}

/**
 * ltt_process_get() - the registered process that current belongs to
 *
 * All threads of a thread group share one, from the first that registers to the
 * last that exits, or exec.
 *
 * Return: a reference, or NULL without memory.
 */
struct ltt_process *ltt_process_get(void)
{
	struct ltt_process *process;

	mutex_lock(&ltt_mutex);
	process = current->signal->ltt;
	if (!process) {
		process = ltt_process_alloc(current);
		if (!process)
			goto unlock;
		ltt_process_attach(process, get_current_cred(),
				   current->signal);
	}
	ltt_process_identify(process);
	kref_get(&process->kref);
unlock:
	mutex_unlock(&ltt_mutex);
	return process;
}

/* The same gates at the same addresses, and the same definitions. */
static void ltt_process_copy_program(struct ltt_process *process,
				     const struct ltt_process *parent)
{
	struct ltt_pin *pin;
	unsigned int i;

	lockdep_assert_held(&ltt_mutex);
	process->signal = parent->signal;
	process->handler = parent->handler;
	list_for_each_entry(pin, &parent->pins, node)
		if (!ltt_pin_add(process, pin->address, NULL))
			break;
	for (i = 0; i < parent->n_definitions; i++) {
		kref_get(&parent->definitions[i]->kref);
		process->definitions[i] = parent->definitions[i];
	}
	process->dump = parent->dump;
	process->n_definitions = parent->n_definitions;
}

/**
 * ltt_process_fork() - the process of a child
 * @parent: that of current
 * @child: first thread of another thread group
 * @program: it goes on with its parent's program, whose gates it pins itself when
 *	it first returns to user mode; else it is only followed
 *
 * Return: a reference besides that of the child's thread group, or NULL without
 * memory.
 */
struct ltt_process *ltt_process_fork(struct ltt_process *parent,
				     struct task_struct *child, bool program)
{
	struct ltt_process *process = ltt_process_alloc(child);

	if (!process)
		return NULL;

	mutex_lock(&ltt_mutex);
	process->dumpable = parent->dumpable;
	process->followed = parent->followed;
	if (program)
		ltt_process_copy_program(process, parent);
	ltt_process_attach(process, get_cred(parent->cred), child->signal);
	kref_get(&process->kref);
	mutex_unlock(&ltt_mutex);
	return process;
}

/*
 * The trace in @slot follows the process of @task, of another program maybe, which
 * need not be registered. Under ltt_mutex. -ENOMEM, or -ESRCH if it ended.
 */
int ltt_process_follow(struct task_struct *task, unsigned int slot)
{
	struct signal_struct *group = task->signal;
	struct ltt_process *process = group->ltt;

	lockdep_assert_held(&ltt_mutex);
	if (!process) {
		process = ltt_process_alloc(task);
		if (!process)
			return -ENOMEM;
		ltt_process_attach(process, get_task_cred(task), group);
		/*
		 * Pairs with the end of the last thread: it counts itself out
		 * before it looks at group->ltt.
		 */
		smp_mb();
		if (!atomic_read(&group->live)) {
			group->ltt = NULL;
			list_del_init(&process->node);
			ltt_process_put(process);
			return -ESRCH;
		}
	}
	process->followed |= BIT(slot);
	return 0;
}

/* Takes the process off the group; NULL if it has none. Under ltt_mutex. */
static struct ltt_process *ltt_process_take(struct signal_struct *group)
{
	struct ltt_process *process = group->ltt;

	lockdep_assert_held(&ltt_mutex);
	if (!process)
		return NULL;
	group->ltt = NULL;
	list_del_init(&process->node);
	return process;
}

/* It was taken: what it has of the living goes. */
static void ltt_process_bury(struct ltt_process *process)
{
	struct ltt_pin *pin, *next;

	if (!process)
		return;
	list_for_each_entry_safe(pin, next, &process->pins, node)
		ltt_unpin(ltt_pin_take(process, pin), false);
	if (process->exe)
		fput(process->exe);
	process->exe = NULL;
	ltt_process_put(process);
}

/* The last thread of the group is going. */
void ltt_process_end(struct signal_struct *group)
{
	struct ltt_process *process;

	mutex_lock(&ltt_mutex);
	process = ltt_process_take(group);
	mutex_unlock(&ltt_mutex);
	ltt_process_bury(process);
}

/* Another program: of the old one's state stays that it is followed. */
void ltt_process_exec(struct signal_struct *group)
{
	struct ltt_process *old, *process;

	mutex_lock(&ltt_mutex);
	old = ltt_process_take(group);
	if (old && old->followed) {
		process = ltt_process_alloc(current);
		if (process) {
			process->followed = old->followed;
			ltt_process_attach(process, get_current_cred(), group);
		}
	}
	mutex_unlock(&ltt_mutex);
	ltt_process_bury(old);
}

static void ltt_pin_set(struct ltt_pin *pin, u32 mask, u32 generation)
{
	struct ltt_gate gate = { .mask = mask, .generation = generation };
	u64 word;
	u8 *at;

	BUILD_BUG_ON(sizeof(gate) != sizeof(word));
	if (!pin->page)
		return;
	memcpy(&word, &gate, sizeof(word));
	at = kmap_local_page(pin->page);
	WRITE_ONCE(*(u64 *)(at + offset_in_page(pin->address)), word);
	kunmap_local(at);
}

/* A bit for each trace that covers @process; under ltt_mutex. */
u32 ltt_process_covered(const struct ltt_process *process)
{
	unsigned long slots = ltt_slots;
	u32 covered = 0;
	unsigned int i;

	lockdep_assert_held(&ltt_mutex);
	for_each_set_bit(i, &slots, LTT_MAX_TRACES)
		if (ltt_trace_covers(ltt_traces[i], process))
			covered |= BIT(i);
	return covered;
}

/* The truth about all traces into all gates of @process; under ltt_mutex. */
void ltt_process_set_gates(struct ltt_process *process)
{
	unsigned long covered = ltt_process_covered(process);
	struct ltt_pin *pin;
	unsigned int i;
	u32 mask = 0;

	lockdep_assert_held(&ltt_mutex);
	process->covered = covered;
	for_each_set_bit(i, &covered, LTT_MAX_TRACES)
		if (ltt_traces[i]->page->active)
			mask |= ltt_traces[i]->page->filter;
	/* 0 is for markers that have never looked. */
	if (!++process->generation)
		process->generation++;
	list_for_each_entry(pin, &process->pins, node)
		ltt_pin_set(pin, mask, process->generation);
}

static struct page *ltt_pin_page(unsigned long address)
{
	struct page *page;
	long n;

	ltt_fault_in_writeable(address);
	n = pin_user_pages_fast(address & PAGE_MASK, 1,
				FOLL_WRITE | FOLL_LONGTERM, &page);
	if (n < 0)
		return ERR_PTR(n);
	if (n != 1)
		return ERR_PTR(-EFAULT);
	/* Through a shared file the gate would be other programs' too. */
	if (!PageAnon(page)) {
		unpin_user_page(page);
		return ERR_PTR(-EFAULT);
	}
	return page;
}

/* In a forked child, before its first instruction. Returns what covers it. */
u32 ltt_process_pin_gates(struct ltt_process *process)
{
	struct ltt_pin *pin;
	u32 covered;

	/* Only current changes the list, and the pages fault outside the lock. */
	list_for_each_entry(pin, &process->pins, node) {
		struct page *page;

		if (pin->page)
			continue;
		page = ltt_pin_page(pin->address);
		if (IS_ERR(page))
			continue;
		mutex_lock(&ltt_mutex);
		pin->page = page;
		mutex_unlock(&ltt_mutex);
	}
	mutex_lock(&ltt_mutex);
	/*
	 * The child's threads hold the parent's generation. Go on from there:
	 * another value than any that the parent had seen.
	 */
	pin = list_first_entry_or_null(&process->pins, struct ltt_pin, node);
	if (pin && pin->page) {
		struct ltt_gate gate;
		u8 *at = kmap_local_page(pin->page);

		memcpy(&gate, at + offset_in_page(pin->address), sizeof(gate));
		kunmap_local(at);
		process->generation = gate.generation;
	}
	/* It may be another's, or not meant by targets, unlike its parent. */
	ltt_process_identify(process);
	ltt_process_set_gates(process);
	covered = process->covered;
	mutex_unlock(&ltt_mutex);
	return covered;
}

/* The caller fills them. NULL: there is no memory for so many bytes. */
struct ltt_definitions *ltt_definitions_alloc(u32 size)
{
	struct ltt_definitions *definitions;

	definitions = kvmalloc(struct_size(definitions, data, size),
			       GFP_KERNEL_ACCOUNT);
	if (!definitions)
		return NULL;
	memset(definitions, 0, sizeof(*definitions));
	if (ltt_dump_area_set(&definitions->dump.data, definitions->data, size)) {
		kvfree(definitions);
		return NULL;
	}
	kref_init(&definitions->kref);
	definitions->size = size;
	return definitions;
}

static struct ltt_definitions *
ltt_definitions_copy(const struct ltt_registration *reg)
{
	struct ltt_definitions *definitions;

	if (reg->events_size > LTT_MAX_DEFINITIONS)
		return ERR_PTR(-E2BIG);
	definitions = ltt_definitions_alloc(reg->events_size);
	if (!definitions)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(definitions->data, u64_to_user_ptr(reg->events),
			   reg->events_size)) {
		kref_put(&definitions->kref, ltt_definitions_free);
		return ERR_PTR(-EFAULT);
	}
	return definitions;
}

/**
 * ltt_process_register() - take one registration of the current process
 * @process: that of current
 * @reg: checked for unknown flags
 *
 * Return: 0, or -EFAULT (gate or definitions not readable, gate not in private
 * writable memory), -E2BIG (definitions), -ENOSPC (registrations), -EEXIST
 * (gate known already), -ENOMEM. On an error nothing has changed.
 */
int ltt_process_register(struct ltt_process *process,
			 const struct ltt_registration *reg)
{
	struct ltt_definitions *definitions = NULL;
	struct page *page = NULL;
	struct ltt_pin *pin;
	int ret;

	if (reg->events_size) {
		definitions = ltt_definitions_copy(reg);
		if (IS_ERR(definitions))
			return PTR_ERR(definitions);
	}
	if (reg->gate) {
		page = ltt_pin_page(reg->gate);
		if (IS_ERR(page)) {
			ret = PTR_ERR(page);
			goto free_definitions;
		}
	}

	mutex_lock(&ltt_mutex);
	ret = -ENOSPC;
	if ((page && process->n_pins == LTT_MAX_GATES) ||
	    (definitions && process->n_definitions == LTT_MAX_GATES))
		goto unlock;
	ret = -EEXIST;
	list_for_each_entry(pin, &process->pins, node)
		if (page && pin->address == reg->gate)
			goto unlock;
	ret = -ENOMEM;
	if (page && !ltt_pin_add(process, reg->gate, page))
		goto unlock;
	if (definitions) {
		process->definitions[process->n_definitions] = definitions;
		ltt_dump_add_definitions(process, definitions);
		/* Pairs with the load in ltt_put_definitions(). */
		smp_store_release(&process->n_definitions,
				  process->n_definitions + 1);
		/* Without room for them their events persist as numbers. */
		if (process->kept)
			ltt_keep_process(process);
	}
	WRITE_ONCE(process->signal, reg->signal);
	if (reg->handler)
		WRITE_ONCE(process->handler, reg->handler);
	ltt_process_identify(process);
	ltt_process_set_gates(process);
	mutex_unlock(&ltt_mutex);
	return 0;

unlock:
	mutex_unlock(&ltt_mutex);
	ltt_unpin(page, false);
free_definitions:
	if (definitions)
		kref_put(&definitions->kref, ltt_definitions_free);
	return ret;
}

/* Takes back the gate at @gate: -ENOENT if there is none. */
int ltt_process_unregister(struct ltt_process *process, unsigned long gate)
{
	struct page *page = NULL;
	struct ltt_pin *pin;
	int ret = -ENOENT;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(pin, &process->pins, node) {
		if (pin->address != gate)
			continue;
		page = ltt_pin_take(process, pin);
		ret = 0;
		break;
	}
	mutex_unlock(&ltt_mutex);
	ltt_unpin(page, true);
	return ret;
}

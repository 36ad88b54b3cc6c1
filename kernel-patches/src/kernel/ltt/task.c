// SPDX-License-Identifier: GPL-2.0
/* Registered threads: from the first call, or birth, to exec or death. */

#include <linux/mm.h>
#include <linux/resume_user_mode.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "internal.h"

/* Threads that never return to a program's code. */
#define LTT_PF_NO_PROGRAM	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

static struct ltt_task *ltt_task_alloc(struct task_struct *task,
				       struct ltt_process *process)
{
	struct ltt_task *lt = kzalloc(sizeof(*lt), GFP_KERNEL_ACCOUNT);

	if (!lt)
		return NULL;
	lt->task = task;
	lt->process = process;
	INIT_LIST_HEAD(&lt->buffers);
	INIT_LIST_HEAD(&lt->forked);
	return lt;
}

static void ltt_task_join(struct ltt_task *lt)
{
	struct ltt_process *process = lt->process;

	spin_lock(&process->lock);
	list_add_tail(&lt->node, &process->tasks);
	spin_unlock(&process->lock);
}

/**
 * ltt_task_get() - the state of current, registered on first use
 *
 * Return: current->ltt, or an ERR_PTR: -ENOMEM; -ESRCH for a thread that is
 * past ltt_exit() or never runs a program.
 */
struct ltt_task *ltt_task_get(void)
{
	struct ltt_task *lt = current->ltt;
	struct ltt_process *process;

	if (likely(lt))
		return lt;
	if (current->flags & (PF_EXITING | LTT_PF_NO_PROGRAM))
		return ERR_PTR(-ESRCH);
	process = ltt_process_get();
	if (!process)
		return ERR_PTR(-ENOMEM);
	lt = ltt_task_alloc(current, process);
	if (!lt) {
		ltt_process_put(process);
		return ERR_PTR(-ENOMEM);
	}
	ltt_task_join(lt);
	current->ltt = lt;
	return lt;
}

/* Those that no child took, for want of memory. */
void ltt_task_drop_forked(struct ltt_task *lt)
{
	struct ltt_buffer *stub, *next;

	list_for_each_entry_safe(stub, next, &lt->forked, task_node) {
		list_del_init(&stub->task_node);
		ltt_buffer_put(stub);
	}
	lt->forked_mm = NULL;
}

/* The stubs in the child's copies of our mappings become its buffers. */
static void ltt_fork_buffers(struct ltt_task *child, struct task_struct *task)
{
	struct ltt_buffer *stub, *next;
	struct ltt_task *lt = current->ltt;

	if (!lt || lt->forked_mm != task->mm)
		return;
	list_for_each_entry_safe(stub, next, &lt->forked, task_node) {
		/* Of a fork() that failed, whose mm had the same address. */
		if (kref_read(&stub->kref) == 1)
			continue;
		kref_get(&child->process->kref);
		stub->process = child->process;
		stub->owner = child;
		stub->thread = child;
		list_move_tail(&stub->task_node, &child->buffers);
	}
	ltt_task_drop_forked(lt);
}

/* No memory for the child's state: the child is not traced, and lives. */
void __ltt_fork(struct task_struct *task, u64 clone_flags)
{
	struct ltt_process *process = current->signal->ltt;
	struct ltt_task *child;
	bool program;

	if (task->flags & LTT_PF_NO_PROGRAM)
		return;
	/* A thread that never met a marker may be one of a traced program. */
	program = current->ltt || READ_ONCE(process->n_pins);
	/* vfork: the child writes into its parent's buffers, until exec. */
	if ((clone_flags & (CLONE_VM | CLONE_THREAD)) == CLONE_VM)
		program = false;
	if (!program && (clone_flags & CLONE_THREAD ||
			 !READ_ONCE(process->followed)))
		return;
	if (clone_flags & CLONE_THREAD)
		kref_get(&process->kref);
	else
		process = ltt_process_fork(process, task, program);
	if (!process)
		goto untraced;
	if (!program) {
		ltt_process_put(process);
		return;
	}
	child = ltt_task_alloc(task, process);
	if (!child) {
		ltt_process_put(process);
		goto untraced;
	}
	if (!(clone_flags & CLONE_THREAD)) {
		ltt_fork_buffers(child, task);
		set_bit(LTT_WORK_PIN, &child->work);
	}
	/* Without a gate nothing but the signal tells it of its traces. */
	if (!process->n_pins)
		set_bit(LTT_WORK_NOTIFY, &child->work);
	task->ltt = child;
	if (child->work)
		set_tsk_thread_flag(task, TIF_NOTIFY_RESUME);
	ltt_task_join(child);
	return;

untraced:
	/* The child may still come to use its stubs, and lists them itself. */
	if (current->ltt)
		ltt_task_drop_forked(current->ltt);
}

/* Seals all buffers of current and forgets its state. */
static void ltt_task_leave(struct ltt_task *lt, bool unmap)
{
	struct ltt_process *process = lt->process;
	struct ltt_buffer *buf, *next;

	spin_lock(&process->lock);
	list_del(&lt->node);
	spin_unlock(&process->lock);

	list_for_each_entry_safe(buf, next, &lt->buffers, task_node) {
		ltt_buffer_retire(buf, false);
		if (unmap)
			ltt_mapping_remove(buf);
		ltt_buffer_strip(buf);
		list_del_init(&buf->task_node);
		ltt_buffer_put(buf);
	}
	ltt_task_drop_forked(lt);
	current->ltt = NULL;
	ltt_process_put(process);
	kfree(lt);
}

/* What the owner of a trace must not see is taken from it. */
static void ltt_task_seal(struct ltt_task *lt, u32 covered)
{
	struct ltt_buffer *buf;

	list_for_each_entry(buf, &lt->buffers, task_node)
		if (!(covered & BIT(buf->trace->slot)))
			ltt_buffer_retire(buf, true);
}

/* Before the first instruction of a forked child. */
void ltt_task_forked(struct ltt_task *lt)
{
	ltt_task_seal(lt, ltt_process_pin_gates(lt->process));
}

/* Before the first instruction of a thread with other credentials. */
void ltt_task_identify(struct ltt_task *lt)
{
	struct ltt_process *process = lt->process;
	u32 covered;

	mutex_lock(&ltt_mutex);
	ltt_process_identify(process);
	covered = ltt_process_covered(process);
	/* Servers change theirs for each request; mostly nothing follows. */
	if (covered != process->covered)
		ltt_process_set_gates(process);
	mutex_unlock(&ltt_mutex);
	ltt_task_seal(lt, covered);
}

static void ltt_mark_cred(struct ltt_task *lt)
{
	set_bit(LTT_WORK_CRED, &lt->work);
	set_notify_resume(lt->task);
}

void __ltt_cred_changed(void)
{
	struct ltt_process *process = current->signal->ltt;
	struct ltt_task *lt;

	/* A helper of the kernel's, before it executes its program. */
	if (!current->mm)
		return;
	if (READ_ONCE(process->dumpable) ==
	    (get_dumpable(current->mm) == SUID_DUMP_USER)) {
		if (current->ltt)
			ltt_mark_cred(current->ltt);
		return;
	}
	/* That flag is of the address space: all threads are concerned. */
	spin_lock(&process->lock);
	list_for_each_entry(lt, &process->tasks, node)
		ltt_mark_cred(lt);
	spin_unlock(&process->lock);
}

void __ltt_exec(void)
{
	if (current->ltt)
		ltt_task_leave(current->ltt, false);
	ltt_process_exec(current->signal);
}

void __ltt_exit(bool group_dead)
{
	struct mm_struct *mm = current->mm;

	if (current->ltt) {
		unsigned int users = atomic_read(&mm->mm_users);
		bool unmap = users > 1;

		/* When all who share the address space go, it goes too. */
		if ((current->signal->flags & SIGNAL_GROUP_EXIT) &&
		    users <= get_nr_threads(current))
			unmap = false;
		ltt_task_leave(current->ltt, unmap);
	}
	if (group_dead)
		ltt_process_end(current->signal);
}

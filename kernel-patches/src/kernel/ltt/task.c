// SPDX-License-Identifier: GPL-2.0
/* Registered threads: from the first call, or birth, to exec or death. */

#include <linux/mm.h>
#include <linux/resume_user_mode.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"

static struct ltt_task *ltt_task_alloc(struct task_struct *task,
				       struct ltt_process *process)
{
	struct ltt_task *lt = kzalloc(sizeof(*lt), GFP_KERNEL_ACCOUNT);

	if (!lt)
		return NULL;
	lt->task = task;
	lt->process = process;
	INIT_LIST_HEAD(&lt->buffers);
	return lt;
}

static void ltt_task_join(struct ltt_task *lt)
{
	struct ltt_process *process = lt->process;

	spin_lock(&process->lock);
	list_add_tail(&lt->node, &process->tasks);
	spin_unlock(&process->lock);
}

/*
 * A thread that registers by its own call may have siblings that did before:
 * it joins their process. The lock is the sighand's: all threads share it.
 */
static struct ltt_process *ltt_process_of_siblings(void)
{
	struct ltt_process *process, *found = NULL;
	struct ltt_task *lt;

	mutex_lock(&ltt_mutex);
	list_for_each_entry(process, &ltt_processes, node) {
		spin_lock(&process->lock);
		lt = list_first_entry_or_null(&process->tasks, struct ltt_task,
					      node);
		if (lt && same_thread_group(lt->task, current)) {
			kref_get(&process->kref);
			found = process;
		}
		spin_unlock(&process->lock);
		if (found)
			break;
	}
	mutex_unlock(&ltt_mutex);
	return found;
}

/**
 * ltt_task_get() - the state of current, registered on first use
 *
 * Return: current->ltt, or an ERR_PTR(-ENOMEM).
 */
struct ltt_task *ltt_task_get(void)
{
	struct ltt_task *lt = current->ltt;
	struct ltt_process *process = NULL;

	if (likely(lt))
		return lt;
	if (!thread_group_empty(current))
		process = ltt_process_of_siblings();
	if (!process)
		process = ltt_process_create();
	if (!process)
		return ERR_PTR(-ENOMEM);
	lt = ltt_task_alloc(current, process);
	if (!lt) {
		if (list_empty(&process->tasks))
			ltt_process_leave(process);
		ltt_process_put(process);
		return ERR_PTR(-ENOMEM);
	}
	ltt_task_join(lt);
	current->ltt = lt;
	return lt;
}

/*
 * The child's copies of our mappings got stubs (see ltt_vma_open()): they
 * become its buffers, at the same addresses.
 */
static void ltt_fork_buffers(struct ltt_task *child, struct task_struct *task)
{
	struct ltt_buffer *buf, *stub;

	list_for_each_entry(buf, &current->ltt->buffers, task_node) {
		stub = ltt_mapping_adopt(task->mm, buf->address);
		if (!stub)
			continue;
		if (stub->process) {
			/* The program unmapped @buf, and got another there. */
			ltt_buffer_put(stub);
			continue;
		}
		kref_get(&child->process->kref);
		stub->process = child->process;
		stub->owner = child;
		stub->thread = child;
		list_add_tail(&stub->task_node, &child->buffers);
	}
}

/* No memory for the child's state: the child is not traced, and lives. */
void __ltt_fork(struct task_struct *task, u64 clone_flags)
{
	struct ltt_task *parent = current->ltt, *child;
	struct ltt_process *process;

	if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return;
	/* vfork: the child writes into its parent's buffers, until exec. */
	if ((clone_flags & (CLONE_VM | CLONE_THREAD)) == CLONE_VM)
		return;
	if (clone_flags & CLONE_THREAD) {
		process = parent->process;
		kref_get(&process->kref);
	} else {
		process = ltt_process_fork(parent->process);
	}
	if (!process)
		return;
	child = ltt_task_alloc(task, process);
	if (!child) {
		if (!(clone_flags & CLONE_THREAD))
			ltt_process_leave(process);
		ltt_process_put(process);
		return;
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
}

/* Seals all buffers of current and forgets its state. */
static void ltt_task_leave(struct ltt_task *lt, bool unmap)
{
	struct ltt_process *process = lt->process;
	struct ltt_buffer *buf, *next;
	bool last;

	spin_lock(&process->lock);
	list_del(&lt->node);
	last = list_empty(&process->tasks);
	spin_unlock(&process->lock);

	list_for_each_entry_safe(buf, next, &lt->buffers, task_node) {
		ltt_buffer_retire(buf);
		if (unmap)
			ltt_mapping_remove(buf);
		ltt_buffer_strip(buf);
		list_del_init(&buf->task_node);
		ltt_buffer_put(buf);
	}
	current->ltt = NULL;
	if (last)
		ltt_process_leave(process);
	ltt_process_put(process);
	kfree(lt);
}

void __ltt_exec(void)
{
	ltt_task_leave(current->ltt, false);
}

void __ltt_exit(void)
{
	struct mm_struct *mm = current->mm;
	unsigned int users = atomic_read(&mm->mm_users);
	bool unmap = users > 1;

	/* When all who share the address space go, it goes with them. */
	if ((current->signal->flags & SIGNAL_GROUP_EXIT) &&
	    users <= get_nr_threads(current))
		unmap = false;
	ltt_task_leave(current->ltt, unmap);
}

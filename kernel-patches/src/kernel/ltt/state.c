// SPDX-License-Identifier: GPL-2.0
/*
 * The state of the system when a trace starts: the tasks that are there, who handles
 * which interrupt, the disks, then the files and mappings of each process.
 *
 * A work item walks them while everything goes on, so what changes meanwhile is told
 * by events of its own, before or after. Nothing is held but for a short step: one
 * task, or some of its descriptors or mappings. After each, the walk ends if the trace
 * was stopped or destroyed.
 */

#include <linux/blkdev.h>
#include <linux/buildid.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "event.h"
#include "internal.h"
#include "state.h"

#define LTT_PROTO(...)	__VA_ARGS__
#define LTT_ARGS(...)
#define LTT_FIELDS(...)
#define LTT_PASS_DECLARE
#include "fields.h"
#include "events/statedump.h"

/* Descriptors or mappings in one step. */
#define LTT_STATE_STEP		64

/* What viewers call the states of a task. */
enum {
	LTT_STATUS_UNNAMED	= 0,
	LTT_STATUS_WAIT_CPU	= 2,
	LTT_STATUS_ZOMBIE	= 4,
	LTT_STATUS_WAIT		= 5,
	LTT_STATUS_DEAD		= 7,
};

/* Whoever runs is taken for one that waits: the next switch tells. */
static s32 ltt_state_status(const struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);
	int exit = READ_ONCE(task->exit_state);

	if (exit)
		return exit & EXIT_DEAD ? LTT_STATUS_DEAD : LTT_STATUS_ZOMBIE;
	if (state == TASK_RUNNING)
		return LTT_STATUS_WAIT_CPU;
	return state & TASK_NORMAL ? LTT_STATUS_WAIT : LTT_STATUS_UNNAMED;
}

static bool ltt_state_goes_on(const struct ltt_state *state)
{
	return READ_ONCE(state->trace->page->active) && !READ_ONCE(state->ended);
}

/* Is @task what the trace is limited to? */
static bool ltt_state_matches(const struct ltt_state *state, struct task_struct *task)
{
	bool matches;

	if (!state->trace->limits)
		return true;
	/* The process, and the program, must not go meanwhile. */
	mutex_lock(&ltt_mutex);
	task_lock(task);
	matches = ltt_limits_match_task(state->trace, task);
	task_unlock(task);
	mutex_unlock(&ltt_mutex);
	return matches;
}

/* The next task from id @nr on, with a reference; @nr becomes its id. */
static struct task_struct *ltt_state_next(int *nr)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	rcu_read_lock();
	for (;; ++*nr) {
		pid = find_ge_pid(*nr, &init_pid_ns);
		if (!pid)
			break;
		*nr = pid_nr(pid);
		task = pid_task(pid, PIDTYPE_PID);
		if (task) {
			get_task_struct(task);
			break;
		}
	}
	rcu_read_unlock();
	return task;
}

static void ltt_state_task(const struct ltt_state *state, struct task_struct *task)
{
	rcu_read_lock();
	/* Without a pid it is gone. */
	if (pid_alive(task))
		ltt_state_lttng_statedump_process_state(state->slots, task,
							task_active_pid_ns(task),
							ltt_state_status(task));
	rcu_read_unlock();
}

/**
 * struct ltt_state_files - a step through the descriptors of a process
 * @state: of the trace
 * @task: the process's first thread
 * @page: for the name of a file
 * @fd: the last one that was told
 * @n: descriptors in this step
 */
struct ltt_state_files {
	const struct ltt_state	*state;
	struct task_struct	*task;
	char			*page;
	unsigned int		fd;
	unsigned int		n;
};

/* In @page, or "". */
static const char *ltt_state_path(struct file *file, char *page)
{
	const char *path = file_path(file, page, PAGE_SIZE);

	return IS_ERR(path) ? "" : path;
}

/* Under the lock of the table. */
static int ltt_state_file(const void *data, struct file *file, unsigned int fd)
{
	struct ltt_state_files *files = *(struct ltt_state_files *const *)data;
	unsigned int flags = file->f_flags;

	if (ltt_close_on_exec(fd, files->task->files))
		flags |= O_CLOEXEC;
	ltt_state_lttng_statedump_file_descriptor(files->state->slots, files->task, fd,
						  flags, file->f_mode,
						  ltt_state_path(file, files->page));
	files->fd = fd;
	return ++files->n == LTT_STATE_STEP;
}

static void ltt_state_process_files(const struct ltt_state *state,
				    struct task_struct *task, char *page)
{
	struct ltt_state_files files = {
		.state = state, .task = task, .page = page,
	};
	struct ltt_state_files *const pointer = &files;
	unsigned int from = 0;
	bool more;

	do {
		files.n = 0;
		/* Holds the table, which the end of the task would let go. */
		task_lock(task);
		more = task->files && iterate_fd(task->files, from, ltt_state_file, &pointer);
		task_unlock(task);
		from = files.fd + 1;
		cond_resched();
	} while (more && ltt_state_goes_on(state));
}

/* False: the trace ends. Nobody who has the lock may hold that up. */
static bool ltt_state_lock(const struct ltt_state *state, struct mm_struct *mm)
{
	while (!mmap_read_trylock(mm)) {
		if (!ltt_state_goes_on(state))
			return false;
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/* What is executed in @vma, if it is of a file. */
static void ltt_state_object(const struct ltt_state *state, struct task_struct *task,
			     struct vm_area_struct *vma, char *page)
{
	char text[2 * BUILD_ID_SIZE_MAX + 1] = "";
	unsigned char id[BUILD_ID_SIZE_MAX];
	u32 size;

	if (!vma->vm_file || !(vma->vm_flags & VM_EXEC))
		return;
	if (!ltt_build_id(vma, id, &size))
		snprintf(text, sizeof(text), "%*phN", size, id);
	ltt_state_ltt_statedump_mapped_object(state->slots, task, vma, text,
					      ltt_state_path(vma->vm_file, page));
}

/* Some mappings from @address on; the first that was not told, or 0. */
static unsigned long ltt_state_maps(const struct ltt_state *state,
				    struct task_struct *task, struct mm_struct *mm,
				    unsigned long address, char *page)
{
	VMA_ITERATOR(vmi, mm, address);
	const bool objects = ltt_wants_ltt_statedump_mapped_object(state->slots);
	struct vm_area_struct *vma;
	unsigned int n = 0;

	for_each_vma(vmi, vma) {
		if (n++ == LTT_STATE_STEP)
			return vma->vm_start;
		ltt_state_lttng_statedump_vm_map(state->slots, task, vma);
		if (objects)
			ltt_state_object(state, task, vma, page);
	}
	return 0;
}

static void ltt_state_process_maps(const struct ltt_state *state,
				   struct task_struct *task, char *page)
{
	struct mm_struct *mm = get_task_mm(task);
	unsigned long address = 0;

	if (!mm)
		return;
	do {
		if (!ltt_state_lock(state, mm))
			break;
		address = ltt_state_maps(state, task, mm, address, page);
		mmap_read_unlock(mm);
		cond_resched();
	} while (address && ltt_state_goes_on(state));
	mmput(mm);
}

static void ltt_state_process(const struct ltt_state *state, struct task_struct *task,
			      char *page)
{
	if (!thread_group_leader(task))
		return;
	if (ltt_wants_lttng_statedump_file_descriptor(state->slots))
		ltt_state_process_files(state, task, page);
	if (ltt_wants_lttng_statedump_vm_map(state->slots) ||
	    ltt_wants_ltt_statedump_mapped_object(state->slots))
		ltt_state_process_maps(state, task, page);
}

/* All tasks: @page is NULL for themselves, else it is for what they have. */
static void ltt_state_walk(const struct ltt_state *state, char *page)
{
	struct task_struct *task;
	int nr;

	for (nr = 1; ltt_state_goes_on(state); nr++) {
		task = ltt_state_next(&nr);
		if (!task)
			return;
		if (!ltt_state_matches(state, task))
			;
		else if (page)
			ltt_state_process(state, task, page);
		else
			ltt_state_task(state, task);
		put_task_struct(task);
		cond_resched();
	}
}

static void ltt_state_interrupt(const struct ltt_state *state, unsigned int irq)
{
	const struct irqaction *action;
	const struct irq_chip *chip;
	struct irq_desc *desc;
	unsigned long flags;

	rcu_read_lock();
	desc = irq_to_desc(irq);
	if (desc) {
		raw_spin_lock_irqsave(&desc->lock, flags);
		chip = irq_desc_get_chip(desc);
		for (action = desc->action; action; action = action->next)
			ltt_state_lttng_statedump_interrupt(state->slots, irq,
							    chip && chip->name ? chip->name : "",
							    action);
		raw_spin_unlock_irqrestore(&desc->lock, flags);
	}
	rcu_read_unlock();
}

#ifdef CONFIG_BLOCK
static int ltt_state_disk(struct device *dev, void *data)
{
	const struct ltt_state *state = data;

	ltt_state_lttng_statedump_block_device(state->slots, dev->devt, dev_name(dev));
	return !ltt_state_goes_on(state);
}

static void ltt_state_disks(struct ltt_state *state)
{
	class_for_each_device(&block_class, NULL, state, ltt_state_disk);
}
#else
static void ltt_state_disks(struct ltt_state *state) {}
#endif

static void ltt_state_work(struct work_struct *work)
{
	struct ltt_state *state = container_of(work, struct ltt_state, work);
	struct ltt_trace *trace = state->trace;
	unsigned int irq;
	char *page;

	/* If it was ended before it began, the slot may be another trace's. */
	if (!ltt_state_goes_on(state))
		goto put_trace;
	ltt_state_lttng_statedump_start(state->slots, trace);
	ltt_state_walk(state, NULL);
	for (irq = 0; irq < nr_irqs && ltt_state_goes_on(state); irq++)
		ltt_state_interrupt(state, irq);
	if (ltt_state_goes_on(state))
		ltt_state_disks(state);
	page = (char *)__get_free_page(GFP_KERNEL);
	if (page)
		ltt_state_walk(state, page);
	free_page((unsigned long)page);
	if (ltt_state_goes_on(state))
		ltt_state_lttng_statedump_end(state->slots, trace);
put_trace:
	/* And @state with it. */
	ltt_trace_put(trace);
}

void ltt_state_init(struct ltt_state *state, struct ltt_trace *trace, u32 slots)
{
	INIT_WORK(&state->work, ltt_state_work);
	state->trace = trace;
	state->slots = slots;
}

/* Is any part of it selected? */
bool ltt_state_is_wanted(const struct ltt_state *state)
{
	return
#define LTT_PASS_WANTED
#include "fields.h"
#include "events/statedump.h"
		false;
}

/* From the start, if it is not just begun. */
void ltt_state_tell(struct ltt_state *state)
{
	if (!ltt_state_goes_on(state) || !ltt_state_is_wanted(state))
		return;
	kref_get(&state->trace->kref);
	if (!queue_work(system_unbound_wq, &state->work))
		ltt_trace_put(state->trace);
}

/* None is told any more. The slot is the trace's until this returns. */
void ltt_state_end(struct ltt_state *state)
{
	WRITE_ONCE(state->ended, true);
	if (cancel_work_sync(&state->work))
		ltt_trace_put(state->trace);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Targets: what a trace is limited to.
 *
 * They are resolved when the trace is created, and never change: a process that
 * is not meant gets no buffer. Of several of one kind, one must match; every kind
 * that occurs must.
 */

#include <linux/cgroup.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "internal.h"

static void ltt_limit_release(struct ltt_limit *limit)
{
	switch (limit->kind) {
	case LTT_TARGET_PID:
		put_pid(limit->pid);
		break;
	case LTT_TARGET_EXE:
		fput(limit->exe);
		break;
#ifdef CONFIG_CGROUPS
	case LTT_TARGET_CGROUP:
		cgroup_put(limit->cgroup);
		break;
#endif
	}
}

/*
 * Being followed costs a process and all its descendants: only who may look into
 * it can ask for that.
 */
static int ltt_limit_pid(struct ltt_limit *limit, s64 id, bool system)
{
	struct task_struct *task;
	struct pid *pid;
	bool allowed;

	if (id <= 0 || id > PID_MAX_LIMIT)
		return -EINVAL;
	pid = find_get_pid(id);
	task = get_pid_task(pid, PIDTYPE_TGID);
	if (!task) {
		put_pid(pid);
		return -ESRCH;
	}
	allowed = system || ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS);
	put_task_struct(task);
	if (!allowed) {
		put_pid(pid);
		return -EPERM;
	}
	limit->pid = pid;
	return 0;
}

static int ltt_limit_uid(struct ltt_limit *limit, s64 id)
{
	if (id < 0 || id >= U32_MAX)
		return -EINVAL;
	limit->uid = make_kuid(current_user_ns(), id);
	return uid_valid(limit->uid) ? 0 : -EINVAL;
}

static int ltt_limit_exe(struct ltt_limit *limit, s64 id)
{
	struct file *file = id < 0 || id > INT_MAX ? NULL : fget(id);

	if (!file)
		return -EBADF;
	if (!S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return -EINVAL;
	}
	limit->exe = file;
	return 0;
}

static int ltt_limit_cgroup(struct ltt_limit *limit, s64 id)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;

	if (id < 0 || id > INT_MAX)
		return -EBADF;
	cgroup = cgroup_get_from_fd(id);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	limit->cgroup = cgroup;
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static int ltt_limit_resolve(struct ltt_limit *limit,
			     const struct ltt_target *target, bool system)
{
	if (target->flags & ~LTT_TARGET_FOLLOW ||
	    (target->flags && target->kind != LTT_TARGET_PID))
		return -EINVAL;
	limit->kind = target->kind;
	limit->flags = target->flags;
	switch (target->kind) {
	case LTT_TARGET_PID:
		return ltt_limit_pid(limit, target->id, system);
	case LTT_TARGET_UID:
		return ltt_limit_uid(limit, target->id);
	case LTT_TARGET_EXE:
		return ltt_limit_exe(limit, target->id);
	case LTT_TARGET_CGROUP:
		return ltt_limit_cgroup(limit, target->id);
	}
	return -EINVAL;
}

void ltt_limits_free(struct ltt_limits *limits)
{
	unsigned int i;

	if (!limits)
		return;
	for (i = 0; i < limits->n; i++)
		ltt_limit_release(&limits->limits[i]);
	kfree(limits);
}

/**
 * ltt_limits_get() - resolve the targets of a trace to be
 * @params: from user space
 *
 * Return: NULL for none, or an ERR_PTR: -EINVAL (unknown kind or flag, number
 * out of range, not an ordinary file), -E2BIG (over LTT_MAX_TARGETS), -EFAULT,
 * -ESRCH (no such process), -EPERM (a process that the caller may not look
 * into, in a trace that is not of the whole system), -ENOENT (a control group
 * that was removed), -EBADF (no such descriptor, or not of a control group
 * of version 2), -ENOMEM, -EOPNOTSUPP (control groups).
 */
struct ltt_limits *ltt_limits_get(const struct ltt_trace_params *params)
{
	const struct ltt_target __user *from = u64_to_user_ptr(params->targets);
	struct ltt_limits *limits;
	struct ltt_target target;
	int ret = 0;
	u32 i;

	if (!params->n_targets != !params->targets)
		return ERR_PTR(-EINVAL);
	if (!params->n_targets)
		return NULL;
	if (params->n_targets > LTT_MAX_TARGETS)
		return ERR_PTR(-E2BIG);
	limits = kzalloc(struct_size(limits, limits, params->n_targets),
			 GFP_KERNEL_ACCOUNT);
	if (!limits)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < params->n_targets && !ret; i++) {
		if (copy_from_user(&target, from + i, sizeof(target))) {
			ret = -EFAULT;
			break;
		}
		limits->n = i + 1;
		ret = ltt_limit_resolve(&limits->limits[i], &target,
					params->flags & LTT_TRACE_SYSTEM);
		if (ret)
			limits->n = i;
		else
			limits->kinds |= BIT(target.kind);
	}
	if (!ret)
		return limits;
	ltt_limits_free(limits);
	return ERR_PTR(ret);
}

/*
 * The processes named by their numbers, with LTT_TARGET_FOLLOW: a mark that fork()
 * and exec hand on. One that ended meanwhile has no children to come.
 */
void ltt_limits_follow(struct ltt_trace *trace)
{
	struct ltt_limits *limits = trace->limits;
	struct task_struct *task;
	unsigned int i;

	lockdep_assert_held(&ltt_mutex);
	for (i = 0; limits && i < limits->n; i++) {
		if (!(limits->limits[i].flags & LTT_TARGET_FOLLOW))
			continue;
		task = get_pid_task(limits->limits[i].pid, PIDTYPE_TGID);
		if (!task)
			continue;
		ltt_process_follow(task, trace->slot);
		put_task_struct(task);
	}
}

/* The slot may get another trace now. */
void ltt_limits_unfollow(struct ltt_trace *trace)
{
	struct ltt_process *process;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(process, &ltt_processes, node)
		process->followed &= ~BIT(trace->slot);
}

static bool ltt_limit_matches_exe(const struct ltt_limit *limit,
				  const struct ltt_process *process)
{
	/* Both are held open: an inode in use is the only one of its file. */
	return process->exe &&
	       file_inode(limit->exe) == file_inode(process->exe);
}

static bool ltt_limit_matches_cgroup(const struct ltt_limit *limit,
				     const struct ltt_process *process)
{
	bool matches = false;
#ifdef CONFIG_CGROUPS
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(process->pid, PIDTYPE_TGID);
	matches = task && task_under_cgroup_hierarchy(task, limit->cgroup);
	rcu_read_unlock();
#endif
	return matches;
}

static bool ltt_limit_matches(const struct ltt_trace *trace,
			      const struct ltt_limit *limit,
			      const struct ltt_process *process)
{
	switch (limit->kind) {
	case LTT_TARGET_PID:
		return limit->pid == process->pid ||
		       (limit->flags & LTT_TARGET_FOLLOW &&
			process->followed & BIT(trace->slot));
	case LTT_TARGET_UID:
		return uid_eq(limit->uid, process->cred->uid);
	case LTT_TARGET_EXE:
		return ltt_limit_matches_exe(limit, process);
	default:
		return ltt_limit_matches_cgroup(limit, process);
	}
}

/* Is @process what @trace is limited to? Under ltt_mutex. */
bool ltt_limits_match(const struct ltt_trace *trace,
		      const struct ltt_process *process)
{
	const struct ltt_limits *limits = trace->limits;
	unsigned int i;
	u32 kinds = 0;

	lockdep_assert_held(&ltt_mutex);
	if (!limits)
		return true;
	for (i = 0; i < limits->n; i++)
		if (ltt_limit_matches(trace, &limits->limits[i], process))
			kinds |= BIT(limits->limits[i].kind);
	return kinds == limits->kinds;
}

static bool ltt_task_has_exe(struct task_struct *task, const struct file *exe)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	struct file *file;

	if (!mm || task->flags & PF_KTHREAD)
		return false;
	file = rcu_dereference(mm->exe_file);
	return file && file_inode(file) == file_inode(exe);
}

static bool ltt_limit_matches_task(const struct ltt_trace *trace,
				   const struct ltt_limit *limit,
				   struct task_struct *task)
{
	const struct ltt_process *process;

	switch (limit->kind) {
	case LTT_TARGET_PID:
		process = task->signal ? READ_ONCE(task->signal->ltt) : NULL;
		return limit->pid == task_tgid(task) ||
		       (limit->flags & LTT_TARGET_FOLLOW && process &&
			READ_ONCE(process->followed) & BIT(trace->slot));
	case LTT_TARGET_UID:
		return uid_eq(limit->uid, task_uid(task));
	case LTT_TARGET_EXE:
		return ltt_task_has_exe(task, limit->exe);
	default:
#ifdef CONFIG_CGROUPS
		return task_under_cgroup_hierarchy(task, limit->cgroup);
#else
		return false;
#endif
	}
}

/**
 * ltt_limits_match_task() - is an event of @task what @trace is limited to?
 * @trace: any
 * @task: current, or the task that this processor is about to run; it need not be
 *	registered. Its program and its signals are not about to go
 *
 * Any context, with preemption off.
 */
bool ltt_limits_match_task(const struct ltt_trace *trace,
			   struct task_struct *task)
{
	const struct ltt_limits *limits = trace->limits;
	unsigned int i;
	u32 kinds = 0;

	if (!limits)
		return true;
	rcu_read_lock();
	for (i = 0; i < limits->n; i++)
		if (ltt_limit_matches_task(trace, &limits->limits[i], task))
			kinds |= BIT(limits->limits[i].kind);
	rcu_read_unlock();
	return kinds == limits->kinds;
}

#ifdef CONFIG_LTT_KUNIT_TEST
#include "target_kunit.c"
#endif

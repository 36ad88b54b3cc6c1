/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace tracing into buffers that the kernel owns: the hooks.
 *
 * Every touch of other kernel code is one call of an inline below. Each costs
 * one predicted test of a pointer for a thread that never registered, and nothing
 * with CONFIG_LTT off.
 */
#ifndef _LINUX_LTT_H
#define _LINUX_LTT_H

#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal_types.h>

struct pt_regs;
struct vm_area_struct;

#ifdef CONFIG_LTT

void __ltt_fork(struct task_struct *child, u64 clone_flags);
void __ltt_exec(void);
void __ltt_exit(bool group_dead);
bool __ltt_vma_dontcopy(struct vm_area_struct *vma);
void __ltt_cred_changed(void);
void __ltt_resume_user_mode(struct pt_regs *regs);
int __ltt_dequeue_signal(kernel_siginfo_t *info);
void __ltt_defer_signal(void);
void __ltt_set_blocked(const sigset_t *newset);
void __ltt_note_restart(struct pt_regs *regs);
void __ltt_restart_syscall(void);
void __ltt_save_vmcoreinfo(void);

/* The child is complete and does not run yet. It starts without our state. */
static inline void ltt_fork(struct task_struct *child, u64 clone_flags)
{
	child->ltt = NULL;
	if (unlikely(current->signal->ltt))
		__ltt_fork(child, clone_flags);
}

/* Past the point of no return, the old address space is gone. */
static inline void ltt_exec(void)
{
	if (unlikely(current->signal->ltt))
		__ltt_exec();
}

/* PF_EXITING is set, the address space is still there. */
static inline void ltt_exit(bool group_dead)
{
	/* The last thread of the group may be faster, and clear the group's. */
	if (unlikely(current->ltt || current->signal->ltt))
		__ltt_exit(group_dead);
}

/* May fork() leave this mapping out? Called with both mmap locks held. */
static inline bool ltt_vma_dontcopy(struct vm_area_struct *vma)
{
	return unlikely(current->ltt) && __ltt_vma_dontcopy(vma);
}

/*
 * Last in resume_user_mode_work(): a restart of the system call is arranged by
 * now, so a handler that runs from here on cannot be seen by the program.
 */
static inline void ltt_resume_user_mode(struct pt_regs *regs)
{
	if (unlikely(current->ltt))
		__ltt_resume_user_mode(regs);
}

/* Called with siglock held by get_signal(). Returns a signal number or 0. */
static inline int ltt_dequeue_signal(kernel_siginfo_t *info)
{
	return unlikely(current->ltt) ? __ltt_dequeue_signal(info) : 0;
}

/* Other credentials, or another PR_SET_DUMPABLE: who may trace the thread? */
static inline void ltt_cred_changed(void)
{
	if (unlikely(current->signal->ltt))
		__ltt_cred_changed();
}

/* get_signal() found a signal that goes first. */
static inline void ltt_defer_signal(void)
{
	if (unlikely(current->ltt))
		__ltt_defer_signal();
}

/* current->blocked is about to become @blocked; siglock is held. */
static inline void ltt_set_blocked(const sigset_t *blocked)
{
	if (unlikely(current->ltt))
		__ltt_set_blocked(blocked);
}

/* @regs were made to call restart_syscall(). */
static inline void ltt_note_restart(struct pt_regs *regs)
{
	if (unlikely(current->ltt))
		__ltt_note_restart(regs);
}

/* restart_syscall() was entered. */
static inline void ltt_restart_syscall(void)
{
	if (unlikely(current->ltt))
		__ltt_restart_syscall();
}

/* Before the note of VMCOREINFO is written. */
static inline void ltt_save_vmcoreinfo(void)
{
	__ltt_save_vmcoreinfo();
}

#else /* !CONFIG_LTT */

static inline void ltt_fork(struct task_struct *child, u64 clone_flags) { }
static inline void ltt_exec(void) { }
static inline void ltt_exit(bool group_dead) { }
static inline bool ltt_vma_dontcopy(struct vm_area_struct *vma)
{
	return false;
}

static inline void ltt_cred_changed(void) { }

static inline void ltt_resume_user_mode(struct pt_regs *regs) { }
static inline int ltt_dequeue_signal(kernel_siginfo_t *info)
{
	return 0;
}

static inline void ltt_defer_signal(void) { }
static inline void ltt_set_blocked(const sigset_t *blocked) { }
static inline void ltt_note_restart(struct pt_regs *regs) { }
static inline void ltt_restart_syscall(void) { }
static inline void ltt_save_vmcoreinfo(void) { }

#endif /* CONFIG_LTT */
#endif /* _LINUX_LTT_H */

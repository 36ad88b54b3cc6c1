// SPDX-License-Identifier: GPL-2.0
/*
 * Telling threads that a trace changed, without disturbing them.
 *
 * A thread is only marked (TIF_NOTIFY_RESUME): it is neither woken nor are its
 * system calls interrupted. When it returns to user mode by itself, the hook
 * at the end of resume_user_mode_work() runs after any restart of a system call
 * was arranged, looks whether a handler may run now, and asks get_signal() for
 * one pass. The signal is made up there, under siglock, and never queued: it
 * shows in no pending set, no sigwait() or signalfd can take it, no limit can
 * swallow it, and it cannot meet SIG_DFL.
 *
 * What cannot be delivered now stays marked in ltt_task.work:
 *  - the signal is blocked: looked at again where the mask is set;
 *  - a system call is being restarted by restart_syscall(): a handler's
 *    sigreturn would turn it into EINTR, so it waits for that call's return;
 *  - KVM runs the hook without registers: looked at again at the next mark.
 *
 * The gates hold the truth at once in any case.
 */

#include <linux/resume_user_mode.h>
#include <linux/sched/signal.h>
#include <linux/seccomp.h>

#include "internal.h"

/* @trace changed: every process that it covers shall know. Under ltt_mutex. */
void ltt_notify_trace(struct ltt_trace *trace)
{
	struct ltt_process *process;
	struct ltt_task *lt;

	lockdep_assert_held(&ltt_mutex);
	list_for_each_entry(process, &ltt_processes, node) {
		if (!ltt_trace_covers(trace, process))
			continue;
		ltt_process_set_gates(process);
		if (!process->signal)
			continue;
		spin_lock(&process->lock);
		list_for_each_entry(lt, &process->tasks, node) {
			set_bit(LTT_WORK_NOTIFY, &lt->work);
			set_notify_resume(lt->task);
		}
		spin_unlock(&process->lock);
	}
}

/* That of the current thread stays as long as it runs. */
static struct sighand_struct *ltt_sighand(void)
{
	return rcu_dereference_raw(current->sighand);
}

/* The one that was registered: a program's own must not get what is not its. */
static bool ltt_handler_installed(const struct ltt_process *process, int signal)
{
	unsigned long wanted = READ_ONCE(process->handler);
	__sighandler_t handler;

	/* May change right after; get_signal() looks again under siglock. */
	handler = READ_ONCE(ltt_sighand()->action[signal - 1].sa.sa_handler);
	if (handler == SIG_DFL || handler == SIG_IGN)
		return false;
	return !wanted || (unsigned long)handler == wanted;
}

static bool ltt_in_restart(struct ltt_task *lt, struct pt_regs *regs)
{
	return lt->restart_ip && lt->restart_ip == instruction_pointer(regs) &&
	       lt->restart_ax == regs_return_value(regs);
}

static bool ltt_seccomp_strict(void)
{
#ifdef CONFIG_SECCOMP
	return current->seccomp.mode == SECCOMP_MODE_STRICT;
#else
	return false;
#endif
}

void __ltt_resume_user_mode(struct pt_regs *regs)
{
	struct ltt_task *lt = current->ltt;
	int signal = READ_ONCE(lt->process->signal);

	if (likely(!READ_ONCE(lt->work)))
		return;
	if (test_and_clear_bit(LTT_WORK_PIN, &lt->work))
		ltt_task_forked(lt);
	if (test_and_clear_bit(LTT_WORK_CRED, &lt->work))
		ltt_task_identify(lt);
	if (!test_bit(LTT_WORK_NOTIFY, &lt->work))
		return;
	if (!signal || ltt_seccomp_strict() || !ltt_handler_installed(lt->process, signal)) {
		clear_bit(LTT_WORK_NOTIFY, &lt->work);
		return;
	}
	if (!regs || ltt_in_restart(lt, regs) ||
	    sigismember(&current->blocked, signal))
		return;
	lt->deliver = true;
	set_thread_flag(TIF_SIGPENDING);
}

int __ltt_dequeue_signal(kernel_siginfo_t *info)
{
	struct ltt_task *lt = current->ltt;
	int signal = READ_ONCE(lt->process->signal);

	lockdep_assert_held(&ltt_sighand()->siglock);
	if (likely(!lt->deliver))
		return 0;
	lt->deliver = false;
	if (!signal || sigismember(&current->blocked, signal))
		return 0;
	clear_bit(LTT_WORK_NOTIFY, &lt->work);
	if (!ltt_handler_installed(lt->process, signal))
		return 0;
	clear_siginfo(info);
	info->si_signo = signal;
	info->si_code = SI_KERNEL;
	return signal;
}

void __ltt_defer_signal(void)
{
	struct ltt_task *lt = current->ltt;

	if (!lt->deliver)
		return;
	lt->deliver = false;
	set_notify_resume(current);
}

void __ltt_set_blocked(const sigset_t *newset)
{
	struct ltt_task *lt = current->ltt;
	int signal = READ_ONCE(lt->process->signal);
	sigset_t blocked = *newset;

	if (test_bit(LTT_WORK_NOTIFY, &lt->work) && signal &&
	    !sigismember(&blocked, signal))
		set_notify_resume(current);
}

void __ltt_note_restart(struct pt_regs *regs)
{
	struct ltt_task *lt = current->ltt;

	lt->restart_ip = instruction_pointer(regs);
	lt->restart_ax = regs_return_value(regs);
}

void __ltt_restart_syscall(void)
{
	struct ltt_task *lt = current->ltt;

	lt->restart_ip = 0;
	if (READ_ONCE(lt->work))
		set_notify_resume(current);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Signals, from who sends one to the handler that runs. */

LTT_EVENT(signal_generate, signal_generate, NULL,
	  LTT_PROTO(int sig, struct kernel_siginfo *info,
		    struct task_struct *task, int group, int result),
	  LTT_ARGS(sig, info, task, group, result),
	  LTT_FIELDS(LTT_INT(s32, sig, sig)
		     LTT_INT(s32, errno, ltt_signal_errno(info))
		     LTT_INT(s32, code, ltt_signal_code(info))
		     LTT_COMM(comm, task)
		     LTT_INT(s32, pid, task->pid)
		     LTT_INT(s32, group, group)
		     LTT_INT(s32, result, result)))

LTT_EVENT(signal_deliver, signal_deliver, NULL,
	  LTT_PROTO(int sig, struct kernel_siginfo *info,
		    struct k_sigaction *ka),
	  LTT_ARGS(sig, info, ka),
	  LTT_FIELDS(LTT_INT(s32, sig, sig)
		     LTT_INT(s32, errno, ltt_signal_errno(info))
		     LTT_INT(s32, code, ltt_signal_code(info))
		     LTT_INT(u64, sa_handler, (unsigned long)ka->sa.sa_handler)
		     LTT_INT(u64, sa_flags, ka->sa.sa_flags)))

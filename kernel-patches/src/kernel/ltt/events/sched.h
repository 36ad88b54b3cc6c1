/* SPDX-License-Identifier: GPL-2.0 */
/* What tasks do, and who lets them. */

#define LTT_PRIO(task)	((task)->prio - MAX_RT_PRIO)

LTT_EVENT(sched_switch, sched_switch, next,
	  LTT_PROTO(bool preempt, struct task_struct *prev,
		    struct task_struct *next, unsigned int prev_state),
	  LTT_ARGS(preempt, prev, next, prev_state),
	  LTT_FIELDS(LTT_COMM(prev_comm, prev)
		     LTT_INT(s32, prev_tid, prev->pid)
		     LTT_INT(s32, prev_prio, LTT_PRIO(prev))
		     LTT_INT(s64, prev_state, ltt_task_state(preempt, prev, prev_state))
		     LTT_COMM(next_comm, next)
		     LTT_INT(s32, next_tid, next->pid)
		     LTT_INT(s32, next_prio, LTT_PRIO(next))))

#define LTT_WAKEUP(name)						\
	LTT_EVENT(name, name, NULL,					\
		  LTT_PROTO(struct task_struct *p), LTT_ARGS(p),	\
		  LTT_FIELDS(LTT_COMM(comm, p)				\
			     LTT_INT(s32, tid, p->pid)			\
			     LTT_INT(s32, prio, LTT_PRIO(p))		\
			     LTT_INT(s32, target_cpu, task_cpu(p))))

LTT_WAKEUP(sched_waking)
LTT_WAKEUP(sched_wakeup)
LTT_WAKEUP(sched_wakeup_new)
#undef LTT_WAKEUP

LTT_EVENT(sched_migrate_task, sched_migrate_task, NULL,
	  LTT_PROTO(struct task_struct *p, int dest_cpu),
	  LTT_ARGS(p, dest_cpu),
	  LTT_FIELDS(LTT_COMM(comm, p)
		     LTT_INT(s32, tid, p->pid)
		     LTT_INT(s32, prio, LTT_PRIO(p))
		     LTT_INT(s32, orig_cpu, task_cpu(p))
		     LTT_INT(s32, dest_cpu, dest_cpu)))

LTT_EVENT(sched_process_fork, sched_process_fork, NULL,
	  LTT_PROTO(struct task_struct *parent, struct task_struct *child),
	  LTT_ARGS(parent, child),
	  LTT_FIELDS(LTT_COMM(parent_comm, parent)
		     LTT_INT(s32, parent_tid, parent->pid)
		     LTT_INT(s32, parent_pid, parent->tgid)
		     LTT_INT(u32, parent_ns_inum, ltt_pid_ns(parent))
		     LTT_COMM(child_comm, child)
		     LTT_INT(s32, child_tid, child->pid)
		     LTT_PIDS(vtids, child)
		     LTT_INT(s32, child_pid, child->tgid)
		     LTT_INT(u32, child_ns_inum, ltt_pid_ns(child))))

LTT_EVENT(sched_process_exec, sched_process_exec, NULL,
	  LTT_PROTO(struct task_struct *p, pid_t old_pid,
		    struct linux_binprm *bprm),
	  LTT_ARGS(p, old_pid, bprm),
	  LTT_FIELDS(LTT_TEXT(filename, bprm->filename)
		     LTT_INT(s32, tid, p->pid)
		     LTT_INT(s32, old_tid, old_pid)))

#define LTT_PROCESS(name)						\
	LTT_EVENT(name, name, NULL,					\
		  LTT_PROTO(struct task_struct *p), LTT_ARGS(p),	\
		  LTT_FIELDS(LTT_COMM(comm, p)				\
			     LTT_INT(s32, tid, p->pid)			\
			     LTT_INT(s32, prio, LTT_PRIO(p))))

LTT_PROCESS(sched_process_exit)
LTT_PROCESS(sched_process_free)
#undef LTT_PROCESS

LTT_EVENT(sched_process_wait, sched_process_wait, NULL,
	  LTT_PROTO(struct pid *pid), LTT_ARGS(pid),
	  LTT_FIELDS(LTT_COMM(comm, current)
		     LTT_INT(s32, tid, pid_nr(pid))
		     LTT_INT(s32, prio, LTT_PRIO(current))))

LTT_EVENT(sched_pi_setprio, sched_pi_setprio, NULL,
	  LTT_PROTO(struct task_struct *tsk, struct task_struct *pi_task),
	  LTT_ARGS(tsk, pi_task),
	  LTT_FIELDS(LTT_COMM(comm, tsk)
		     LTT_INT(s32, tid, tsk->pid)
		     LTT_INT(s32, oldprio, LTT_PRIO(tsk))
		     LTT_INT(s32, newprio, pi_task ? LTT_PRIO(pi_task) : LTT_PRIO(tsk))))

LTT_EVENT(task_rename, task_rename, NULL,
	  LTT_PROTO(struct task_struct *task, const char *comm),
	  LTT_ARGS(task, comm),
	  LTT_FIELDS(LTT_INT(s32, tid, task->pid)
		     LTT_COMM(oldcomm, task)
		     LTT_TEXT(newcomm, comm)
		     LTT_INT(s16, oom_score_adj, task->signal->oom_score_adj)))

#undef LTT_PRIO

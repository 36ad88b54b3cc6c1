/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of the system, which state.c tells when a trace starts.
 *
 *	LTT_STATE(name, LTT_PROTO(type argument, ...), LTT_ARGS(argument, ...),
 *		  LTT_FIELDS(...))
 *
 * makes of each event ltt_wants_NAME(slots) and ltt_state_NAME(slots, argument, ...).
 */

/* As viewers know them. */
#define LTT_MODE_UNKNOWN	5
#define LTT_SUBMODE_NONE	0

LTT_STATE(lttng_statedump_start,
	  LTT_PROTO(const struct ltt_trace *trace), LTT_ARGS(trace), LTT_FIELDS())

LTT_STATE(lttng_statedump_process_state,
	  LTT_PROTO(struct task_struct *p, struct pid_namespace *ns, s32 status),
	  LTT_ARGS(p, ns, status),
	  LTT_FIELDS(LTT_INT(s32, tid, p->pid)
		     LTT_INT(s32, vtid, ltt_pid_in(p, PIDTYPE_PID, ns))
		     LTT_INT(s32, pid, p->tgid)
		     LTT_INT(s32, vpid, ltt_pid_in(p, PIDTYPE_TGID, ns))
		     LTT_INT(s32, ppid, ltt_parent_in(p, &init_pid_ns))
		     LTT_INT(s32, vppid, ltt_parent_in(p, ns))
		     LTT_COMM(name, p)
		     LTT_INT(s32, type, !!(p->flags & PF_KTHREAD))
		     LTT_INT(s32, mode, LTT_MODE_UNKNOWN)
		     LTT_INT(s32, submode, LTT_SUBMODE_NONE)
		     LTT_INT(s32, status, status)
		     LTT_INT(s32, ns_level, ns ? ns->level : 0)
		     LTT_INT(u32, ns_inum, ns ? ns->ns.inum : 0)
		     LTT_INT(u32, cpu, task_cpu(p))))

LTT_STATE(lttng_statedump_file_descriptor,
	  LTT_PROTO(struct task_struct *p, int fd, unsigned int flags,
		    fmode_t fmode, const char *filename),
	  LTT_ARGS(p, fd, flags, fmode, filename),
	  LTT_FIELDS(LTT_INT(s32, pid, p->tgid)
		     LTT_INT(s32, fd, fd)
		     LTT_HEX(u32, flags, flags)
		     LTT_HEX(u32, fmode, (__force u32)fmode)
		     LTT_TEXT(filename, filename)))

LTT_STATE(lttng_statedump_vm_map,
	  LTT_PROTO(struct task_struct *p, struct vm_area_struct *vma),
	  LTT_ARGS(p, vma),
	  LTT_FIELDS(LTT_INT(s32, pid, p->tgid)
		     LTT_HEX(u64, start, vma->vm_start)
		     LTT_HEX(u64, end, vma->vm_end)
		     LTT_HEX(u64, flags, vma->vm_flags)
		     LTT_INT(u64, inode, vma->vm_file ? file_inode(vma->vm_file)->i_ino : 0)
		     LTT_INT(u64, pgoff, (u64)vma->vm_pgoff << PAGE_SHIFT)))

/* What is executed there, for those who look up its symbols; not among LTTng's. */
LTT_STATE(ltt_statedump_mapped_object,
	  LTT_PROTO(struct task_struct *p, struct vm_area_struct *vma,
		    const char *build_id, const char *filename),
	  LTT_ARGS(p, vma, build_id, filename),
	  LTT_FIELDS(LTT_INT(s32, pid, p->tgid)
		     LTT_HEX(u64, start, vma->vm_start)
		     LTT_HEX(u64, end, vma->vm_end)
		     LTT_INT(u64, pgoff, (u64)vma->vm_pgoff << PAGE_SHIFT)
		     LTT_TEXT(build_id, build_id)
		     LTT_TEXT(filename, filename)))

LTT_STATE(lttng_statedump_block_device,
	  LTT_PROTO(u32 dev, const char *diskname),
	  LTT_ARGS(dev, diskname),
	  LTT_FIELDS(LTT_INT(u32, dev, dev)
		     LTT_TEXT(diskname, diskname)))

LTT_STATE(lttng_statedump_interrupt,
	  LTT_PROTO(unsigned int irq, const char *chip,
		    const struct irqaction *action),
	  LTT_ARGS(irq, chip, action),
	  LTT_FIELDS(LTT_INT(u32, irq, irq)
		     LTT_TEXT(name, chip)
		     LTT_TEXT(action, action->name ?: "")
		     LTT_INT(s32, tid, action->thread ? action->thread->pid : 0)))

LTT_STATE(lttng_statedump_end,
	  LTT_PROTO(const struct ltt_trace *trace), LTT_ARGS(trace), LTT_FIELDS())

#undef LTT_MODE_UNKNOWN
#undef LTT_SUBMODE_NONE

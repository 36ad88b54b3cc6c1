// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the kernel: their probes, made from the table in events/.
 *
 * A probe works out how large its event is, and writes it for each trace that wants
 * it into the buffer that this processor has there (cpu.h).
 */

#include <linux/binfmts.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/blktrace_api.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>
#include <asm/trace/exceptions.h>
#include <asm/unistd.h>

#ifdef CONFIG_BLOCK
#include <trace/events/block.h>
#endif
#include <trace/events/irq.h>
#include <trace/events/kmem.h>
#include <trace/events/net.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "cpu.h"
#include "event.h"

#define LTT_PROTO(...)	__VA_ARGS__
#define LTT_ARGS(...)	__VA_ARGS__
#define LTT_FIELDS(...)	__VA_ARGS__

/* With the final NUL; twice that may lie on the stack. */
#define LTT_MAX_USER_TEXT	256
/* Of a name of the kernel's that may change. */
#define LTT_N_CHARS		16
static_assert(TASK_COMM_LEN == LTT_N_CHARS);
static_assert(IFNAMSIZ == LTT_N_CHARS);
/* Of any other string. */
#define LTT_MAX_TEXT		4096

/* Codes of types, as in include/ust/definition.h of the project. */
#define LTT_CODE_u8		"\001"
#define LTT_CODE_u16		"\002"
#define LTT_CODE_u32		"\003"
#define LTT_CODE_u64		"\004"
#define LTT_CODE_s8		"\005"
#define LTT_CODE_s16		"\006"
#define LTT_CODE_s32		"\007"
#define LTT_CODE_s64		"\010"
#define LTT_CODE_STRING		"\015"
#define LTT_CODE_POINTER	"\016"
#define LTT_CODE_HEX		"\026"
/* An array of LTT_N_CHARS characters. */
#define LTT_CODE_CHARS		"\050\020\0\0\0\014"
#define LTT_CODE_REGISTERS	"\050\006\0\0\0\026\004"
#define LTT_CODE_PAIR		"\050\002\0\0\0\007"
#define LTT_CODE_PIDS		"\051\007"

/* The arguments of a system call, where it keeps them. */
#define LTT_A0	(regs->di)
#define LTT_A1	(regs->si)
#define LTT_A2	(regs->dx)
#define LTT_A3	(regs->r10)
#define LTT_A4	(regs->r8)
#define LTT_A5	(regs->r9)

#define LTT_PUT(type)							\
	static __always_inline u8 *ltt_put_##type(u8 *at, type value)	\
	{								\
		memcpy(at, &value, sizeof(value));			\
		return at + sizeof(value);				\
	}

LTT_PUT(u16)
LTT_PUT(s16)
LTT_PUT(s32)
LTT_PUT(u32)
LTT_PUT(s64)
LTT_PUT(u64)

/*
 * The name of a task, or of a device. It may be changed meanwhile, so its size must
 * not depend on it.
 */
static __always_inline u8 *ltt_put_chars(u8 *at, const char *chars)
{
	memcpy(at, chars, LTT_N_CHARS);
	return at + LTT_N_CHARS;
}

static u16 ltt_text_size(const char *text)
{
	return strnlen(text, LTT_MAX_TEXT - 1) + 1;
}

/* @size counts the final NUL. */
static u8 *ltt_put_text(u8 *at, const char *text, u16 size)
{
	memcpy(at, text, size - 1);
	at[size - 1] = 0;
	return at + size;
}

/* Tracepoints do not wait for a page of the program. */
static u16 ltt_copy_text(char *to, unsigned long from)
{
	long size = strncpy_from_user_nofault(to, (const char __user *)from,
					      LTT_MAX_USER_TEXT);

	if (size > 0)
		return size;
	to[0] = 0;
	return 1;
}

static u8 *ltt_put_registers(u8 *at, const struct pt_regs *regs)
{
	at = ltt_put_u64(at, LTT_A0);
	at = ltt_put_u64(at, LTT_A1);
	at = ltt_put_u64(at, LTT_A2);
	at = ltt_put_u64(at, LTT_A3);
	at = ltt_put_u64(at, LTT_A4);
	return ltt_put_u64(at, LTT_A5);
}

static u8 *ltt_put_user_pair(u8 *at, unsigned long from)
{
	const size_t size = 2 * sizeof(s32);

	if (copy_from_user_nofault(at, (const void __user *)from, size))
		memset(at, 0, size);
	return at + size;
}

/* How many there are is fixed as long as the task is. */
static u64 ltt_pids_size(struct task_struct *task)
{
	return sizeof(u32) + (task_pid(task)->level + 1) * sizeof(s32);
}

static u8 *ltt_put_pids(u8 *at, struct task_struct *task)
{
	const struct pid *pid = task_pid(task);
	unsigned int i;

	at = ltt_put_u32(at, pid->level + 1);
	for (i = 0; i <= pid->level; i++)
		at = ltt_put_s32(at, pid->numbers[i].nr);
	return at;
}

/* Which traces, by their slots. */
static __always_inline u32 ltt_wanted_by(unsigned int event)
{
	/* Pairs with the barrier in ltt_kernel_create(). */
	return smp_load_acquire(&ltt_wanted[event]);
}

/* Of the first one in @wanted. */
static __always_inline struct ltt_cpu *ltt_cpu_of(u32 wanted)
{
	return __this_cpu_read(ltt_cpus[__ffs(wanted)]);
}

/* The state that a task is switched from, as one bit; more than all if it goes on. */
static __always_inline s64 ltt_task_state(bool preempt, struct task_struct *task,
					  unsigned int state)
{
	unsigned int index;

	if (preempt)
		return TASK_REPORT_MAX;
	index = __task_state_index(state, task->exit_state);
	return index ? 1 << (index - 1) : 0;
}

static __always_inline u32 ltt_pid_ns(struct task_struct *task)
{
	struct pid_namespace *ns = task_active_pid_ns(task);

	return ns ? ns->ns.inum : 0;
}

static __always_inline s32 ltt_signal_errno(const struct kernel_siginfo *info)
{
	return info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV ? 0 : info->si_errno;
}

static __always_inline s32 ltt_signal_code(const struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO)
		return SI_USER;
	return info == SEND_SIG_PRIV ? SI_KERNEL : info->si_code;
}

/* The id of @task in @ns. */
static s32 ltt_pid_in(struct task_struct *task, enum pid_type type,
		      struct pid_namespace *ns)
{
	return ns ? __task_pid_nr_ns(task, type, ns) : 0;
}

/* Of the process that made that of @task. Under rcu_read_lock(). */
static s32 ltt_parent_in(struct task_struct *task, struct pid_namespace *ns)
{
	return ltt_pid_in(rcu_dereference(task->real_parent), PIDTYPE_TGID, ns);
}

#ifdef CONFIG_BLOCK
static u32 ltt_disk_of(const struct request *rq)
{
	return rq->q->disk ? disk_devt(rq->q->disk) : 0;
}

/* What a request does, in the bits that viewers know. */
static u32 ltt_rwbs(blk_opf_t flags)
{
	static const u16 bits[] = {
		[REQ_OP_READ]		= BIT(2),
		[REQ_OP_WRITE]		= BIT(0),
		[REQ_OP_FLUSH]		= BIT(8),
		[REQ_OP_DISCARD]	= BIT(1),
		[REQ_OP_SECURE_ERASE]	= BIT(1) | BIT(7),
	};
	const unsigned int op = (__force u32)(flags & REQ_OP_MASK);
	u32 rwbs = op < ARRAY_SIZE(bits) ? bits[op] : 0;

	if (flags & REQ_RAHEAD)
		rwbs |= BIT(3);
	if (flags & REQ_SYNC)
		rwbs |= BIT(5);
	if (flags & REQ_META)
		rwbs |= BIT(6);
	if (flags & REQ_FUA)
		rwbs |= BIT(9);
	if (flags & REQ_PREFLUSH)
		rwbs |= BIT(10);
	return rwbs;
}
#endif

enum {
	LTT_ID_NONE,
#define LTT_PASS_ID
#include "fields.h"
#include "events/all.h"
	LTT_N_EVENTS
};

u32 ltt_wanted[LTT_N_EVENTS];
const unsigned int ltt_n_events = LTT_N_EVENTS;

#define LTT_PASS_COUNT
#include "fields.h"
#include "events/all.h"

#define LTT_PASS_TEXTS
#include "fields.h"
#include "events/all.h"

#define LTT_PASS_SIZE
#include "fields.h"
#include "events/all.h"

#define LTT_PASS_PUT
#include "fields.h"
#include "events/all.h"

#define LTT_PASS_DECLARE
#include "fields.h"
#include "events/statedump.h"

#define LTT_PASS_PROBE
#include "fields.h"
#include "events/all.h"

/**
 * struct ltt_call - a system call
 * @enter: writes the event of its entry
 * @leave: writes that of its exit; NULL if there is nothing but what it returned
 * @exit: id of that event then
 */
struct ltt_call {
	void	(*enter)(struct pt_regs *regs, long id, long ret);
	void	(*leave)(struct pt_regs *regs, long id, long ret);
	u16	exit;
};

static const struct ltt_call ltt_calls[NR_syscalls] = {
#define LTT_PASS_CALLS
#include "fields.h"
#include "events/all.h"
};

static const struct ltt_call *ltt_call_of(long id)
{
	if ((unsigned long)id >= ARRAY_SIZE(ltt_calls) || !ltt_calls[id].enter)
		return NULL;
	return &ltt_calls[array_index_nospec(id, ARRAY_SIZE(ltt_calls))];
}

static void ltt_probe_enter(void *data, struct pt_regs *regs, long id)
{
	const struct ltt_call *call;

	if (unlikely(in_ia32_syscall())) {
		ltt_call_compat_syscall_entry_unknown(regs, id, 0);
		return;
	}
	call = ltt_call_of(id);
	if (call)
		call->enter(regs, id, 0);
	else
		ltt_call_syscall_entry_unknown(regs, id, 0);
}

/* The exits of most are alike. */
static void ltt_call_exit(unsigned int event, long ret)
{
	u32 wanted = ltt_wanted_by(event);
	struct ltt_cpu *cpu;
	u8 *at;

	for (; wanted; wanted &= wanted - 1) {
		cpu = ltt_cpu_of(wanted);
		if (!ltt_cpu_wants(cpu, NULL))
			continue;
		at = ltt_cpu_reserve(cpu, sizeof(u64) + sizeof(s64), event);
		if (!at)
			continue;
		ltt_put_s64(at, ret);
		ltt_cpu_finish(cpu);
	}
}

static void ltt_probe_exit(void *data, struct pt_regs *regs, long ret)
{
	long id = syscall_get_nr(current, regs);
	const struct ltt_call *call;

	if (unlikely(in_ia32_syscall())) {
		ltt_call_compat_syscall_exit_unknown(regs, id, ret);
		return;
	}
	call = ltt_call_of(id);
	if (!call)
		ltt_call_syscall_exit_unknown(regs, id, ret);
	else if (call->leave)
		call->leave(regs, id, ret);
	else
		ltt_call_exit(call->exit, ret);
}

static int ltt_attach_calls(void)
{
	int ret = register_trace_sys_enter(ltt_probe_enter, NULL);

	if (ret)
		return ret;
	ret = register_trace_sys_exit(ltt_probe_exit, NULL);
	if (ret)
		unregister_trace_sys_enter(ltt_probe_enter, NULL);
	return ret;
}

static void ltt_detach_calls(void)
{
	unregister_trace_sys_exit(ltt_probe_exit, NULL);
	unregister_trace_sys_enter(ltt_probe_enter, NULL);
}

/* One for all: who wants a few calls has the others looked at, too. */
static struct ltt_tap ltt_tap_calls = {
	.attach	= ltt_attach_calls,
	.detach	= ltt_detach_calls,
};

/* Of state.c, which asks who wants it. */
static struct ltt_tap ltt_tap_state;

const struct ltt_event ltt_events[LTT_N_EVENTS] = {
#define LTT_PASS_TABLE
#include "fields.h"
#include "events/all.h"
};

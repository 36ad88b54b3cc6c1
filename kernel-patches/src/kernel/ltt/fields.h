/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the macros of the table (events/all.h) stand for, one after the other: which
 * is chosen by LTT_PASS_..., and the file is included before each pass.
 */

#undef LTT_EVENT
#undef LTT_INT
#undef LTT_HEX
#undef LTT_PTR
#undef LTT_CHARS
#undef LTT_TEXT
#undef LTT_USER_TEXT
#undef LTT_USER_PAIR
#undef LTT_REGISTERS
#undef LTT_PIDS
#undef LTT_CALL
#undef LTT_CALL_OUT
#undef LTT_OTHER_CALL
#undef LTT_STATE

#define LTT_COMM(name, task) LTT_CHARS(name, (task)->comm)

/* In most passes these are events like others. */
#define LTT_CALL(call, number, fields)					\
	LTT_EVENT(syscall_entry_##call, sys_enter, NULL,		\
		  LTT_PROTO(struct pt_regs *regs, long id, long ret),	\
		  LTT_ARGS(regs, id, ret), fields)
#define LTT_OTHER_CALL(event, fields)					\
	LTT_EVENT(event, sys_enter, NULL,				\
		  LTT_PROTO(struct pt_regs *regs, long id, long ret),	\
		  LTT_ARGS(regs, id, ret), fields)
#define LTT_CALL_OUT(call, number, in, out)				\
	LTT_OTHER_CALL(syscall_entry_##call, in)			\
	LTT_OTHER_CALL(syscall_exit_##call, LTT_FIELDS(LTT_INT(s64, ret, ret) out))
#define LTT_STATE(event, proto, args, fields) \
	LTT_EVENT(event, none, NULL, LTT_PROTO(proto), LTT_ARGS(args), fields)

#if defined(LTT_PASS_ID)
/* Their order is that of the table. */

#undef LTT_PASS_ID
#define LTT_EVENT(event, point, other, proto, args, fields) LTT_ID_##event,
#undef LTT_CALL
#define LTT_CALL(call, number, fields) \
	LTT_ID_syscall_entry_##call, LTT_ID_syscall_exit_##call,

#elif defined(LTT_PASS_COUNT)
/* How many fields an event has. */

#undef LTT_PASS_COUNT
#define LTT_EVENT(event, point, other, proto, args, fields) \
	enum { LTT_N_##event = 0 fields };
#define LTT_INT(type, name, value) + 1
#define LTT_HEX(type, name, value) + 1
#define LTT_PTR(name, value) + 1
#define LTT_CHARS(name, value) + 1
#define LTT_TEXT(name, value) + 1
#define LTT_USER_TEXT(name, value) + 1
#define LTT_USER_PAIR(name, address) + 1
#define LTT_REGISTERS(name, regs) + 1
#define LTT_PIDS(name, task) + 1

#elif defined(LTT_PASS_TEXTS)
/* The sizes of its strings, and copies of those that are the program's. */

#undef LTT_PASS_TEXTS
#define LTT_EVENT(event, point, other, proto, args, fields) \
	struct ltt_texts_##event { fields };
#define LTT_INT(type, name, value)
#define LTT_HEX(type, name, value)
#define LTT_PTR(name, value)
#define LTT_CHARS(name, value)
#define LTT_TEXT(name, value) u16 name;
#define LTT_USER_TEXT(name, value) u16 name; char name##_text[LTT_MAX_USER_TEXT];
#define LTT_USER_PAIR(name, address)
#define LTT_REGISTERS(name, regs)
#define LTT_PIDS(name, task)

#elif defined(LTT_PASS_SIZE)
/* How many bytes this one needs. */

#undef LTT_PASS_SIZE
#define LTT_EVENT(event, point, other, proto, args, fields)		\
	static __always_inline u64					\
	ltt_size_##event(struct ltt_texts_##event *texts, proto)	\
	{								\
		u64 n = sizeof(u64);					\
									\
		fields							\
		return n;						\
	}
#define LTT_INT(type, name, value) n += sizeof(type);
#define LTT_HEX(type, name, value) n += sizeof(type);
#define LTT_PTR(name, value) n += sizeof(u64);
#define LTT_CHARS(name, value) n += LTT_N_CHARS;
#define LTT_TEXT(name, value) n += texts->name = ltt_text_size(value);
#define LTT_USER_TEXT(name, value) \
	n += texts->name = ltt_copy_text(texts->name##_text, value);
#define LTT_USER_PAIR(name, address) n += 2 * sizeof(s32);
#define LTT_REGISTERS(name, regs) n += 6 * sizeof(u64);
#define LTT_PIDS(name, task) n += ltt_pids_size(task);

#elif defined(LTT_PASS_PUT)
/* Its fields, to where they go. */

#undef LTT_PASS_PUT
#define LTT_EVENT(event, point, other, proto, args, fields)		\
	static __always_inline void					\
	ltt_put_##event(u8 *at, const struct ltt_texts_##event *texts, proto) \
	{								\
		fields							\
	}
#define LTT_INT(type, name, value) at = ltt_put_##type(at, value);
#define LTT_HEX(type, name, value) at = ltt_put_##type(at, value);
#define LTT_PTR(name, value) at = ltt_put_u64(at, (unsigned long)(value));
#define LTT_CHARS(name, value) at = ltt_put_chars(at, value);
#define LTT_TEXT(name, value) at = ltt_put_text(at, value, texts->name);
#define LTT_USER_TEXT(name, value) \
	at = ltt_put_text(at, texts->name##_text, texts->name);
#define LTT_USER_PAIR(name, address) at = ltt_put_user_pair(at, address);
#define LTT_REGISTERS(name, regs) at = ltt_put_registers(at, regs);
#define LTT_PIDS(name, task) at = ltt_put_pids(at, task);

#elif defined(LTT_PASS_PROBE)
/* The probe, and how it gets to its tracepoint. */

#undef LTT_PASS_PROBE
/* @wants: does the trace of @cpu take it? */
#define LTT_WRITE(event, slots, wants, args)				\
	u32 wanted = ltt_wanted_by(LTT_ID_##event) & (slots);		\
	struct ltt_texts_##event texts;					\
	struct ltt_cpu *cpu;						\
	u64 size;							\
	u8 *at;								\
									\
	if (!wanted)							\
		return;							\
	size = ltt_size_##event(&texts, args);				\
	for (; wanted; wanted &= wanted - 1) {				\
		cpu = ltt_cpu_of(wanted);				\
		if (!(wants))						\
			continue;					\
		at = ltt_cpu_reserve(cpu, size, LTT_ID_##event);	\
		if (!at)						\
			continue;					\
		ltt_put_##event(at, &texts, args);			\
		ltt_cpu_finish(cpu);					\
	}
#define LTT_EVENT(event, point, other, proto, args, fields)		\
	static void ltt_probe_##event(void *data, proto)		\
	{								\
		LTT_WRITE(event, ~0u, ltt_cpu_wants(cpu, other), LTT_ARGS(args)) \
	}								\
									\
	static int ltt_attach_##event(void)				\
	{								\
		return register_trace_##point(ltt_probe_##event, NULL);	\
	}								\
									\
	static void ltt_detach_##event(void)				\
	{								\
		unregister_trace_##point(ltt_probe_##event, NULL);	\
	}								\
									\
	static struct ltt_tap ltt_tap_##event = {			\
		.attach	= ltt_attach_##event,				\
		.detach	= ltt_detach_##event,				\
	};
#undef LTT_CALL
#define LTT_CALL(call, number, fields) \
	LTT_OTHER_CALL(syscall_entry_##call, fields)
#undef LTT_OTHER_CALL
#define LTT_OTHER_CALL(event, fields)					\
	static void ltt_call_##event(struct pt_regs *regs, long id, long ret) \
	{								\
		LTT_WRITE(event, ~0u, ltt_cpu_wants(cpu, NULL),		\
			  LTT_ARGS(regs, id, ret))			\
	}
#undef LTT_STATE
#define LTT_STATE(event, proto, args, fields)				\
	static __always_inline void ltt_tell_##event(u32 slots, proto)	\
	{								\
		LTT_WRITE(event, slots, READ_ONCE(cpu->page->active),	\
			  LTT_ARGS(args))				\
	}								\
									\
	void ltt_state_##event(u32 slots, proto)			\
	{								\
		preempt_disable();					\
		ltt_tell_##event(slots, args);				\
		preempt_enable();					\
	}								\
									\
	bool ltt_wants_##event(u32 slots)				\
	{								\
		return ltt_wanted_by(LTT_ID_##event) & slots;		\
	}

#elif defined(LTT_PASS_DECLARE)
/* What events of the state are written by, for state.c. */

#undef LTT_PASS_DECLARE
#undef LTT_STATE
#define LTT_STATE(event, proto, args, fields)				\
	void ltt_state_##event(u32 slots, proto);			\
	bool ltt_wants_##event(u32 slots);

#elif defined(LTT_PASS_WANTED)
/* Is any event of the state wanted? An expression that goes on, for state.c. */

#undef LTT_PASS_WANTED
#undef LTT_STATE
#define LTT_STATE(event, proto, args, fields) ltt_wants_##event(state->slots) ||

#elif defined(LTT_PASS_CALLS)
/* What becomes of system calls, by their numbers. */

#undef LTT_PASS_CALLS
#define LTT_EVENT(event, point, other, proto, args, fields)
#undef LTT_CALL
#define LTT_CALL(call, number, fields)					\
	[__NR_##number] = {						\
		.enter	= ltt_call_syscall_entry_##call,		\
		.exit	= LTT_ID_syscall_exit_##call,			\
	},
#undef LTT_CALL_OUT
#define LTT_CALL_OUT(call, number, in, out)				\
	[__NR_##number] = {						\
		.enter	= ltt_call_syscall_entry_##call,		\
		.leave	= ltt_call_syscall_exit_##call,			\
	},
#undef LTT_OTHER_CALL
#define LTT_OTHER_CALL(event, fields)

#elif defined(LTT_PASS_TABLE)
/* What readers and those who select it see of it. */

#undef LTT_PASS_TABLE
#define LTT_LINE(event, n, source, fields)				\
	[LTT_ID_##event] = {						\
		.group		= LTT_GROUP,				\
		.name		= #event,				\
		.layout		= "" fields,				\
		.layout_size	= sizeof("" fields) - 1,		\
		.n_fields	= n,					\
		.tap		= &source,				\
	},
#define LTT_EVENT(event, point, other, proto, args, fields) \
	LTT_LINE(event, LTT_N_##event, ltt_tap_##event, fields)
#undef LTT_CALL
#define LTT_CALL(call, number, fields)					\
	LTT_LINE(syscall_entry_##call, LTT_N_syscall_entry_##call,	\
		 ltt_tap_calls, fields)					\
	LTT_LINE(syscall_exit_##call, 1, ltt_tap_calls, LTT_INT(s64, ret, ret))
#undef LTT_OTHER_CALL
#define LTT_OTHER_CALL(event, fields) \
	LTT_LINE(event, LTT_N_##event, ltt_tap_calls, fields)
#undef LTT_STATE
#define LTT_STATE(event, proto, args, fields) \
	LTT_LINE(event, LTT_N_##event, ltt_tap_state, fields)
#define LTT_INT(type, name, value) LTT_CODE_##type #name "\0"
#define LTT_HEX(type, name, value) LTT_CODE_HEX LTT_CODE_##type #name "\0"
#define LTT_PTR(name, value) LTT_CODE_POINTER #name "\0"
#define LTT_CHARS(name, value) LTT_CODE_CHARS #name "\0"
#define LTT_TEXT(name, value) LTT_CODE_STRING #name "\0"
#define LTT_USER_TEXT(name, value) LTT_CODE_STRING #name "\0"
#define LTT_USER_PAIR(name, address) LTT_CODE_PAIR #name "\0"
#define LTT_REGISTERS(name, regs) LTT_CODE_REGISTERS #name "\0"
#define LTT_PIDS(name, task) LTT_CODE_PIDS #name "\0"

#endif

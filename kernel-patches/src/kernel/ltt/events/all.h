/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the kernel's events. It is included several times (events.c), with
 * other meanings of its macros; so there is no guard.
 *
 * An event is
 *
 *	LTT_EVENT(name, tracepoint, other,
 *		  LTT_PROTO(type argument, ...), LTT_ARGS(argument, ...),
 *		  LTT_FIELDS(LTT_INT(type, name, value) ...))
 *
 * where the arguments are the tracepoint's, as its TP_PROTO() has them. In a trace
 * that is limited to some processes the event counts if it happens in one of them,
 * or if the task @other is of one; NULL if there is none. Fields are
 *
 *	LTT_INT(type, name, value)	u8 to u64, s8 to s64
 *	LTT_HEX(type, name, value)	the same, shown in hexadecimal
 *	LTT_PTR(name, value)		an address
 *	LTT_COMM(name, task)		the task's name
 *	LTT_CHARS(name, value)		an array of LTT_N_CHARS characters
 *	LTT_TEXT(name, value)		a string that nobody changes meanwhile
 *	LTT_USER_TEXT(name, value)	a string of the program, up to
 *					LTT_MAX_USER_TEXT bytes; empty if it is not in
 *					memory now
 *	LTT_USER_PAIR(name, address)	an array of two integers of the program; zeros if
 *					they are not in memory now
 *	LTT_REGISTERS(name, regs)	the six arguments of a system call
 *	LTT_PIDS(name, task)		its ids, from the outermost namespace inwards
 *
 * Events that need more than their tracepoint's arguments say how they come about:
 * LTT_CALL() in syscalls.h, LTT_OTHER_CALL() in unknown.h, LTT_STATE() in statedump.h.
 *
 * Values are worked out for each trace that wants the event, on the processor where
 * it happens, with preemption off and whatever locks the tracepoint is under.
 * Names are those of lttng-modules, because viewers look for them.
 */

#define LTT_GROUP "sched"
#include "sched.h"
#undef LTT_GROUP

#define LTT_GROUP "irq"
#include "irq.h"
#undef LTT_GROUP

#define LTT_GROUP "signal"
#include "signal.h"
#undef LTT_GROUP

#define LTT_GROUP "timer"
#include "timer.h"
#undef LTT_GROUP

#define LTT_GROUP "fault"
#include "fault.h"
#undef LTT_GROUP

#define LTT_GROUP "mem"
#include "mem.h"
#undef LTT_GROUP

#ifdef CONFIG_BLOCK
#define LTT_GROUP "block"
#include "block.h"
#undef LTT_GROUP
#endif

#ifdef CONFIG_NET
#define LTT_GROUP "net"
#include "net.h"
#undef LTT_GROUP
#endif

#define LTT_GROUP "statedump"
#include "statedump.h"
#undef LTT_GROUP

#define LTT_GROUP "syscalls"
#include "syscalls.h"
#include "unknown.h"
#undef LTT_GROUP

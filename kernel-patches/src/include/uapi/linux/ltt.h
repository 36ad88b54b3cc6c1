/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Userspace tracing into buffers that the kernel owns: the ABI.
 *
 * This very file is what the kernel is built from and what include/ust/ and
 * tools/ltt-ctl/ include. Structures are only ever appended to; one that a request
 * of /dev/ltt carries gets another request then, whose number tells its size.
 *
 * One buffer belongs to one thread and one trace. It is mapped as
 *
 *	address		  +0	     +control_offset	    +data_offset
 *			  | trace page	| control page	| sub-buffers ...   |
 *	who may write:	  kernel	  thread, kernel  thread
 *	shared by:	  all buffers	  this buffer	  this buffer
 *			  of the trace
 *
 * A position counts the bytes of a buffer since its birth; it never wraps.
 * The byte at position p lies at data_offset + (p & (size of all
 * sub-buffers - 1)). Sub-buffer sizes and counts are powers of two.
 */
#ifndef _UAPI_LINUX_LTT_H
#define _UAPI_LINUX_LTT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Numbers of the system calls; the same on every architecture that has them. */
#define LTT_NR_update		548
#define LTT_NR_switch		549
#define LTT_NR_register		550

#define LTT_ABI_VERSION		1	/* this description */
#define LTT_ABI_COMPAT		1	/* oldest one that it can be read as */

#define LTT_MAX_TRACES		32
#define LTT_NAME_SIZE		64	/* of a trace, with the final NUL */
#define LTT_COMM_SIZE		16	/* of a thread, with the final NUL */

/* SIGRTMIN+3 as glibc counts; musl's is 38. The default of a registration. */
#define LTT_SIGNAL_DEFAULT	37

/**
 * enum ltt_mode - what a writer does when every sub-buffer is unread
 * @LTT_MODE_DISCARD: drops the new event and counts it in @lost
 * @LTT_MODE_OVERWRITE: flight recorder: drops the oldest sub-buffer, whose
 *	events ltt_packet.overwritten counts
 * @LTT_MODE_BLOCK: waits in ltt_switch() for a reader, up to the trace's
 *	timeout; after that it discards until there is room
 */
enum ltt_mode {
	LTT_MODE_DISCARD	= 0,
	LTT_MODE_OVERWRITE	= 1,
	LTT_MODE_BLOCK		= 2,
};

/**
 * enum ltt_clock - what an event's timestamp counts
 * @LTT_CLOCK_TSC: cycles of the x86 time stamp counter
 * @LTT_CLOCK_MONOTONIC: nanoseconds of CLOCK_MONOTONIC
 */
enum ltt_clock {
	LTT_CLOCK_TSC		= 0,
	LTT_CLOCK_MONOTONIC	= 1,
};

/*
 * Contexts: what a trace has with each of its events, besides the fields. The
 * marker writes the first ones, packed and in the order of their bits, between
 * header and fields.
 */
#define LTT_CONTEXT_CPU		0x1	/* __u32: number of the processor */
#define LTT_CONTEXT_IP		0x2	/* __u64: address behind the marker */
#define LTT_CONTEXT_PTHREAD	0x4	/* __u64: pthread_self() */
#define LTT_CONTEXT_TASK_CLOCK	0x8	/* __u64: ns that the thread has run */
#define LTT_CONTEXT_PAGE_FAULTS	0x10	/* __u64: of the thread so far */
#define LTT_CONTEXT_SWITCHES	0x20	/* __u64: of the thread so far */
/*
 * The program's own: __u8: how many; for each the id of its definition, a __u16,
 * and its value (ust/definition.h).
 */
#define LTT_CONTEXT_APP		0x40
#define LTT_CONTEXTS_IN_EVENT	0xffff	/* those in the event, and room for more */
/* These are in struct ltt_packet: who reads it adds them to each event. */
#define LTT_CONTEXT_VPID	0x10000
#define LTT_CONTEXT_VTID	0x20000
#define LTT_CONTEXT_PROCNAME	0x40000
#define LTT_CONTEXTS_KNOWN	0x7007f

/**
 * struct ltt_trace_page - first page of every mapped buffer, read-only
 * @version: %LTT_ABI_VERSION of the kernel
 * @compat: oldest version that this page can be read as
 * @size: bytes of this structure that are valid
 * @trace: slot of the trace, 0 to %LTT_MAX_TRACES - 1
 * @active: 1 while the trace is started, else 0
 * @filter: filter mask; a marker writes if it shares a bit with it
 * @generation: changes with each change of the trace
 * @mode: enum ltt_mode
 * @subbuf_size: bytes of one sub-buffer, a power of two
 * @n_subbufs: sub-buffers of one buffer, a power of two
 * @control_offset: bytes from this page to struct ltt_control
 * @data_offset: bytes from this page to the first sub-buffer
 * @clock: enum ltt_clock
 * @contexts: LTT_CONTEXT_*; never changes
 * @clock_freq: ticks of @clock in a second
 * @rules_offset: bytes from this page to the rules
 * @rules_size: their bytes; 0: no rules
 * @rules_sequence: odd while they are being changed. Who reads them looks at it
 *	before and after
 * @reserved2: zero
 * @clock_offset: to be added to the counter of @clock, which is to be read first.
 *	It grows when the counter began anew, after a suspend
 *
 * One page for a trace: a store by the kernel shows in all threads at once.
 * Fields may change between two loads; a marker loads each once.
 */
struct ltt_trace_page {
	__u32	version;
	__u32	compat;
	__u32	size;
	__u32	trace;
	__u32	active;
	__u32	filter;
	__u32	generation;
	__u32	mode;
	__u32	subbuf_size;
	__u32	n_subbufs;
	__u32	control_offset;
	__u32	data_offset;
	__u32	clock;
	__u32	contexts;
	__u64	clock_freq;
	__u32	rules_offset;
	__u32	rules_size;
	__u32	rules_sequence;
	__u32	reserved2;
	__u64	clock_offset;
};

/**
 * struct ltt_control - second page of every mapped buffer
 * @reserve: position after the last reserved event; moved by the thread with
 *	one compare-and-swap, by the kernel when it opens a sub-buffer
 * @limit: position after the open sub-buffer; written by the kernel
 * @mask: bytes of all sub-buffers - 1; written by the kernel
 * @commit: everything before this position is complete; written by the thread
 *	when its outermost marker ends
 * @writer: stack address of the outermost marker in flight, 0 for none;
 *	written by the thread
 * @events: events that got room; written by the thread, right after @reserve.
 *	What is missing of them in the stream in the end was lost with the thread
 * @lost: events dropped for want of room; written by the thread
 * @too_big: events dropped because they exceed a sub-buffer; written by the
 *	thread
 * @full: 1 when ltt_switch() would find no free sub-buffer, so that calling it
 *	is a waste; set by the kernel there, cleared when a reader has made room
 * @reserved: zero
 * @user: the thread's own; kept when a forked child gets its fresh buffer
 *
 * To write an event of @n bytes (8 bytes of header included)::
 *
 *	outermost = !writer; if (outermost) writer = stack address;
 *	do {
 *		p = reserve; t = clock();
 *		if (p + n > limit) goto no_room;
 *	} while (!compare_and_swap(&reserve, p, p + n));  (no lock prefix)
 *	++events;
 *	store the header (t << 16 | id), the contexts and the packed fields at p;
 *	if (outermost) do {
 *		r = reserve; commit = r; writer = 0;
 *	} while (reserve != r, with writer set again);
 *
 * with a compiler barrier between the lines: only signal handlers of the same
 * thread interleave. no_room: n > sub-buffer size: ++too_big; else full: ++lost;
 * else ltt_switch() and once more from the start.
 *
 * All of it is hostile input to the kernel, which keeps its own copy of what
 * it wrote here: a wrong value spoils this buffer's stream and nothing else.
 */
struct ltt_control {
	__u64	reserve;
	__u64	limit;
	__u64	mask;
	__u64	commit;
	__u64	writer;
	__u64	events;
	__u64	lost;
	__u64	too_big;
	__u32	full;
	__u32	reserved;
	__u64	user[4];
};

/**
 * struct ltt_gate - the words a marker tests, in the program's own memory
 * @mask: OR of the filter masks of all active traces that cover the process
 * @generation: changes when any trace that covers the process is created,
 *	started, stopped, changed or destroyed; a thread that sees another value
 *	than at its last ltt_update() calls it again. Never 0 once registered
 *
 * Aligned to 8 bytes; both words are written by the kernel with one store.
 */
struct ltt_gate {
	__u32	mask;
	__u32	generation;
};

#define LTT_REGISTER_REMOVE	0x1	/* take back the gate given */

/**
 * struct ltt_registration - argument of ltt_register()
 * @flags: LTT_REGISTER_*; unknown bits are refused
 * @signal: number of the notification signal; 0 asks for none
 * @gate: address of a struct ltt_gate in private writable memory, or 0
 * @events: address of event definitions, or 0. The kernel copies the bytes
 *	and hands them to readers as they are (format: ust/definition.h)
 * @events_size: bytes at @events
 * @reserved: zero
 * @handler: address of the handler of @signal: while another one is installed, the
 *	signal is not sent. 0 leaves it as it was, at first any handler
 */
struct ltt_registration {
	__u32		flags;
	__u32		signal;
	__aligned_u64	gate;
	__aligned_u64	events;
	__u32		events_size;
	__u32		reserved;
	__aligned_u64	handler;
};

#define LTT_REGISTRATION_SIZE_VER0	32	/* up to @reserved */

#define LTT_MAX_DEFINITIONS	0x100000	/* bytes in one registration */
#define LTT_MAX_GATES		64		/* registrations of a process */

/*
 * /dev/ltt: the control device. LTT_IOC_CREATE and LTT_IOC_OPEN return the
 * descriptor of a trace; the other requests go to that, but for LTT_IOC_INFO,
 * which both take, and LTT_IOC_PREVIOUS.
 */

#define LTT_TRACE_SYSTEM	0x1	/* all processes, not only one's own */
#define LTT_TRACE_BOOT		0x2	/* from the kernel command line */
#define LTT_TRACE_PERSIST	0x4	/* outlives a warm reboot: LTT_IOC_PREVIOUS */

/**
 * enum ltt_target_kind - what a trace may be limited to
 * @LTT_TARGET_PID: a process; @id: its number in the caller's pid namespace
 * @LTT_TARGET_UID: a real user; @id: in the caller's user namespace
 * @LTT_TARGET_EXE: an executable; @id: an open descriptor of the file
 * @LTT_TARGET_CGROUP: a control group (version 2) and those below it; @id: an
 *	open descriptor of its directory
 */
enum ltt_target_kind {
	LTT_TARGET_PID		= 0,
	LTT_TARGET_UID		= 1,
	LTT_TARGET_EXE		= 2,
	LTT_TARGET_CGROUP	= 3,
};

#define LTT_TARGET_FOLLOW	0x1	/* with a pid: its children to come, too */
#define LTT_MAX_TARGETS		64	/* of one trace */

/**
 * struct ltt_target - one limit of a trace
 * @kind: enum ltt_target_kind
 * @flags: %LTT_TARGET_FOLLOW or 0
 * @id: see enum ltt_target_kind
 *
 * A trace covers a process that matches one target of each kind that it has.
 * What a process matches is looked at when it registers, when it changes its
 * credentials, and at each change of the trace.
 */
struct ltt_target {
	__u32	kind;
	__u32	flags;
	__s64	id;
};

/**
 * struct ltt_trace_params - argument of LTT_IOC_CREATE
 * @size: sizeof(struct ltt_trace_params)
 * @flags: %LTT_TRACE_SYSTEM, %LTT_TRACE_PERSIST
 * @filter: first filter mask
 * @mode: enum ltt_mode
 * @subbuf_size: bytes, a power of two from 4096 to 16 MiB
 * @n_subbufs: a power of two from 2 to 4096; all sub-buffers: 256 MiB at most
 * @name: what LTT_IOC_OPEN finds it by; ``[A-Za-z0-9_.-]+``, not beginning with a
 *	dot or a dash, with a final NUL, and the rest zero
 * @timeout_us: microseconds that a writer waits for room, up to
 *	%LTT_MAX_TIMEOUT_US; 0 in every mode but %LTT_MODE_BLOCK
 * @n_targets: number of @targets; 0: no limit
 * @max_memory: bytes that all buffers may take, and what dead threads left;
 *	0: what the quotas allow. Over it, new buffers are refused; with
 *	%LTT_MODE_OVERWRITE what the first of the dead left is dropped first
 * @targets: address of an array of struct ltt_target
 * @contexts: LTT_CONTEXT_*
 * @reserved: zero
 */
struct ltt_trace_params {
	__u32	size;
	__u32	flags;
	__u32	filter;
	__u32	mode;
	__u32	subbuf_size;
	__u32	n_subbufs;
	char	name[LTT_NAME_SIZE];
	__u32	timeout_us;
	__u32	n_targets;
	__u64	max_memory;
	__aligned_u64	targets;
	__u32	contexts;
	__u32	reserved;
};

#define LTT_MAX_TIMEOUT_US	60000000

/**
 * struct ltt_trace_info - answer of LTT_IOC_INFO
 * @size: sizeof(struct ltt_trace_info), set by the caller
 * @trace: slot. On the device: the caller sets it, and gets the first trace in
 *	this slot or after it that it may see
 * @flags: LTT_TRACE_*
 * @active: 1 while started
 * @filter: filter mask
 * @mode: enum ltt_mode
 * @subbuf_size: bytes of a sub-buffer
 * @n_subbufs: sub-buffers of a buffer
 * @uid: of the owner, in the caller's user namespace
 * @buffers: buffers that hold memory, of living threads and unread ones
 * @lost: events lost so far for want of room or of a reader, as the kernel knows
 *	(kept current by ltt_switch(), thread exit and reading)
 * @refused: buffers that could not be allocated
 * @memory: bytes of memory in buffers, of the living and of the dead
 * @clock: enum ltt_clock
 * @contexts: see struct ltt_trace_params
 * @clock_freq: ticks in a second, as the kernel knows it now
 * @clock_now: the clock at the time of the call ...
 * @monotonic_ns: ... CLOCK_MONOTONIC at the same time ...
 * @realtime_ns: ... and CLOCK_REALTIME
 * @name: name of the trace
 * @timeout_us: see struct ltt_trace_params
 * @n_targets: number of its targets
 * @max_memory: see struct ltt_trace_params
 * @overwritten: events lost so far to newer ones
 * @pool: of @memory, what is kept for the next threads
 */
struct ltt_trace_info {
	__u32	size;
	__u32	trace;
	__u32	flags;
	__u32	active;
	__u32	filter;
	__u32	mode;
	__u32	subbuf_size;
	__u32	n_subbufs;
	__u32	uid;
	__u32	buffers;
	__u64	lost;
	__u64	refused;
	__u64	memory;
	__u32	clock;
	__u32	contexts;
	__u64	clock_freq;
	__u64	clock_now;
	__u64	monotonic_ns;
	__u64	realtime_ns;
	char	name[LTT_NAME_SIZE];
	__u32	timeout_us;
	__u32	n_targets;
	__u64	max_memory;
	__u64	overwritten;
	__u64	pool;
};

struct ltt_trace_name {
	char	name[LTT_NAME_SIZE];
};

#define LTT_MAX_RULES		2048	/* bytes */

/**
 * struct ltt_trace_rules - argument of LTT_IOC_RULES and LTT_IOC_GET_RULES
 * @size: bytes at @text. LTT_IOC_GET_RULES sets it to what there is, also if
 *	that is more
 * @reserved: zero
 * @text: printable ASCII, without a final NUL. The kernel does not look into it:
 *	it is for those who write events (ust/definition.h)
 */
struct ltt_trace_rules {
	__u32	size;
	__u32	reserved;
	__aligned_u64	text;
};

#define LTT_MAX_KERNEL_EVENTS	4096	/* bytes */

/**
 * struct ltt_kernel_events - argument of LTT_IOC_KERNEL and LTT_IOC_GET_KERNEL
 * @size: bytes at @text. LTT_IOC_GET_KERNEL sets it to what there is, also if
 *	that is more
 * @bad: LTT_IOC_KERNEL, with EINVAL for a word that names nothing, sets it to the
 *	offset of the word in @text; otherwise it is not looked at
 * @text: which events of the kernel the trace has, without a final NUL: words
 *	with a comma between them. A word is a group ("sched"), an event
 *	("sched_switch") or the begin of names with a '*' ("syscall_entry_*");
 *	no words: no events
 */
struct ltt_kernel_events {
	__u32	size;
	__u32	bad;
	__aligned_u64	text;
};

#define LTT_IOC			'L'
/* on /dev/ltt */
#define LTT_IOC_VERSION		_IOR(LTT_IOC, 0x60, __u32)	/* LTT_ABI_VERSION */
#define LTT_IOC_CREATE		_IOW(LTT_IOC, 0x61, struct ltt_trace_params)
#define LTT_IOC_OPEN		_IOW(LTT_IOC, 0x62, struct ltt_trace_name)
/*
 * A descriptor of what the last boot that had a trace with %LTT_TRACE_PERSIST
 * left, for pread(): see struct ltt_dump_region in linux/ltt_dump.h. ENOENT:
 * nothing; ENXIO: no memory is reserved (ltt.persist=); EPERM without CAP_PERFMON.
 */
#define LTT_IOC_PREVIOUS	_IO(LTT_IOC, 0x6c)
/* on /dev/ltt and on a trace */
#define LTT_IOC_INFO		_IOWR(LTT_IOC, 0x63, struct ltt_trace_info)
/* on a trace; those that would change a destroyed one give ENOENT */
#define LTT_IOC_START		_IO(LTT_IOC, 0x64)
#define LTT_IOC_STOP		_IO(LTT_IOC, 0x65)
#define LTT_IOC_FILTER		_IOW(LTT_IOC, 0x66, __u32)
#define LTT_IOC_DESTROY		_IO(LTT_IOC, 0x67)
#define LTT_IOC_FLUSH		_IO(LTT_IOC, 0x68)
#define LTT_IOC_SNAPSHOT	_IO(LTT_IOC, 0x69)	/* returns a descriptor */
#define LTT_IOC_RULES		_IOW(LTT_IOC, 0x6a, struct ltt_trace_rules)
#define LTT_IOC_GET_RULES	_IOWR(LTT_IOC, 0x6b, struct ltt_trace_rules)
#define LTT_IOC_KERNEL		_IOWR(LTT_IOC, 0x6d, struct ltt_kernel_events)
#define LTT_IOC_GET_KERNEL	_IOWR(LTT_IOC, 0x6e, struct ltt_kernel_events)

/*
 * read() of a trace's descriptor yields whole packets, each one a struct
 * ltt_packet and @size bytes after it. It gives the sub-buffers that are
 * closed, what dead threads left, and after LTT_IOC_STOP, LTT_IOC_FLUSH or
 * LTT_IOC_DESTROY what is committed in the open sub-buffers. It waits while
 * there is nothing (O_NONBLOCK: EAGAIN), gives EINVAL if not even one packet
 * fits, and 0 once the trace is destroyed and all is read. A packet is
 * consumed when it was copied out whole. The first packet of a process's
 * events is preceded by its definitions, once for each descriptor.
 *
 * read() of the descriptor that LTT_IOC_SNAPSHOT returns yields what the trace
 * holds, from the oldest to the newest, open sub-buffers included, without
 * consuming anything, and then 0. It never waits. Streams come one after the
 * other; the sequence of each begins at 0.
 */

#define LTT_PACKET_MAGIC	0x5054544cU	/* "LTTP" */

/**
 * enum ltt_packet_type - what follows a struct ltt_packet
 * @LTT_PACKET_EVENTS: events of one stream; may be none, to tell of losses
 * @LTT_PACKET_DEFINITIONS: what the process gave to ltt_register()
 */
enum ltt_packet_type {
	LTT_PACKET_EVENTS	= 1,
	LTT_PACKET_DEFINITIONS	= 2,
};

#define LTT_PACKET_LAST		0x1	/* the thread is gone: the stream ends */
/* An event died with it: one of @events, unless it died before it counted. */
#define LTT_PACKET_TORN		0x2
#define LTT_PACKET_CORRUPT	0x4	/* the control page lied; positions were clamped */
#define LTT_PACKET_KERNEL	0x8	/* events of the kernel, on one processor */

/*
 * Events of the kernel (LTT_IOC_KERNEL) come in streams like those of threads:
 * one for each trace and processor, of the process %LTT_PROCESS_KERNEL, which has
 * definitions like any other. The group of an event stands there as its provider.
 * They have no contexts, whatever the trace has. In these packets the fields that
 * tell of a thread are 0, and struct ltt_packet has the processor.
 */
#define LTT_PROCESS_KERNEL	0	/* ltt_packet.process */

/**
 * struct ltt_packet - header of a packet; all of it comes from the kernel, but
 *	for @events, @lost and @too_big, which the thread counted
 * @magic: %LTT_PACKET_MAGIC
 * @type: enum ltt_packet_type
 * @size: bytes that follow this header
 * @flags: LTT_PACKET_*
 * @trace: slot of the trace
 * @header_size: bytes of this header
 * @stream: number of the buffer, never used again since boot
 * @process: number of the registered process, never used again since boot
 * @sequence: counts the event packets of a stream from 0
 * @position: position of the first byte
 * @begin: clock when the sub-buffer was opened: no event is earlier
 * @end: clock when the packet was read or its thread died: none is later
 * @events: events that got room in the stream so far; in the last packet, those
 *	of them that no packet held were lost with the thread
 * @lost: events lost in the stream so far for want of room
 * @too_big: events lost in the stream so far as larger than a sub-buffer
 * @pid: thread group in the initial pid namespace
 * @tid: thread in the initial pid namespace
 * @vpid: thread group in its own pid namespace
 * @vtid: thread in its own pid namespace
 * @uid: real user, in the initial user namespace
 * @gid: real group, in the initial user namespace
 * @comm: name of the thread when the packet was made
 * @overwritten: of @events, those that newer ones replaced before they were
 *	read. A few are missing in it when an open sub-buffer was read; @events
 *	of the last packet tells them all
 * @vuid: real user, in the thread's own user namespace
 * @vgid: real group, in the thread's own user namespace
 * @cpu: with %LTT_PACKET_KERNEL the number of the processor, else 0
 * @reserved: zero
 *
 * Type %LTT_PACKET_DEFINITIONS uses @magic to @header_size and @process.
 */
struct ltt_packet {
	__u32	magic;
	__u32	type;
	__u32	size;
	__u32	flags;
	__u32	trace;
	__u32	header_size;
	__u64	stream;
	__u64	process;
	__u64	sequence;
	__u64	position;
	__u64	begin;
	__u64	end;
	__u64	events;
	__u64	lost;
	__u64	too_big;
	__u32	pid;
	__u32	tid;
	__u32	vpid;
	__u32	vtid;
	__u32	uid;
	__u32	gid;
	char	comm[LTT_COMM_SIZE];
	__u64	overwritten;
	__u32	vuid;
	__u32	vgid;
	__u32	cpu;
	__u32	reserved;
};

#endif /* _UAPI_LINUX_LTT_H */

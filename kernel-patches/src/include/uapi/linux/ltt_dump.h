/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Userspace tracing: how traces lie in an image of the machine's memory.
 *
 * After a panic a reader finds all that was written, by physical addresses and
 * nothing else: neither the kernel's symbols nor its page tables are needed.
 *
 *	ltt_dump_root ---> ltt_dump_trace ---> ltt_dump_buffer ---> next ...
 *				| page		  | control, open, closed
 *						  | process ---> definitions
 *						  | data, left: areas of memory
 *
 * VMCOREINFO names the root: "NUMBER(ltt_dump_root)=0x...", its address. Where
 * there is no VMCOREINFO the root is the only page that begins with
 * %LTT_DUMP_MAGIC and holds its own address.
 *
 * Every word is stored in an order that makes sense of a memory that stops at
 * any instant. What is meant by that is said below; all that a thread wrote is
 * hostile here too. Addresses are physical, 0 is none.
 */
#ifndef _UAPI_LINUX_LTT_DUMP_H
#define _UAPI_LINUX_LTT_DUMP_H

#include <linux/ltt.h>
#include <linux/types.h>

#define LTT_DUMP_MAGIC		"ltt traces here"	/* 16 bytes */
#define LTT_DUMP_REGION_MAGIC	"ltt traces kept"	/* 16 bytes */
#define LTT_DUMP_VERSION	1

#define LTT_DUMP_TRACE_MAGIC	0x54444c54U	/* "TLDT" */
#define LTT_DUMP_BUFFER_MAGIC	0x42444c54U	/* "TLDB" */
#define LTT_DUMP_PROCESS_MAGIC	0x50444c54U	/* "TLDP" */

/**
 * struct ltt_dump_root - where everything begins
 * @magic: %LTT_DUMP_MAGIC, or of a struct ltt_dump_region %LTT_DUMP_REGION_MAGIC
 * @version: %LTT_DUMP_VERSION
 * @page_size: bytes of a page
 * @self: its own address
 * @nodename: of the machine's name, 65 bytes with a final NUL
 * @traces: of struct ltt_dump_trace, by slot
 */
struct ltt_dump_root {
	char	magic[16];
	__u32	version;
	__u32	page_size;
	__u64	self;
	__u64	nodename;
	__u64	traces[LTT_MAX_TRACES];
};

/**
 * struct ltt_dump_region - where memory begins that outlives a warm reboot
 * @root: of the traces that persist. All that it leads to lies in this memory
 * @size: bytes of the memory, from this structure on
 * @boots: of two such memories the one of the later boot has the greater number
 * @nodename: the machine's name, with a final NUL
 *
 * The descriptor that %LTT_IOC_PREVIOUS returns reads it, as an earlier boot left
 * it.
 */
struct ltt_dump_region {
	struct ltt_dump_root	root;
	__u64	size;
	__u64	boots;
	char	nodename[72];
};

/**
 * struct ltt_dump_frames - page frames, in order
 * @next: the next ones, or 0
 * @n: number of @frame; 0 only if there are none at all
 * @frame: addresses of pages
 */
struct ltt_dump_frames {
	__u64	next;
	__u64	n;
	__u64	frame[510];
};

/**
 * struct ltt_dump_area - memory that is not in one piece
 * @size: bytes; 0: there is nothing. Stored after the others, cleared before
 * @frames: of struct ltt_dump_frames; 0: it is in one piece
 * @start: address of the first byte if it is, else its offset in the first page
 */
struct ltt_dump_area {
	__u64	size;
	__u64	frames;
	__u64	start;
};

/**
 * struct ltt_dump_trace - a trace
 * @magic: %LTT_DUMP_TRACE_MAGIC
 * @flags: LTT_TRACE_*
 * @page: of its struct ltt_trace_page
 * @buffers: of the first struct ltt_dump_buffer
 * @clock_now: the clock of the trace when it was made ...
 * @monotonic_ns: ... CLOCK_MONOTONIC at the same time ...
 * @realtime_ns: ... and CLOCK_REALTIME
 * @name: with a final NUL
 */
struct ltt_dump_trace {
	__u32	magic;
	__u32	flags;
	__u64	page;
	__u64	buffers;
	__u64	clock_now;
	__u64	monotonic_ns;
	__u64	realtime_ns;
	char	name[LTT_NAME_SIZE];
};

/**
 * struct ltt_dump_definitions - what one ltt_register() gave
 * @previous: of those that the program gave before, or 0
 * @data: they themselves
 */
struct ltt_dump_definitions {
	__u64	previous;
	struct ltt_dump_area	data;
};

/**
 * struct ltt_dump_process - a registered program
 * @magic: %LTT_DUMP_PROCESS_MAGIC
 * @reserved: zero
 * @definitions: of the struct ltt_dump_definitions that came last, or 0. There are
 *	%LTT_MAX_GATES at most
 */
struct ltt_dump_process {
	__u32	magic;
	__u32	reserved;
	__u64	definitions;
};

/**
 * struct ltt_range - part of one sub-buffer
 * @start: position
 * @end: position after it
 * @begin: clock when the sub-buffer was opened
 * @events: events that got room in the stream up to the end, as its thread counts
 */
struct ltt_range {
	__u64	start;
	__u64	end;
	__u64	begin;
	__u64	events;
};

/**
 * struct ltt_dump_buffer - one thread's part of one trace
 * @magic: %LTT_DUMP_BUFFER_MAGIC
 * @reserved: zero
 * @next: the next one of the trace
 * @process: of its struct ltt_dump_process; 0 before the first touch
 * @control: of its struct ltt_control; 0 when the thread is gone
 * @packet: of the struct ltt_packet that its next packet would have
 * @open: of the struct ltt_range of the sub-buffer in use
 * @closed: of a ring of as many struct ltt_range as there are sub-buffers
 * @taken: of the position before which all is read or overwritten
 * @commit: of the last commit position that the kernel saw; it stands for that in
 *	@control when the thread is gone
 * @data: the sub-buffers
 * @left_ranges: what a dead thread left: array of struct ltt_range ...
 * @left: ... and their bytes, one after the other; the last one's end is its
 *	end. With these, @data is the same or gone
 *
 * What there is of @data, in the order of positions, from *@taken on:
 *
 * - of @closed, the ranges that lie within one size of @data before @open's
 *   start. That of the sub-buffer which @open is in does not count: it is just
 *   being written;
 * - @open, of which only the start is used: it ends with its sub-buffer. If it
 *   starts where the sub-buffer ends, none is open.
 *
 * Each as far as the commit position goes, which is not to be trusted, and which
 * lies within the sub-buffer that is open, or before.
 */
struct ltt_dump_buffer {
	__u32	magic;
	__u32	reserved;
	__u64	next;
	__u64	process;
	__u64	control;
	__u64	packet;
	__u64	open;
	__u64	closed;
	__u64	taken;
	__u64	commit;
	struct ltt_dump_area	data;
	struct ltt_dump_area	left_ranges;
	struct ltt_dump_area	left;
};

#endif /* _UAPI_LINUX_LTT_DUMP_H */

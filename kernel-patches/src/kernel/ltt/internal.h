/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace tracing into buffers that the kernel owns: the objects.
 *
 *	ltt_process --- tasks ---> ltt_task --- buffers ---> ltt_buffer
 *	   | gates, definitions	  (current->ltt)		| store: relay pages
 *	   |							| left: what the dead left
 *	ltt_processes		ltt_traces ---> ltt_trace --- buffers, ready
 *
 * Locks, outer to inner:
 *
 *	ltt_mutex		ltt_traces, ltt_processes, state of each trace, gates
 *	  mmap_lock		(faults, mapping; never taken under ltt_mutex)
 *	ltt_trace.read_mutex	one reader at a time
 *	  ltt_process.lock	tasks
 *	  ltt_buffer.lock	positions, store, left, owner
 *	    ltt_trace.lock	buffers, ready
 *
 * Neither relay_open() nor relay_close() under any of them but read_mutex.
 */
#ifndef _LTT_INTERNAL_H
#define _LTT_INTERNAL_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/ltt.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/ltt.h>

struct rchan;
struct rchan_buf;

/* Offsets in a mapping, in pages: trace page, control page, sub-buffers. */
#define LTT_CONTROL_PAGE	1
#define LTT_DATA_PAGE		2

/**
 * struct ltt_trace - one of up to LTT_MAX_TRACES
 * @kref: table, descriptors, buffers
 * @slot: index in ltt_traces
 * @flags: LTT_TRACE_*
 * @cred: of the owner when it made the trace
 * @page: the trace page, also mapped read-only by all buffers
 * @file: whose page offsets tell the buffers apart, for zapping
 * @next_pgoff: first page offset in @file that no buffer has had
 * @subbuf_size: bytes; a power of two
 * @n_subbufs: a power of two
 * @dead: destroyed; set once under ltt_mutex and @lock
 * @sealed: destroyed, and every buffer that has data is in @ready
 * @lock: guards @buffers, @ready and their nodes in the buffers
 * @buffers: all that hold data or belong to a living thread; each a reference
 * @ready: those that a reader should look at
 * @wait: readers
 * @read_mutex: one reader at a time
 * @readers: open descriptors
 * @refused: buffers that could not be allocated
 * @lost: losses of buffers that were freed
 * @memory: bytes in stores and leftovers
 * @name: [A-Za-z0-9_.-]+
 */
struct ltt_trace {
	struct kref		kref;
	unsigned int		slot;
	unsigned int		flags;
	const struct cred	*cred;
	struct ltt_trace_page	*page;
	struct file		*file;
	atomic64_t		next_pgoff;
	unsigned int		subbuf_size;
	unsigned int		n_subbufs;
	bool			dead;
	bool			sealed;
	spinlock_t		lock; /* see above */
	struct list_head	buffers;
	struct list_head	ready;
	wait_queue_head_t	wait;
	struct mutex		read_mutex; /* see above */
	atomic_t		readers;
	atomic64_t		refused;
	atomic64_t		lost;
	atomic64_t		memory;
	char			name[LTT_NAME_SIZE];
};

/**
 * struct ltt_definitions - event definitions as a program gave them
 * @kref: shared by a process and its forked children
 * @size: bytes
 * @data: never interpreted by the kernel
 */
struct ltt_definitions {
	struct kref		kref;
	u32			size;
	u8			data[];
};

/**
 * struct ltt_pin - one registration of a process
 * @node: in ltt_process.pins, under ltt_mutex
 * @address: of the struct ltt_gate in the process
 * @page: pinned; NULL in a forked child that has not run yet
 */
struct ltt_pin {
	struct list_head	node;
	unsigned long		address;
	struct page		*page;
};

/**
 * struct ltt_process - a registered program, from its first call to its end
 * @kref: thread group (signal_struct.ltt), tasks and buffers
 * @node: in ltt_processes while the thread group lives, under ltt_mutex
 * @id: never used again
 * @cred: of the thread that asked last, under ltt_mutex
 * @dumpable: may its user look inside; under ltt_mutex
 * @signal: number of the notification signal, 0 for none
 * @generation: last value given to the gates, under ltt_mutex
 * @n_pins: under ltt_mutex
 * @pins: under ltt_mutex
 * @lock: guards @tasks
 * @tasks: registered threads
 * @n_definitions: grows only; written under ltt_mutex after the slot
 * @definitions: in the order of registration
 */
struct ltt_process {
	struct kref		kref;
	struct list_head	node;
	u64			id;
	const struct cred	*cred;
	bool			dumpable;
	int			signal;
	u32			generation;
	unsigned int		n_pins;
	struct list_head	pins;
	spinlock_t		lock; /* see above */
	struct list_head	tasks;
	unsigned int		n_definitions;
	struct ltt_definitions	*definitions[LTT_MAX_GATES];
};

/* Work of a thread before it returns to user mode; bits of ltt_task.work. */
#define LTT_WORK_NOTIFY		0	/* tell the program by signal */
#define LTT_WORK_PIN		1	/* forked: pin and fill the gates */

/**
 * struct ltt_task - a registered thread, current->ltt
 * @process: reference
 * @task: the thread
 * @node: in ltt_process.tasks
 * @work: LTT_WORK_* bits; set by anyone, cleared by the thread
 * @deliver: get_signal() shall return our signal; the thread's own
 * @restart_ip: where restart_syscall() will be called, 0 for nowhere; own
 * @restart_ax: with this in the register; own
 * @mapping: the buffer that ltt_mapping_create() maps right now; own
 * @buffers: struct ltt_buffer; own, and the forking parent's for a child
 */
struct ltt_task {
	struct ltt_process	*process;
	struct task_struct	*task;
	struct list_head	node;
	unsigned long		work;
	bool			deliver;
	unsigned long		restart_ip;
	unsigned long		restart_ax;
	struct ltt_buffer	*mapping;
	struct list_head	buffers;
};

/**
 * struct ltt_store - the memory of a buffer that a thread has touched
 * @kref: the buffer, and a reader while it copies
 * @trace: for its memory count; a reference
 * @rchan: one global relay buffer
 * @relay: its buffer: allocator, and count of sub-buffers
 *	produced and consumed; under ltt_buffer.lock
 * @size: bytes of all sub-buffers
 * @free: relay_close() must not run under mmap_lock
 */
struct ltt_store {
	struct kref		kref;
	struct ltt_trace	*trace;
	struct rchan		*rchan;
	struct rchan_buf	*relay;
	size_t			size;
	struct work_struct	free;
};

/**
 * struct ltt_range - part of one sub-buffer
 * @start: position
 * @end: position after it
 * @begin: clock when the sub-buffer was opened
 */
struct ltt_range {
	u64			start;
	u64			end;
	u64			begin;
};

/**
 * struct ltt_left - what a dead thread left, in memory of the right size
 * @n: ranges
 * @next: first one that is not all read
 * @size: bytes of memory
 * @data: bytes of all ranges, one after the other
 * @offset: in @data, of the part of range @next that is not read
 * @ranges: in order
 */
struct ltt_left {
	unsigned int		n;
	unsigned int		next;
	size_t			size;
	u8			*data;
	size_t			offset;
	struct ltt_range	ranges[];
};

/**
 * struct ltt_buffer - one thread's part of one trace
 * @kref: owner's list, mappings, trace list, reader
 * @trace: reference
 * @process: reference
 * @stream: number for readers
 * @address: of the mapping in the owner
 * @pgoff: of the mapping in ltt_trace.file
 * @thread: whose mapping fork() copies; only compared
 * @task_node: in ltt_task.buffers
 * @trace_node: in ltt_trace.buffers, under ltt_trace.lock
 * @ready_node: in ltt_trace.ready, under ltt_trace.lock
 * @lock: guards what follows
 * @owner: NULL when the thread is gone or the trace destroyed
 * @fork: what a forked child continues from, until its first touch
 * @control: the control page, NULL until the first touch and when dead
 * @store: NULL before the first touch, when refused and when dead
 * @sink: takes stray stores when @store is gone
 * @left: leftovers of a dead thread
 * @open: the sub-buffer in use; @open.end is its limit
 * @closed: ring of closed sub-buffers by sub-buffer number
 * @taken: everything before it was read
 * @commit: last commit position seen, clamped; never goes back
 * @flush: counts the wishes that the open sub-buffer be read too; under
 *	ltt_trace.lock
 * @flushed: those that were fulfilled
 * @full: no sub-buffer is open, all are unread
 * @failed: the allocation was refused
 * @retired: sealed; no more data will come
 * @last_sent: the LTT_PACKET_LAST packet was read
 * @lost_sent: losses that the last packet told of
 * @end: clock at the death
 * @packet: header of the next packet, kept current
 */
struct ltt_buffer {
	struct kref		kref;
	struct ltt_trace	*trace;
	struct ltt_process	*process;
	u64			stream;
	unsigned long		address;
	unsigned long		pgoff;
	const void		*thread;
	struct list_head	task_node;
	struct list_head	trace_node;
	struct list_head	ready_node;
	spinlock_t		lock; /* see above */
	struct ltt_task		*owner;
	struct ltt_control	fork;
	struct ltt_control	*control;
	struct ltt_store	*store;
	struct page		*sink;
	struct ltt_left		*left;
	struct ltt_range	open;
	struct ltt_range	*closed;
	u64			taken;
	u64			commit;
	unsigned int		flush;
	unsigned int		flushed;
	bool			full;
	bool			failed;
	bool			retired;
	bool			last_sent;
	u64			lost_sent;
	u64			end;
	struct ltt_packet	packet;
};

/**
 * struct ltt_reader - an open descriptor of a trace
 * @trace: reference
 * @definitions: process number to the number of its definitions sent
 */
struct ltt_reader {
	struct ltt_trace	*trace;
	struct xarray		definitions;
};

/* trace.c */
extern struct mutex ltt_mutex;
extern struct ltt_trace *ltt_traces[LTT_MAX_TRACES];
struct ltt_trace *ltt_trace_create(const struct ltt_trace_params *params,
				   unsigned int flags, bool start);
void ltt_trace_put(struct ltt_trace *trace);
void ltt_trace_set_active(struct ltt_trace *trace, bool active);
void ltt_trace_set_filter(struct ltt_trace *trace, u32 filter);
void ltt_trace_flush(struct ltt_trace *trace);
int ltt_trace_destroy(struct ltt_trace *trace);
bool ltt_trace_covers(const struct ltt_trace *trace,
		      const struct ltt_process *process);

/* process.c */
extern struct list_head ltt_processes;
struct ltt_process *ltt_process_get(void);
struct ltt_process *ltt_process_fork(struct ltt_process *parent,
				     struct signal_struct *group);
void ltt_process_identify(struct ltt_process *process);
void ltt_process_put(struct ltt_process *process);
void ltt_process_end(struct signal_struct *group);
int ltt_process_register(struct ltt_process *process,
			 const struct ltt_registration *reg);
int ltt_process_unregister(struct ltt_process *process, unsigned long gate);
void ltt_process_pin_gates(struct ltt_process *process);
void ltt_process_set_gates(struct ltt_process *process);

/* task.c */
struct ltt_task *ltt_task_get(void);

/* notify.c */
void ltt_notify_trace(struct ltt_trace *trace);

/* buffer.c */
static inline bool ltt_wants_flush(const struct ltt_buffer *buf)
{
	return READ_ONCE(buf->flush) != buf->flushed;
}

struct ltt_buffer *ltt_buffer_alloc(struct ltt_trace *trace,
				    struct ltt_process *process);
void ltt_buffer_put(struct ltt_buffer *buf);
void ltt_buffer_get(struct ltt_buffer *buf);
void ltt_buffer_snapshot(struct ltt_buffer *buf, struct ltt_control *state);
void ltt_buffer_populate(struct ltt_buffer *buf);
int ltt_buffer_switch(struct ltt_buffer *buf);
void ltt_buffer_ready(struct ltt_buffer *buf);
bool ltt_buffer_next(struct ltt_buffer *buf, struct ltt_range *range,
		     const u8 **data);
bool ltt_buffer_is_open(const struct ltt_buffer *buf);
bool ltt_buffer_is_last(const struct ltt_buffer *buf);
void ltt_buffer_consume(struct ltt_buffer *buf, u64 end);
void ltt_buffer_update_packet(struct ltt_buffer *buf);
void ltt_buffer_drop(struct ltt_buffer *buf);

/* retire.c */
void ltt_buffer_retire(struct ltt_buffer *buf, bool zap);
void ltt_buffer_strip(struct ltt_buffer *buf);
void ltt_left_free(struct ltt_left *left);

/* store.c */
struct ltt_store *ltt_store_alloc(struct ltt_trace *trace);
void ltt_store_put(struct ltt_store *store);

/* mapping.c */
struct file *ltt_mapping_file(void);
int ltt_mapping_create(struct ltt_buffer *buf);
void ltt_mapping_remove(struct ltt_buffer *buf);
void ltt_mapping_zap(struct ltt_buffer *buf);
struct ltt_buffer *ltt_mapping_find(unsigned long address);
struct ltt_buffer *ltt_mapping_adopt(struct mm_struct *mm,
				     unsigned long address);
extern struct vfsmount *ltt_mnt;

/* read.c */
ssize_t ltt_read(struct ltt_reader *reader, char __user *to, size_t size,
		 bool nonblock);

/* clock.c */
u32 ltt_clock_type(void);
u64 ltt_clock_freq(u32 clock);
u64 ltt_clock_now(u32 clock);

#endif /* _LTT_INTERNAL_H */

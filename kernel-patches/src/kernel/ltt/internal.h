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
 *	ltt_kernel_mutex	which events of the kernel which trace has
 *	ltt_mutex		tables of traces and processes, state of each trace, gates
 *	ltt_trace.read_mutex	one reader at a time
 *	  mmap_lock		(faults, mapping; never taken under ltt_mutex)
 *	  ltt_process.lock	tasks
 *	  ltt_buffer.lock	positions, store, left, owner
 *	    ltt_trace.lock	buffers, ready, pool
 *
 * Neither relay_open() nor relay_close() under any of them but read_mutex and
 * ltt_kernel_mutex.
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
#include <uapi/linux/ltt_dump.h>

struct rchan;
struct rchan_buf;

/* Offsets in a mapping, in pages: trace page, control page, sub-buffers. */
#define LTT_CONTROL_PAGE	1
#define LTT_DATA_PAGE		2

/**
 * struct ltt_user - what the traces of one user take
 * @kref: traces
 * @node: in ltt_users, under their lock
 * @uid: whose; it owns them
 * @traces: in the table, under ltt_mutex
 * @memory: bytes of them
 */
struct ltt_user {
	struct kref		kref;
	struct list_head	node;
	kuid_t			uid;
	unsigned int		traces;
	atomic64_t		memory;
};

/**
 * struct ltt_limit - one target of a trace, resolved
 * @kind: enum ltt_target_kind
 * @flags: LTT_TARGET_*
 * @pid: of the thread group; a reference
 * @uid: real user
 * @exe: the executable; a reference
 * @cgroup: a reference
 */
struct ltt_limit {
	u32			kind;
	u32			flags;
	union {
		struct pid	*pid;
		kuid_t		uid;
		struct file	*exe;
		struct cgroup	*cgroup;
	};
};

/**
 * struct ltt_limits - all targets of a trace; never changed
 * @n: number
 * @kinds: bit for each kind that occurs
 * @limits: in the order given
 */
struct ltt_limits {
	unsigned int		n;
	u32			kinds;
	struct ltt_limit	limits[] __counted_by(n);
};

/**
 * struct ltt_trace - one of up to LTT_MAX_TRACES
 * @kref: table, descriptors, buffers
 * @slot: index in ltt_traces
 * @flags: LTT_TRACE_*
 * @cred: of the owner when it made the trace
 * @user: its account; a reference
 * @privileged: the owner may trace the system, and has its own limit
 * @limits: targets, or NULL
 * @page: the trace page, also mapped read-only by all buffers
 * @file: whose page offsets tell the buffers apart, for zapping
 * @next_pgoff: first page offset in @file that no buffer has had
 * @subbuf_size: bytes; a power of two
 * @n_subbufs: a power of two
 * @mode: enum ltt_mode
 * @timeout_us: of a blocked writer
 * @max_memory: bytes, or 0
 * @dead: destroyed; set once under ltt_mutex and @lock
 * @sealed: destroyed, and every buffer that has data is in @ready
 * @lock: guards @buffers, @ready and their nodes in the buffers
 * @buffers: all that hold data or belong to a living thread; each a reference
 * @ready: those that a reader should look at
 * @pool: stores that wait for their next thread, under @lock
 * @n_pool: their number, under @lock
 * @wait: readers
 * @room: writers that wait for a reader
 * @read_mutex: one reader at a time
 * @readers: open descriptors
 * @refused: buffers that could not be allocated
 * @lost: losses of buffers that were freed
 * @overwritten: likewise, to newer events
 * @memory: bytes in stores, pooled ones too, and leftovers
 * @name: [A-Za-z0-9_.-]+
 * @dumped: @buffers, as @dump has them; under @lock
 * @dump: for memory images
 * @kernel: what it has of events of the kernel, or NULL; set once, before
 *	@cpus_ready
 * @cpus_ready: some processor's buffer is to be looked at
 * @kernel_closed: it gets none any more; under ltt_kernel_mutex
 */
struct ltt_trace {
	struct kref		kref;
	unsigned int		slot;
	unsigned int		flags;
	const struct cred	*cred;
	struct ltt_user		*user;
	bool			privileged;
	struct ltt_limits	*limits;
	struct ltt_trace_page	*page;
	struct file		*file;
	atomic64_t		next_pgoff;
	unsigned int		subbuf_size;
	unsigned int		n_subbufs;
	unsigned int		mode;
	unsigned int		timeout_us;
	u64			max_memory;
	bool			dead;
	bool			sealed;
	spinlock_t		lock; /* see above */
	struct list_head	buffers;
	struct list_head	ready;
	struct list_head	pool;
	unsigned int		n_pool;
	wait_queue_head_t	wait;
	wait_queue_head_t	room;
	struct mutex		read_mutex; /* see above */
	atomic_t		readers;
	atomic64_t		refused;
	atomic64_t		lost;
	atomic64_t		overwritten;
	atomic64_t		memory;
	char			name[LTT_NAME_SIZE];
	struct list_head	dumped;
	struct ltt_dump_trace	dump;
	struct ltt_kernel	*kernel;
	bool			cpus_ready;
	bool			kernel_closed;
};

/**
 * struct ltt_definitions - event definitions as a program gave them
 * @kref: shared by a process and its forked children
 * @dump: of @data, for memory images
 * @kept: a copy that persists, followed by its data, or NULL; under ltt_mutex
 * @size: bytes
 * @data: never interpreted by the kernel
 */
struct ltt_definitions {
	struct kref		kref;
	struct ltt_dump_definitions	dump;
	struct ltt_dump_definitions	*kept;
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
 * @pid: of the thread group; a reference
 * @exe: its executable while it lives, or NULL; under ltt_mutex
 * @followed: bit for each trace that follows it, with all its descendants; under
 *	ltt_mutex
 * @covered: bit for each trace that covers it, as the gates were set; under
 *	ltt_mutex
 * @cred: of the thread that asked last, under ltt_mutex
 * @dumpable: may its user look inside; under ltt_mutex
 * @signal: number of the notification signal, 0 for none
 * @handler: its handler in the program, or 0 for any
 * @generation: last value given to the gates, under ltt_mutex
 * @n_pins: under ltt_mutex
 * @pins: under ltt_mutex
 * @first: the pin of a program that registers once, as most do
 * @lock: guards @tasks
 * @tasks: registered threads
 * @n_definitions: grows only; written under ltt_mutex after the slot
 * @definitions: in the order of registration
 * @dump: for memory images
 * @kept: the same that persists, or NULL; under ltt_mutex
 * @n_kept: @definitions that it leads to; under ltt_mutex
 */
struct ltt_process {
	struct kref		kref;
	struct list_head	node;
	u64			id;
	struct pid		*pid;
	struct file		*exe;
	u32			followed;
	u32			covered;
	const struct cred	*cred;
	bool			dumpable;
	int			signal;
	unsigned long		handler;
	u32			generation;
	unsigned int		n_pins;
	struct list_head	pins;
	struct ltt_pin		first;
	spinlock_t		lock; /* see above */
	struct list_head	tasks;
	unsigned int		n_definitions;
	struct ltt_definitions	*definitions[LTT_MAX_GATES];
	struct ltt_dump_process	dump;
	struct ltt_dump_process	*kept;
	unsigned int		n_kept;
};

/* Work of a thread before it returns to user mode; bits of ltt_task.work. */
#define LTT_WORK_NOTIFY		0	/* tell the program by signal */
#define LTT_WORK_PIN		1	/* forked: pin and fill the gates */
#define LTT_WORK_CRED		2	/* other credentials: who may trace it now? */

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
 * @buffers: struct ltt_buffer; own
 * @forked: struct ltt_buffer of the child that fork() is just making; own
 * @forked_mm: that child's; only compared
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
	struct list_head	forked;
	const struct mm_struct	*forked_mm;
};

/**
 * struct ltt_store - the memory of a buffer that a thread has touched
 * @kref: the buffer, its mapping, and a reader while it copies
 * @trace: for its memory count; a reference
 * @pool_node: in ltt_trace.pool
 * @rchan: one global relay buffer
 * @relay: its buffer: allocator, and count of sub-buffers
 *	produced and consumed; under ltt_buffer.lock
 * @kept: its pages' memory, if it persists; they are one reference more
 * @size: bytes of all sub-buffers
 * @dump: they, for memory images
 * @free: relay_close() must not run under mmap_lock
 */
struct ltt_store {
	struct kref		kref;
	struct ltt_trace	*trace;
	struct list_head	pool_node;
	struct rchan		*rchan;
	struct rchan_buf	*relay;
	void			*kept;
	size_t			size;
	struct ltt_dump_area	dump;
	struct work_struct	free;
};

/**
 * struct ltt_origin - what a forked child's buffer goes on from
 * @reserve: first position
 * @user: ltt_control.user
 */
struct ltt_origin {
	u64			reserve;
	u64			user[4];
};

/**
 * struct ltt_left - what a dead thread left, in memory of the right size
 * @n: ranges
 * @next: first one that is not all read
 * @size: bytes of memory
 * @data: bytes of all ranges, one after the other
 * @offset: in @data, of the part of range @next that is not read
 * @dump_ranges: for memory images
 * @dump: @data, for the same
 * @ranges: in order
 */
struct ltt_left {
	unsigned int		n;
	unsigned int		next;
	size_t			size;
	u8			*data;
	size_t			offset;
	struct ltt_dump_area	dump_ranges;
	struct ltt_dump_area	dump;
	struct ltt_range	ranges[];
};

/**
 * struct ltt_buffer - one thread's part of one trace, or one processor's
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
 * @dump_node: in ltt_trace.dumped, under ltt_trace.lock
 * @lock: guards what follows
 * @owner: NULL when the thread is gone or the trace destroyed
 * @fork: what a forked child continues from, until its first touch
 * @control: the control page, NULL until the first touch and when dead
 * @store: NULL before the first touch, when refused and when dead
 * @mapped: the store whose pages the mapping shows; a reference, given up when
 *	it cannot show them any more
 * @sink: takes stray stores when @store is gone
 * @left: leftovers of a dead thread
 * @open: the sub-buffer in use; @open.end is its limit
 * @closed: ring of closed sub-buffers by sub-buffer number
 * @taken: everything before it was read, or overwritten
 * @events_taken: ltt_range.events at @taken
 * @commit: last commit position seen, clamped; never goes back
 * @flush: counts the wishes that the open sub-buffer be read too; under
 *	ltt_trace.lock
 * @flushed: those that were fulfilled
 * @full: no sub-buffer is open, all are unread
 * @deadline: when the writer that waits for room gives up, in jiffies; 0: none
 *	waits
 * @gave_up: it did; no other shall wait before there is room
 * @retired: sealed; no more data will come
 * @last_sent: the LTT_PACKET_LAST packet was read
 * @lost_sent: losses that the last packet told of
 * @end: clock at the death
 * @packet: header of the next packet, kept current
 * @dump: for memory images
 * @cpu: of the kernel's events; NULL for a thread. With it there is no owner, no
 *	mapping and no @control, and @open is for memory images only
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
	struct list_head	dump_node;
	spinlock_t		lock; /* see above */
	struct ltt_task		*owner;
	struct ltt_origin	fork;
	struct ltt_control	*control;
	struct ltt_store	*store;
	struct ltt_store	*mapped;
	struct page		*sink;
	struct ltt_left		*left;
	struct ltt_range	open;
	struct ltt_range	*closed;
	u64			taken;
	u64			events_taken;
	u64			commit;
	u64			deadline;
	unsigned int		flush;
	unsigned int		flushed;
	bool			full;
	bool			gave_up;
	bool			retired;
	bool			last_sent;
	u64			lost_sent;
	u64			end;
	struct ltt_packet	packet;
	struct ltt_dump_buffer	dump;
	struct ltt_cpu		*cpu;
};

/**
 * struct ltt_reader - an open descriptor of a trace
 * @trace: reference
 * @definitions: process number to the number of its definitions sent
 * @snapshot: it reads what there is, once, and consumes nothing
 * @last: number of the last stream of a snapshot
 * @stream: that it reads now
 * @position: in there
 * @end: of what was committed when its turn came
 * @sequence: packets of it so far
 */
struct ltt_reader {
	struct ltt_trace	*trace;
	struct xarray		definitions;
	bool			snapshot;
	u64			last;
	u64			stream;
	u64			position;
	u64			end;
	u64			sequence;
};

/* Does what @trace holds outlive a reboot? */
static inline bool ltt_persists(const struct ltt_trace *trace)
{
	return trace->flags & LTT_TRACE_PERSIST;
}

/* Memory that a reader gave to be filled with whole packets. */
struct ltt_out {
	char __user		*to;
	size_t			size;
	size_t			done;
};

/* trace.c */
extern struct mutex ltt_mutex;
extern struct ltt_trace *ltt_traces[LTT_MAX_TRACES];
extern u32 ltt_slots;	/* those of ltt_traces in use */
struct ltt_trace *ltt_trace_create(const struct ltt_trace_params *params,
				   struct ltt_limits *limits,
				   unsigned int flags, bool start);
void ltt_trace_put(struct ltt_trace *trace);
void ltt_trace_changed(struct ltt_trace *trace);
void ltt_trace_set_active(struct ltt_trace *trace, bool active);
void ltt_trace_set_filter(struct ltt_trace *trace, u32 filter);
void ltt_trace_flush(struct ltt_trace *trace);
int ltt_trace_destroy(struct ltt_trace *trace);
bool ltt_trace_covers(const struct ltt_trace *trace,
		      const struct ltt_process *process);

/* rules.c */
int ltt_rules_set(struct ltt_trace *trace, const char *text, size_t size);
long ltt_ioc_rules(struct ltt_trace *trace, const void __user *arg);
long ltt_ioc_get_rules(struct ltt_trace *trace, void __user *arg);

/* quota.c */
struct ltt_user *ltt_user_get(kuid_t uid);
void ltt_user_put(struct ltt_user *user);
int ltt_quota_check(const struct ltt_user *user, bool privileged);
bool ltt_quota_charge(struct ltt_trace *trace, size_t bytes);
void ltt_quota_force(struct ltt_trace *trace, size_t bytes);
void ltt_quota_uncharge(struct ltt_trace *trace, size_t bytes);

/* target.c */
struct ltt_limits *ltt_limits_get(const struct ltt_trace_params *params);
void ltt_limits_free(struct ltt_limits *limits);
void ltt_limits_follow(struct ltt_trace *trace);
void ltt_limits_unfollow(struct ltt_trace *trace);
bool ltt_limits_match(const struct ltt_trace *trace,
		      const struct ltt_process *process);
bool ltt_limits_match_task(const struct ltt_trace *trace,
			   struct task_struct *task);

/* process.c */
extern struct list_head ltt_processes;
struct ltt_process *ltt_process_get(void);
struct ltt_process *ltt_process_fork(struct ltt_process *parent,
				     struct task_struct *child, bool program);
void ltt_process_exec(struct signal_struct *group);
int ltt_process_follow(struct task_struct *task, unsigned int slot);
void ltt_process_identify(struct ltt_process *process);
void ltt_process_put(struct ltt_process *process);
struct ltt_definitions *ltt_definitions_alloc(u32 size);
void ltt_process_end(struct signal_struct *group);
int ltt_process_register(struct ltt_process *process,
			 const struct ltt_registration *reg);
int ltt_process_unregister(struct ltt_process *process, unsigned long gate);
u32 ltt_process_pin_gates(struct ltt_process *process);
u32 ltt_process_covered(const struct ltt_process *process);
void ltt_process_set_gates(struct ltt_process *process);

/* task.c */
struct ltt_task *ltt_task_get(void);
void ltt_task_forked(struct ltt_task *lt);
void ltt_task_identify(struct ltt_task *lt);
void ltt_task_drop_forked(struct ltt_task *lt);

/* notify.c */
void ltt_notify_trace(struct ltt_trace *trace);

/* buffer.c */
struct ltt_buffer *ltt_buffer_alloc(struct ltt_trace *trace,
				    struct ltt_process *process);
void ltt_buffer_identify(struct ltt_buffer *buf, u32 flags);
bool ltt_buffer_list(struct ltt_buffer *buf);
void ltt_buffer_put(struct ltt_buffer *buf);
void ltt_buffer_get(struct ltt_buffer *buf);
void ltt_buffer_populate(struct ltt_buffer *buf);
void ltt_buffer_ready(struct ltt_buffer *buf);
void ltt_buffer_drop(struct ltt_buffer *buf);
bool ltt_buffer_drop_dead(struct ltt_trace *trace);
void ltt_buffer_update_packet(struct ltt_buffer *buf);

/* position.c */
static inline bool ltt_wants_flush(const struct ltt_buffer *buf)
{
	return READ_ONCE(buf->flush) != buf->flushed;
}

void ltt_buffer_snapshot(struct ltt_buffer *buf, struct ltt_origin *origin);
void ltt_buffer_begin(struct ltt_buffer *buf, struct ltt_store *store);
int ltt_buffer_switch(struct ltt_buffer *buf);
bool ltt_buffer_find(struct ltt_buffer *buf, u64 from, bool open,
		     struct ltt_range *range, const u8 **data);
bool ltt_buffer_next(struct ltt_buffer *buf, struct ltt_range *range,
		     const u8 **data);
bool ltt_buffer_is_open(const struct ltt_buffer *buf);
bool ltt_buffer_is_last(const struct ltt_buffer *buf);
void ltt_buffer_consume(struct ltt_buffer *buf, const struct ltt_range *range);

/* block.c */
int ltt_buffer_wait(struct ltt_buffer *buf);

/* retire.c */
void ltt_buffer_retire(struct ltt_buffer *buf, bool zap);
void ltt_buffer_strip(struct ltt_buffer *buf);
void ltt_left_free(struct ltt_left *left);

/* store.c */
struct ltt_store *ltt_store_alloc(struct ltt_trace *trace);
void ltt_store_put(struct ltt_store *store);
bool ltt_store_drain(struct ltt_trace *trace);

/* mapping.c */
struct file *ltt_mapping_file(void);
int ltt_mapping_create(struct ltt_buffer *buf);
void ltt_mapping_remove(struct ltt_buffer *buf);
void ltt_mapping_zap(struct ltt_buffer *buf);
struct ltt_buffer *ltt_mapping_find(unsigned long address);
extern struct vfsmount *ltt_mnt;

/* packet.c */
int ltt_put_packet(struct ltt_out *out, const struct ltt_packet *packet,
		   const void *data);
int ltt_put_definitions(struct ltt_reader *reader, struct ltt_process *process,
			struct ltt_out *out);
void ltt_fill_packet(struct ltt_buffer *buf, const struct ltt_range *range,
		     struct ltt_packet *packet);

/* read.c */
bool ltt_has_ready(const struct ltt_trace *trace);
ssize_t ltt_read(struct ltt_reader *reader, char __user *to, size_t size,
		 bool nonblock);

/* snapshot.c */
void ltt_snapshot_begin(struct ltt_reader *reader);
ssize_t ltt_snapshot_read(struct ltt_reader *reader, char __user *to,
			  size_t size);

/* clock.c */
struct ltt_clocks {
	u64	now;
	u64	monotonic_ns;
	u64	realtime_ns;
};

u32 ltt_clock_type(void);
u64 ltt_clock_freq(u32 clock);
u64 ltt_clock_offset(u32 clock);
u64 ltt_clock_now(u32 clock);
void ltt_clock_read(u32 clock, struct ltt_clocks *clocks);

/* region.c */
void *ltt_alloc(size_t size, bool persist);
void *ltt_alloc_page(bool persist);
void __ltt_free(void *memory);
void __ltt_free_page(void *page);
bool ltt_is_kept(const void *memory);
bool ltt_region_set(void *start, unsigned long n_pages);
int ltt_region_open(void);
struct ltt_dump_root *ltt_region_root(void);
void ltt_region_set_nodename(void);
long ltt_ioc_previous(void);

/*
 * What ltt_alloc() or kvmalloc() gave, or NULL: that is what most forked children
 * have, and fork() and exit() are to cost little.
 */
static inline void ltt_free(void *memory)
{
	if (memory)
		__ltt_free(memory);
}

/* What ltt_alloc_page() gave, or NULL. */
static inline void ltt_free_page(void *page)
{
	if (page)
		__ltt_free_page(page);
}

/* keep.c */
bool ltt_keep_process(struct ltt_process *process);

/* dump.c */
int ltt_dump_area_set(struct ltt_dump_area *area, const void *data, size_t size);
void ltt_dump_area_free(struct ltt_dump_area *area);
void ltt_dump_show_store(struct ltt_buffer *buf);
void ltt_dump_show_left(struct ltt_buffer *buf, const struct ltt_left *left);
void ltt_dump_add_trace(struct ltt_trace *trace);
void ltt_dump_remove_trace(struct ltt_trace *trace);
void ltt_dump_add_definitions(struct ltt_process *process,
			      struct ltt_definitions *definitions);
void ltt_dump_add_buffer(struct ltt_buffer *buf);
void ltt_dump_remove_buffer(struct ltt_buffer *buf);

#include "kernel_events.h"

#endif /* _LTT_INTERNAL_H */

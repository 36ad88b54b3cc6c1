// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer of a processor in a trace: its writer's rare steps, and its reader's.
 *
 *	      taken		      commit	 reserve	limit
 *	        |			|	    |		|
 *	--------+=========+.....+=======+-----------+-----------+
 *	  read	 sub-buffer     | sub-buffer (opened by its first event)
 *			   padding
 *
 * Nobody stops a writer. The event that finds no room in its sub-buffer opens the
 * next one, with the compare-and-swap that reserves its place, and says in
 * ltt_buffer.closed where the last one ended and when the new one began. All that
 * is done before the outermost event moves commit. So a reader goes by commit:
 * whatever lies before it is complete, the ranges as well as the events.
 */

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/relay.h>
#include <linux/slab.h>

#include "cpu.h"

DEFINE_PER_CPU(struct ltt_cpu *, ltt_cpus[LTT_KERNEL_SLOTS]);

static struct ltt_range *ltt_cpu_range(const struct ltt_cpu *cpu, u64 n)
{
	return &cpu->buf->closed[n & (cpu->mask >> cpu->shift)];
}

static u64 ltt_cpu_n_subbufs(const struct ltt_cpu *cpu)
{
	return (cpu->mask + 1) >> cpu->shift;
}

/* Where sub-buffer @n begins. */
static u64 ltt_cpu_start(const struct ltt_cpu *cpu, u64 n)
{
	return n << cpu->shift;
}

/* Sub-buffers that were opened when @reserve was reserved. */
static u64 ltt_cpu_opened(const struct ltt_cpu *cpu, u64 reserve)
{
	return (reserve + BIT_ULL(cpu->shift) - 1) >> cpu->shift;
}

/* The event has no place: the nesting is undone, and that it was lost counted. */
void ltt_cpu_refuse(struct ltt_cpu *cpu)
{
	ltt_cpu_count(&cpu->control.lost);
	WRITE_ONCE(cpu->control.writer, cpu->control.writer - 1);
}

/*
 * May sub-buffer @n be opened? In overwrite mode an event in flight below this one
 * must find its place as it was.
 */
static bool ltt_cpu_has_room(const struct ltt_cpu *cpu, u64 n)
{
	u64 first;

	if (cpu->overwrite)
		first = READ_ONCE(cpu->control.commit) >> cpu->shift;
	else
		/* Pairs with the store in ltt_cpu_advance(). */
		first = smp_load_acquire(&cpu->consumed);
	return n - first < ltt_cpu_n_subbufs(cpu);
}

/* The newest sub-buffer, for memory images; interrupts may be ahead of us. */
static void ltt_cpu_show_open(struct ltt_buffer *buf, u64 start, u64 time)
{
	u64 old;

	do {
		old = READ_ONCE(buf->open.start);
		if (old > start)
			return;
	} while (cmpxchg_local(&buf->open.start, old, start) != old);
	WRITE_ONCE(buf->open.begin, time);
}

/**
 * ltt_cpu_open() - reserve room that the open sub-buffer may not have
 * @cpu: of this processor, as for ltt_cpu_reserve()
 * @n: bytes
 * @time: becomes that of the event
 *
 * Return: its position, or LTT_NO_PLACE: the loss is counted.
 */
u64 ltt_cpu_open(struct ltt_cpu *cpu, u64 n, u64 *time)
{
	struct ltt_control *control = &cpu->control;
	const u64 size = BIT_ULL(cpu->shift);
	u64 reserve, start, end, k;
	struct ltt_range *range;
	bool fits;

	if (n > size) {
		ltt_cpu_count(&control->too_big);
		return LTT_NO_PLACE;
	}
	do {
		reserve = READ_ONCE(control->reserve);
		*time = ltt_cpu_clock(cpu);
		k = ltt_cpu_opened(cpu, reserve);
		end = ltt_cpu_start(cpu, k);
		/* An interrupt may have opened one since, or be about to say so. */
		fits = reserve + n <= end;
		start = fits ? reserve : end;
		if (!fits && !ltt_cpu_has_room(cpu, k)) {
			ltt_cpu_count(&control->lost);
			return LTT_NO_PLACE;
		}
	} while (cmpxchg_local(&control->reserve, reserve, start + n) != reserve);
	if (fits)
		return start;

	/* Readers who see what follows see that it is overwritten: ltt_cpu_lapped(). */
	smp_wmb();
	if (k) {
		range = ltt_cpu_range(cpu, k - 1);
		range->end = reserve;
		range->events = READ_ONCE(control->events);
	}
	range = ltt_cpu_range(cpu, k);
	range->start = start;
	range->begin = *time;
	ltt_cpu_show_open(cpu->buf, start, *time);
	/* If an interrupt is ahead, this is too low and nothing worse. */
	WRITE_ONCE(control->limit, start + size);
	WRITE_ONCE(cpu->opened, k);
	return start;
}

/*
 * After the commit: what is told of can be read. The writer may hold any lock, so
 * it wakes nobody.
 */
void ltt_cpu_tell(struct ltt_cpu *cpu)
{
	struct ltt_trace *trace = cpu->buf->trace;

	WRITE_ONCE(cpu->opened, false);
	WRITE_ONCE(cpu->ready, true);
	/* Pairs with the exchange in ltt_kernel_collect(). */
	smp_store_release(&trace->cpus_ready, true);
	/* Has a barrier, which pairs with that of who goes to sleep. */
	if (wq_has_sleeper(&trace->wait))
		irq_work_queue(&cpu->wake);
}

static void ltt_cpu_wake(struct irq_work *work)
{
	struct ltt_cpu *cpu = container_of(work, struct ltt_cpu, wake);

	wake_up_interruptible(&cpu->buf->trace->wait);
}

bool ltt_cpu_concerns(const struct ltt_cpu *cpu, struct task_struct *other)
{
	const struct ltt_trace *trace = cpu->buf->trace;

	return ltt_limits_match_task(trace, current) ||
	       (other && ltt_limits_match_task(trace, other));
}

/**
 * ltt_cpu_alloc() - a processor's buffer in a trace, with its memory
 * @trace: the buffer goes into none of its lists
 * @process: the kernel's
 * @number: of the processor
 *
 * Return: NULL if there is no memory for it.
 */
struct ltt_buffer *ltt_cpu_alloc(struct ltt_trace *trace,
				 struct ltt_process *process, unsigned int number)
{
	struct ltt_buffer *buf = ltt_buffer_alloc(trace, process);
	struct ltt_cpu *cpu;

	if (!buf)
		return NULL;
	cpu = ltt_alloc(sizeof(*cpu), ltt_persists(trace));
	buf->cpu = cpu;
	buf->closed = ltt_alloc(array_size(trace->n_subbufs, sizeof(*buf->closed)),
				ltt_persists(trace));
	buf->store = ltt_store_alloc(trace);
	if (!cpu || !buf->closed || !buf->store) {
		ltt_buffer_put(buf);
		return NULL;
	}
	cpu->buf = buf;
	cpu->number = number;
	cpu->page = trace->page;
	cpu->limited = trace->limits;
	cpu->tsc = trace->page->clock == LTT_CLOCK_TSC;
	cpu->overwrite = trace->mode == LTT_MODE_OVERWRITE;
	cpu->shift = ilog2(trace->subbuf_size);
	cpu->data = buf->store->relay->start;
	cpu->mask = buf->store->size - 1;
	cpu->control.mask = cpu->mask;
	init_irq_work(&cpu->wake, ltt_cpu_wake);
	ltt_buffer_identify(buf, LTT_PACKET_KERNEL);
	buf->packet.cpu = number;
	return buf;
}

/* What the processor writes; NULL for a thread. */
const struct ltt_control *ltt_cpu_control(const struct ltt_buffer *buf)
{
	return buf->cpu ? &buf->cpu->control : NULL;
}

/* No writer has it any more; a reader may. */
void ltt_cpu_sync(struct ltt_buffer *buf)
{
	irq_work_sync(&buf->cpu->wake);
}

/* Everything before it is complete. */
static u64 ltt_cpu_committed(const struct ltt_cpu *cpu)
{
	/* Pairs with the store in ltt_cpu_finish(). */
	return smp_load_acquire(&cpu->control.commit);
}

/* The first sub-buffer that is not overwritten. */
static u64 ltt_cpu_oldest(const struct ltt_cpu *cpu)
{
	u64 opened = ltt_cpu_opened(cpu, READ_ONCE(cpu->control.reserve));
	u64 n = ltt_cpu_n_subbufs(cpu);

	return opened > n ? opened - n : 0;
}

/**
 * ltt_cpu_lapped() - was what a reader found overwritten meanwhile?
 * @buf: of a processor
 * @position: the first one that it found
 */
bool ltt_cpu_lapped(const struct ltt_buffer *buf, u64 position)
{
	/* After what was read; pairs with the barrier in ltt_cpu_open(). */
	smp_rmb();
	return position >> buf->cpu->shift < ltt_cpu_oldest(buf->cpu);
}

/* The committed part of sub-buffer @k; false if it was overwritten meanwhile. */
static bool ltt_cpu_load(struct ltt_buffer *buf, u64 k, struct ltt_range *range)
{
	const struct ltt_cpu *cpu = buf->cpu;
	u64 start = ltt_cpu_start(cpu, k), end = ltt_cpu_start(cpu, k + 1);

	*range = *ltt_cpu_range(cpu, k);
	range->start = start;
	if (buf->commit <= end) {
		/* What lies before the next one is not known before that opens. */
		range->end = buf->commit;
		range->events = READ_ONCE(cpu->control.events);
	}
	return !ltt_cpu_lapped(buf, start);
}

/* See ltt_buffer_find(). */
bool ltt_cpu_find(struct ltt_buffer *buf, u64 from, bool open,
		  struct ltt_range *range, const u8 **data)
{
	struct ltt_cpu *cpu = buf->cpu;
	u64 k;

	lockdep_assert_held(&buf->lock);
	if (!buf->store)
		return false;
	for (k = from >> cpu->shift; ; k++) {
		k = max(k, ltt_cpu_oldest(cpu));
		/* After the oldest: it is not before that. */
		buf->commit = ltt_cpu_committed(cpu);
		if (ltt_cpu_start(cpu, k) >= buf->commit)
			return false;
		if (!ltt_cpu_load(buf, k, range))
			continue;
		range->start = max(range->start, from);
		if (range->start < range->end)
			break;
	}
	cpu->found_open = buf->commit < ltt_cpu_start(cpu, k + 1);
	cpu->found_end = range->end;
	*data = cpu->data + (range->start & cpu->mask);
	return open || !cpu->found_open;
}

/* Everything before @position is read. */
static void ltt_cpu_advance(struct ltt_buffer *buf, u64 position, u64 events)
{
	struct ltt_cpu *cpu = buf->cpu;

	buf->taken = position;
	buf->events_taken = events;
	/* After it was read; pairs with the load in ltt_cpu_has_room(). */
	smp_store_release(&cpu->consumed, position >> cpu->shift);
}

/* What is overwritten will not be read. */
static void ltt_cpu_skip_overwritten(struct ltt_buffer *buf)
{
	const struct ltt_cpu *cpu = buf->cpu;
	u64 oldest, events, n = ltt_cpu_n_subbufs(cpu);

	do {
		oldest = ltt_cpu_oldest(cpu);
		if (buf->taken >= ltt_cpu_start(cpu, oldest))
			return;
		smp_rmb(); /* as in ltt_cpu_lapped() */
		/* The open one's range has the old end of the one it replaced. */
		events = ltt_cpu_range(cpu, oldest - 1 + n)->events;
	} while (ltt_cpu_lapped(buf, ltt_cpu_start(cpu, oldest)));
	if (events > buf->events_taken)
		buf->packet.overwritten += events - buf->events_taken;
	ltt_cpu_advance(buf, ltt_cpu_start(cpu, oldest),
			max(events, buf->events_taken));
}

/* A sub-buffer that was read to its end while it was open: the writer may have it. */
static void ltt_cpu_skip_read(struct ltt_buffer *buf)
{
	const struct ltt_cpu *cpu = buf->cpu;
	u64 k = buf->taken >> cpu->shift, next = ltt_cpu_start(cpu, k + 1);

	if (ltt_cpu_committed(cpu) > next && ltt_cpu_range(cpu, k)->end <= buf->taken)
		ltt_cpu_advance(buf, next, buf->events_taken);
}

/* See ltt_buffer_next(). */
bool ltt_cpu_next(struct ltt_buffer *buf, struct ltt_range *range, const u8 **data)
{
	if (buf->cpu->overwrite)
		ltt_cpu_skip_overwritten(buf);
	else
		ltt_cpu_skip_read(buf);
	return ltt_cpu_find(buf, buf->taken, ltt_wants_flush(buf) || buf->retired,
			    range, data);
}

/* See ltt_buffer_consume(). */
void ltt_cpu_consume(struct ltt_buffer *buf, const struct ltt_range *range)
{
	const struct ltt_cpu *cpu = buf->cpu;
	u64 next = ltt_cpu_start(cpu, (range->start >> cpu->shift) + 1);

	/* To the end of a closed sub-buffer, and over the padding. */
	ltt_cpu_advance(buf, buf->commit > next ? next : range->end, range->events);
}

/* See ltt_buffer_is_last(). */
bool ltt_cpu_is_last(const struct ltt_buffer *buf)
{
	return buf->cpu->found_end == buf->commit;
}

/* See ltt_buffer_is_open(). */
bool ltt_cpu_is_open(const struct ltt_buffer *buf)
{
	return buf->cpu->found_open;
}

/* What it counted, into the next packet's header. */
void ltt_cpu_update_packet(struct ltt_buffer *buf)
{
	const struct ltt_control *control = &buf->cpu->control;

	buf->packet.events = READ_ONCE(control->events);
	buf->packet.lost = READ_ONCE(control->lost);
	buf->packet.too_big = READ_ONCE(control->too_big);
}

/* No writer has it any more, and its trace is destroyed. */
void ltt_cpu_seal(struct ltt_buffer *buf)
{
	lockdep_assert_held(&buf->lock);
	ltt_cpu_update_packet(buf);
	buf->commit = ltt_cpu_committed(buf->cpu);
	buf->retired = true;
	buf->end = ltt_clock_now(buf->trace->page->clock);
}

#ifdef CONFIG_LTT_KUNIT_TEST
#include "cpu_kunit.c"
#include "cpu_interrupt_kunit.c"
#endif

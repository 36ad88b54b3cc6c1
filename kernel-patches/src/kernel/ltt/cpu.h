/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing an event of the kernel into the buffer of this processor.
 *
 * The steps are a marker's (uapi/linux/ltt.h), with a processor in the place of a
 * thread and interrupts in the place of signal handlers. So preemption is off from
 * the reservation to the commit, and interrupts stay on.
 */
#ifndef _LTT_CPU_H
#define _LTT_CPU_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <asm/cmpxchg.h>
#include <asm/local64.h>
#include <asm/msr.h>

#include "internal.h"

/* Task, soft interrupt, interrupt, NMI; and a fault in each of them. */
#define LTT_MAX_NESTING		8

/**
 * struct ltt_cpu - what a processor writes of one trace
 * @control: as of a thread, but for @control.writer, which counts how deep events
 *	lie on top of each other. Written by the processor, read by anyone
 * @data: the sub-buffers
 * @mask: their bytes - 1
 * @page: of the trace
 * @limited: only events of tasks that the trace's targets match
 * @opened: a sub-buffer was opened, which is to be told; the processor's own
 * @tsc: the trace's clock is the time stamp counter
 * @overwrite: the trace's mode
 * @shift: of the size of a sub-buffer
 * @number: of the processor
 * @ready: a reader shall look; set by the processor, cleared by the reader
 * @consumed: sub-buffers that were read to their end; written by the reader, read
 *	by the processor
 * @found_open: the reader found part of the open sub-buffer; under ltt_buffer.lock
 * @found_end: of what it found; the same
 * @buf: whose part this is
 * @wake: readers
 */
struct ltt_cpu {
	struct ltt_control	control;
	u8			*data;
	u64			mask;
	struct ltt_trace_page	*page;
	bool			limited;
	bool			opened;
	bool			tsc;
	bool			overwrite;
	unsigned int		shift;
	unsigned int		number;
	bool			ready;
	u64			consumed ____cacheline_aligned;
	bool			found_open;
	u64			found_end;
	struct ltt_buffer	*buf;
	struct irq_work		wake;
};

/* Of this processor, by ltt_kernel.slot. Set and cleared under ltt_kernel_mutex. */
#define LTT_KERNEL_SLOTS	32
DECLARE_PER_CPU(struct ltt_cpu *, ltt_cpus[LTT_KERNEL_SLOTS]);

/* LTT_NO_PLACE is no position: those count from 0. */
#define LTT_NO_PLACE		U64_MAX

u64 ltt_cpu_open(struct ltt_cpu *cpu, u64 n, u64 *time);
void ltt_cpu_refuse(struct ltt_cpu *cpu);
void ltt_cpu_tell(struct ltt_cpu *cpu);
bool ltt_cpu_concerns(const struct ltt_cpu *cpu, struct task_struct *other);

/* Interrupts count, too: one instruction. */
static __always_inline void ltt_cpu_count(__u64 *counter)
{
	BUILD_BUG_ON(sizeof(local64_t) != sizeof(*counter));
	local64_inc((local64_t *)counter);
}

static __always_inline u64 ltt_cpu_clock(const struct ltt_cpu *cpu)
{
	return likely(cpu->tsc) ? rdtsc_ordered() + READ_ONCE(cpu->page->clock_offset) :
				  ktime_get_ns();
}

/* Does the trace take an event of current, or of @other if that is not NULL? */
static __always_inline bool ltt_cpu_wants(const struct ltt_cpu *cpu,
					  struct task_struct *other)
{
	return READ_ONCE(cpu->page->active) &&
	       (likely(!cpu->limited) || ltt_cpu_concerns(cpu, other));
}

/*
 * An NMI may have stopped those who set the clock, and would wait for them; what
 * nests deeper than anything should is a probe that traces itself.
 */
static __always_inline bool ltt_cpu_must_refuse(const struct ltt_cpu *cpu)
{
	return cpu->control.writer > LTT_MAX_NESTING || (!cpu->tsc && in_nmi());
}

static __always_inline void ltt_cpu_finish(struct ltt_cpu *cpu)
{
	struct ltt_control *control = &cpu->control;
	u64 reserve;

	barrier();
	if (unlikely(control->writer != 1)) {
		WRITE_ONCE(control->writer, control->writer - 1);
		return;
	}
	for (;;) {
		reserve = READ_ONCE(control->reserve);
		/* Pairs with the load in ltt_cpu_committed(). */
		smp_store_release(&control->commit, reserve);
		WRITE_ONCE(control->writer, 0);
		barrier();
		/* Who came between the first two lines left the commit to us. */
		if (likely(READ_ONCE(control->reserve) == reserve))
			break;
		WRITE_ONCE(control->writer, 1);
		barrier();
	}
	if (unlikely(READ_ONCE(cpu->opened)))
		ltt_cpu_tell(cpu);
}

/**
 * ltt_cpu_reserve() - room for an event
 * @cpu: of this processor; preemption is off until ltt_cpu_finish()
 * @n: bytes of the event, its header included
 * @id: of the event
 *
 * Return: where its fields go, or NULL: there is no room, it is counted, and there
 * is nothing to finish.
 */
static __always_inline u8 *ltt_cpu_reserve(struct ltt_cpu *cpu, u64 n, u16 id)
{
	struct ltt_control *control = &cpu->control;
	u64 place, time, header;
	u8 *at;

	WRITE_ONCE(control->writer, control->writer + 1);
	barrier();
	if (unlikely(ltt_cpu_must_refuse(cpu))) {
		ltt_cpu_refuse(cpu);
		return NULL;
	}
	do {
		place = READ_ONCE(control->reserve);
		/* Within the loop: an interrupt's event must not be earlier. */
		time = ltt_cpu_clock(cpu);
		if (unlikely(place + n > READ_ONCE(control->limit))) {
			place = ltt_cpu_open(cpu, n, &time);
			break;
		}
	} while (unlikely(cmpxchg_local(&control->reserve, place, place + n) != place));
	if (unlikely(place == LTT_NO_PLACE)) {
		ltt_cpu_finish(cpu);
		return NULL;
	}
	ltt_cpu_count(&control->events);
	at = cpu->data + (place & cpu->mask);
	header = time << 16 | id;
	memcpy(at, &header, sizeof(header));
	return at + sizeof(header);
}

#endif /* _LTT_CPU_H */

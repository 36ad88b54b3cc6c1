// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of the timestamps: readable in user mode without a system call.
 *
 * The time stamp counter of many machines begins anew when they were suspended to
 * RAM, or to disk. Timestamps must not: what is to be added to the counter stands in
 * the page of each trace, and grows by what the counter has lost. Like
 * CLOCK_MONOTONIC, they do not count how long such a machine was asleep.
 */

#include <linux/ktime.h>
#include <asm/tsc.h>

#include "compat.h"
#include "internal.h"

/*
 * Added to the counter. It changes while nothing runs but the suspend: other
 * processors are off, interrupts too, tasks stand outside of their system calls.
 */
static u64 ltt_tsc_offset;
/* The counter before the machine went to sleep. */
static u64 ltt_tsc_before;

/* Fixed for a trace at its creation; told to writers by the trace page. */
u32 ltt_clock_type(void)
{
	if (boot_cpu_has(X86_FEATURE_TSC) && tsc_khz && !check_tsc_unstable())
		return LTT_CLOCK_TSC;
	return LTT_CLOCK_MONOTONIC;
}

u64 ltt_clock_freq(u32 clock)
{
	return clock == LTT_CLOCK_TSC ? tsc_khz * 1000ULL : NSEC_PER_SEC;
}

u64 ltt_clock_offset(u32 clock)
{
	return clock == LTT_CLOCK_TSC ? ltt_tsc_offset : 0;
}

u64 ltt_clock_now(u32 clock)
{
	return clock == LTT_CLOCK_TSC ? rdtsc_ordered() + ltt_tsc_offset : ktime_get_ns();
}

/* Three clocks at one time, as near as can be. */
void ltt_clock_read(u32 clock, struct ltt_clocks *clocks)
{
	unsigned long flags;

	local_irq_save(flags);
	clocks->now = ltt_clock_now(clock);
	clocks->monotonic_ns = ktime_get_ns();
	clocks->realtime_ns = ktime_get_real_ns();
	local_irq_restore(flags);
}

/*
 * Threads may stand between their load of the counter and that of the offset. Such
 * an event finds no room, and takes its time anew.
 */
static void ltt_clock_changed(struct ltt_trace *trace)
{
	struct ltt_control *control;
	struct ltt_buffer *buf;

	if (trace->page->clock != LTT_CLOCK_TSC)
		return;
	WRITE_ONCE(trace->page->clock_offset, ltt_tsc_offset);
	spin_lock(&trace->lock);
	list_for_each_entry(buf, &trace->buffers, trace_node) {
		control = READ_ONCE(buf->control);
		if (control)
			WRITE_ONCE(control->limit, 0);
	}
	spin_unlock(&trace->lock);
}

static int ltt_clock_suspend(void)
{
	ltt_tsc_before = rdtsc_ordered();
	return 0;
}

static void ltt_clock_resume(void)
{
	const u64 now = rdtsc_ordered();
	unsigned int i;

	if (now >= ltt_tsc_before)
		return;
	ltt_tsc_offset += ltt_tsc_before - now;
	for (i = 0; i < LTT_MAX_TRACES; i++)
		if (ltt_traces[i])
			ltt_clock_changed(ltt_traces[i]);
}

LTT_SYSCORE(ltt_clock_syscore, ltt_clock_suspend, ltt_clock_resume);

/* Early, so that it resumes before others whose work is traced. */
static int __init ltt_clock_init(void)
{
	ltt_register_syscore(&ltt_clock_syscore);
	return 0;
}
core_initcall(ltt_clock_init);

#ifdef CONFIG_LTT_KUNIT_TEST
#include "clock_kunit.c"
#endif

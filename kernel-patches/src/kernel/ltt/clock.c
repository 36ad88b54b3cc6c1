// SPDX-License-Identifier: GPL-2.0
/* The clock of the timestamps: readable in user mode without a system call. */

#include <linux/ktime.h>
#include <asm/tsc.h>

#include "internal.h"

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

u64 ltt_clock_now(u32 clock)
{
	return clock == LTT_CLOCK_TSC ? rdtsc_ordered() : ktime_get_ns();
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

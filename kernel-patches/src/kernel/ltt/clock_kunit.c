// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of clock.c, which includes this file. The counter seems to begin anew, and
 * the time goes on: so it does for whatever is traced after these tests.
 */

#include <kunit/test.h>

#define LOST	BIT_ULL(40)

/* As if the counter had fallen back by @n. */
static void sleep_and_lose(u64 n)
{
	unsigned long flags;

	local_irq_save(flags);
	ltt_clock_suspend();
	ltt_tsc_before += n;
	ltt_clock_resume();
	local_irq_restore(flags);
}

static void test_goes_on(struct kunit *test)
{
	const struct ltt_trace_params params = {
		.size		= sizeof(params),
		.subbuf_size	= 4096,
		.n_subbufs	= 2,
		.name		= "kunit",
	};
	struct ltt_trace *trace = ltt_trace_create(&params, NULL, 0, true);
	u64 before, offset, now;
	struct ltt_clocks clocks;

	KUNIT_ASSERT_FALSE(test, IS_ERR(trace));
	offset = trace->page->clock_offset;
	before = ltt_clock_now(trace->page->clock);
	sleep_and_lose(0);
	KUNIT_EXPECT_EQ(test, trace->page->clock_offset, offset);
	sleep_and_lose(LOST);
	now = ltt_clock_now(trace->page->clock);
	ltt_clock_read(trace->page->clock, &clocks);
	KUNIT_EXPECT_GE(test, clocks.now, now);
	if (trace->page->clock == LTT_CLOCK_TSC) {
		/* Without what has passed meanwhile. */
		KUNIT_EXPECT_GT(test, trace->page->clock_offset, offset + LOST / 2);
		KUNIT_EXPECT_LE(test, trace->page->clock_offset, offset + LOST);
		KUNIT_EXPECT_GE(test, now, before + LOST);
	} else {
		KUNIT_EXPECT_EQ(test, trace->page->clock_offset, 0);
	}
	ltt_trace_destroy(trace);
	ltt_trace_put(trace);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(test_goes_on),
	{}
};

static struct kunit_suite clock_suite = {
	.name		= "ltt_clock",
	.test_cases	= clock_cases,
};

kunit_test_suite(clock_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of cpu.c, which includes this file: a real buffer, which no probe knows,
 * with events on top of events by hand. By true interrupts: cpu_interrupt_kunit.c.
 */

#include <kunit/test.h>

#include <linux/preempt.h>

#define SUBBUF		4096
#define N_SUBBUFS	4

/* Of the test that runs; gone after it, whatever became of it. */
static struct ltt_trace *test_trace;
static struct ltt_buffer *test_buf;
static struct ltt_process test_process = { .kref = KREF_INIT(1), .id = 4711 };

static struct ltt_cpu *begin_with(struct kunit *test, enum ltt_mode mode,
				  unsigned int n_subbufs)
{
	struct ltt_trace_params params = {
		.size		= sizeof(params),
		.mode		= mode,
		.subbuf_size	= SUBBUF,
		.n_subbufs	= n_subbufs,
		.name		= "kunit",
	};
	struct ltt_trace *trace = ltt_trace_create(&params, NULL, 0, true);

	KUNIT_ASSERT_FALSE(test, IS_ERR(trace));
	test_trace = trace;
	test_buf = ltt_cpu_alloc(trace, &test_process, 0);
	KUNIT_ASSERT_TRUE(test, test_buf);
	return test_buf->cpu;
}

static struct ltt_cpu *begin(struct kunit *test, enum ltt_mode mode)
{
	return begin_with(test, mode, N_SUBBUFS);
}

static void exit_test(struct kunit *test)
{
	if (test_buf) {
		ltt_cpu_sync(test_buf);
		ltt_buffer_put(test_buf);
	}
	test_buf = NULL;
	if (!test_trace)
		return;
	ltt_trace_destroy(test_trace);
	ltt_trace_put(test_trace);
	test_trace = NULL;
}

/* In flight until ltt_cpu_finish(), with its size in it. */
static bool reserve(struct ltt_cpu *cpu, u64 n)
{
	u8 *at = ltt_cpu_reserve(cpu, n, 1);

	if (at)
		memset(at, n, n - sizeof(u64));
	return at;
}

static bool write_event(struct ltt_cpu *cpu, u64 n)
{
	bool written;

	preempt_disable();
	written = reserve(cpu, n);
	if (written)
		ltt_cpu_finish(cpu);
	preempt_enable();
	return written;
}

/* Reads as read() does; false if there is nothing. */
static bool next(struct ltt_range *range, const u8 **data)
{
	bool found;

	spin_lock(&test_buf->lock);
	found = ltt_buffer_next(test_buf, range, data);
	if (found)
		ltt_buffer_consume(test_buf, range);
	spin_unlock(&test_buf->lock);
	return found;
}

/* How many bytes a reader got. */
static u64 consume(void)
{
	struct ltt_range range;
	const u8 *data;

	return next(&range, &data) ? range.end - range.start : 0;
}

/* The same, of what is open, too. */
static u64 flush(void)
{
	u64 n;

	test_buf->flush++;
	n = consume();
	test_buf->flushed = test_buf->flush;
	return n;
}

static void test_fill(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	struct ltt_range range;
	const u8 *data = NULL;

	KUNIT_EXPECT_FALSE(test, next(&range, &data));
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 3000));
	KUNIT_EXPECT_EQ(test, cpu->control.commit, 3000);
	/* It is open. */
	KUNIT_EXPECT_FALSE(test, next(&range, &data));
	/* To the byte. */
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 1096));
	KUNIT_EXPECT_EQ(test, cpu->control.commit, SUBBUF);
	KUNIT_EXPECT_TRUE(test, next(&range, &data));
	KUNIT_EXPECT_EQ(test, range.start, 0);
	KUNIT_EXPECT_EQ(test, range.end, SUBBUF);
	KUNIT_EXPECT_EQ(test, range.events, 2);
	KUNIT_EXPECT_EQ(test, data[8], 3000 & 0xff);
	KUNIT_EXPECT_EQ(test, cpu->consumed, 1);

	/* One byte too much: the rest is padding. */
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 4000));
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 97));
	KUNIT_EXPECT_EQ(test, cpu->control.commit, 2 * SUBBUF + 97);
	KUNIT_EXPECT_TRUE(test, next(&range, &data));
	KUNIT_EXPECT_EQ(test, range.start, SUBBUF);
	KUNIT_EXPECT_EQ(test, range.end, SUBBUF + 4000);
	KUNIT_EXPECT_EQ(test, range.events, 3);
	KUNIT_EXPECT_EQ(test, cpu->consumed, 2);
	KUNIT_EXPECT_EQ(test, test_buf->taken, 2 * SUBBUF);
	KUNIT_EXPECT_FALSE(test, next(&range, &data));
}

static void test_sizes(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);

	KUNIT_EXPECT_FALSE(test, write_event(cpu, SUBBUF + 1));
	KUNIT_EXPECT_EQ(test, cpu->control.too_big, 1);
	KUNIT_EXPECT_EQ(test, cpu->control.reserve, 0);
	KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF));
	KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF));
	KUNIT_EXPECT_EQ(test, consume(), SUBBUF);
	KUNIT_EXPECT_EQ(test, consume(), SUBBUF);
	KUNIT_EXPECT_EQ(test, consume(), 0);
	KUNIT_EXPECT_EQ(test, cpu->control.writer, 0);
}

static void test_discard(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	unsigned int i;

	for (i = 0; i < N_SUBBUFS; i++)
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 10));
	/* What is small still fits. */
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 10));
	for (i = 1; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test, write_event(cpu, 10));
		KUNIT_EXPECT_EQ(test, cpu->control.lost, i);
	}
	KUNIT_EXPECT_EQ(test, cpu->control.events, N_SUBBUFS + 1);
	KUNIT_EXPECT_EQ(test, consume(), SUBBUF - 10);
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 100));
	KUNIT_EXPECT_FALSE(test, write_event(cpu, SUBBUF - 50));
	for (i = 1; i < N_SUBBUFS - 1; i++)
		KUNIT_EXPECT_EQ(test, consume(), SUBBUF - 10);
	KUNIT_EXPECT_EQ(test, consume(), SUBBUF);
	KUNIT_EXPECT_EQ(test, consume(), 0);
	KUNIT_EXPECT_EQ(test, flush(), 100);
	KUNIT_EXPECT_EQ(test, flush(), 0);
}

/*
 * A sub-buffer that was read to its end while it was open comes free as soon as a
 * reader looks, even if there is nothing to read: else two of them would be full
 * for ever.
 */
static void test_flush_of_two(struct kunit *test)
{
	struct ltt_cpu *cpu = begin_with(test, LTT_MODE_DISCARD, 2);
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 100));
	KUNIT_EXPECT_EQ(test, flush(), SUBBUF - 100);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 100));
		KUNIT_EXPECT_EQ(test, consume(), 0);
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 100));
		KUNIT_EXPECT_EQ(test, consume(), SUBBUF - 100);
		KUNIT_EXPECT_EQ(test, flush(), SUBBUF - 100);
	}
	KUNIT_EXPECT_EQ(test, cpu->control.lost, 0);
}

static void test_flush(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	unsigned int i;

	for (i = 0; i < 5 * N_SUBBUFS; i++) {
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 100));
		KUNIT_EXPECT_EQ(test, flush(), SUBBUF - 100);
		KUNIT_EXPECT_EQ(test, flush(), 0);
	}
	KUNIT_EXPECT_EQ(test, cpu->control.lost, 0);
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 100));
	KUNIT_EXPECT_EQ(test, consume(), 100);
}

/* Nobody reads past an event in flight, not even what is complete. */
static void test_nested(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	struct ltt_range range;
	const u8 *data = NULL;

	preempt_disable();
	KUNIT_EXPECT_TRUE(test, reserve(cpu, 4000));
	/* An interrupt: does not fit, opens the next one, and is done. */
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 200));
	KUNIT_EXPECT_EQ(test, cpu->control.reserve, SUBBUF + 200);
	KUNIT_EXPECT_EQ(test, cpu->control.commit, 0);
	KUNIT_EXPECT_EQ(test, flush(), 0);
	/* Another on top of a third. */
	KUNIT_EXPECT_TRUE(test, reserve(cpu, 300));
	KUNIT_EXPECT_TRUE(test, write_event(cpu, 400));
	ltt_cpu_finish(cpu);
	KUNIT_EXPECT_EQ(test, cpu->control.commit, 0);
	ltt_cpu_finish(cpu);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, cpu->control.commit, SUBBUF + 900);
	KUNIT_EXPECT_EQ(test, cpu->control.writer, 0);
	KUNIT_EXPECT_TRUE(test, next(&range, &data));
	KUNIT_EXPECT_EQ(test, range.start, 0);
	KUNIT_EXPECT_EQ(test, range.end, 4000);
	KUNIT_EXPECT_EQ(test, flush(), 900);
	KUNIT_EXPECT_EQ(test, cpu->control.events, 4);
}

/* A probe that traces itself comes to an end. */
static void test_nested_too_deep(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	unsigned int i;

	preempt_disable();
	for (i = 0; i < LTT_MAX_NESTING; i++)
		KUNIT_EXPECT_TRUE(test, reserve(cpu, 16));
	KUNIT_EXPECT_FALSE(test, reserve(cpu, 16));
	KUNIT_EXPECT_EQ(test, cpu->control.lost, 1);
	while (i--)
		ltt_cpu_finish(cpu);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, cpu->control.writer, 0);
	KUNIT_EXPECT_EQ(test, flush(), LTT_MAX_NESTING * 16);
}

static void test_overwrite(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_OVERWRITE);
	struct ltt_range range;
	const u8 *data = NULL;
	unsigned int i;

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 10));
	KUNIT_EXPECT_TRUE(test, next(&range, &data));
	KUNIT_EXPECT_EQ(test, range.start, 6 * SUBBUF);
	KUNIT_EXPECT_EQ(test, range.end, 7 * SUBBUF - 10);
	KUNIT_EXPECT_EQ(test, test_buf->packet.overwritten, 6);
	KUNIT_EXPECT_FALSE(test, ltt_cpu_lapped(test_buf, 7 * SUBBUF));
	KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF - 10));
	KUNIT_EXPECT_FALSE(test, ltt_cpu_lapped(test_buf, 7 * SUBBUF));
	KUNIT_EXPECT_TRUE(test, ltt_cpu_lapped(test_buf, 7 * SUBBUF - 1));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, consume(), SUBBUF - 10);
	KUNIT_EXPECT_EQ(test, flush(), SUBBUF - 10);
	KUNIT_EXPECT_EQ(test, test_buf->packet.overwritten, 6);
	KUNIT_EXPECT_EQ(test, test_buf->events_taken, 11);
}

static void test_overwrite_spares_an_event_in_flight(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_OVERWRITE);
	unsigned int i;

	preempt_disable();
	KUNIT_EXPECT_TRUE(test, reserve(cpu, 100));
	for (i = 1; i < N_SUBBUFS; i++)
		KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF));
	KUNIT_EXPECT_FALSE(test, write_event(cpu, SUBBUF));
	KUNIT_EXPECT_EQ(test, cpu->control.lost, 1);
	ltt_cpu_finish(cpu);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, write_event(cpu, SUBBUF));
	KUNIT_EXPECT_EQ(test, consume(), SUBBUF);
	KUNIT_EXPECT_EQ(test, test_buf->packet.overwritten, 1);
}

static struct kunit_case cpu_cases[] = {
	KUNIT_CASE(test_fill),
	KUNIT_CASE(test_sizes),
	KUNIT_CASE(test_discard),
	KUNIT_CASE(test_flush),
	KUNIT_CASE(test_flush_of_two),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_nested_too_deep),
	KUNIT_CASE(test_overwrite),
	KUNIT_CASE(test_overwrite_spares_an_event_in_flight),
	{}
};

static struct kunit_suite cpu_suite = {
	.name		= "ltt_cpu",
	.exit		= exit_test,
	.test_cases	= cpu_cases,
};

kunit_test_suite(cpu_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of position.c, which includes this file: a real store, and a control
 * page that the test fills as a thread would, or as none should.
 */

#include <kunit/test.h>

#define SUBBUF	4096
#define N_SUBBUFS	4
#define LAP	(SUBBUF * N_SUBBUFS)

/* Of the test that runs; gone after it, whatever became of it. */
static struct ltt_trace *test_trace;
static struct ltt_buffer *test_bufs[3];
static unsigned int n_test_bufs;

static void new_trace(struct kunit *test, enum ltt_mode mode)
{
	struct ltt_trace_params params = {
		.size		= sizeof(params),
		.mode		= mode,
		.subbuf_size	= SUBBUF,
		.n_subbufs	= N_SUBBUFS,
		.timeout_us	= mode == LTT_MODE_BLOCK ? 1000 : 0,
		.name		= "kunit",
	};
	struct ltt_trace *trace = ltt_trace_create(&params, NULL, 0, false);

	KUNIT_ASSERT_FALSE(test, IS_ERR(trace));
	test_trace = trace;
}

static struct ltt_buffer *alloc_buffer(struct kunit *test)
{
	struct ltt_buffer *buf = ltt_buffer_alloc(test_trace, NULL);

	KUNIT_ASSERT_TRUE(test, buf);
	test_bufs[n_test_bufs++] = buf;
	return buf;
}

/* Of the trace, but in none of its lists: no reader comes between. */
static struct ltt_buffer *new_buffer(struct kunit *test,
				     const struct ltt_origin *origin, bool refused)
{
	struct ltt_buffer *buf = alloc_buffer(test);
	struct ltt_store *store = NULL;

	buf->control = (void *)get_zeroed_page(GFP_KERNEL);
	buf->closed = kvcalloc(N_SUBBUFS, sizeof(*buf->closed), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, buf->control && buf->closed);
	if (!refused) {
		store = ltt_store_alloc(test_trace);
		KUNIT_ASSERT_TRUE(test, store);
	}
	if (origin)
		buf->fork = *origin;
	ltt_buffer_begin(buf, store);
	return buf;
}

static struct ltt_buffer *begin(struct kunit *test, enum ltt_mode mode)
{
	new_trace(test, mode);
	return new_buffer(test, NULL, false);
}

static void exit_test(struct kunit *test)
{
	while (n_test_bufs)
		ltt_buffer_put(test_bufs[--n_test_bufs]);
	if (!test_trace)
		return;
	ltt_trace_destroy(test_trace);
	ltt_trace_put(test_trace);
	test_trace = NULL;
}

/* An event is given room; it is in flight until finish(). */
static bool reserve(struct ltt_buffer *buf, u64 n)
{
	struct ltt_control *control = buf->control;

	if (control->reserve + n > control->limit)
		return false;
	control->reserve += n;
	control->events++;
	return true;
}

static void finish(struct ltt_buffer *buf)
{
	buf->control->commit = buf->control->reserve;
}

static bool write_event(struct ltt_buffer *buf, u64 n)
{
	if (!reserve(buf, n))
		return false;
	finish(buf);
	return true;
}

/* Whole sub-buffers of one event each; the last one is closed too. */
static void fill(struct kunit *test, struct ltt_buffer *buf, unsigned int n)
{
	while (n--) {
		KUNIT_ASSERT_TRUE(test, write_event(buf, SUBBUF));
		ltt_buffer_switch(buf);
	}
}

static bool find(struct ltt_buffer *buf, u64 from, bool open,
		 struct ltt_range *range)
{
	const u8 *data;
	bool found;

	spin_lock(&buf->lock);
	found = ltt_buffer_find(buf, from, open, range, &data);
	spin_unlock(&buf->lock);
	return found;
}

/* Reads as read() does; false if there is nothing. */
static bool next(struct ltt_buffer *buf, struct ltt_range *range, const u8 **data)
{
	bool found;

	spin_lock(&buf->lock);
	found = ltt_buffer_next(buf, range, data);
	if (found)
		ltt_buffer_consume(buf, range);
	spin_unlock(&buf->lock);
	return found;
}

/* How many bytes a reader got. */
static u64 consume(struct ltt_buffer *buf)
{
	struct ltt_range range;
	const u8 *data;

	return next(buf, &range, &data) ? range.end - range.start : 0;
}

static void test_begin(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);

	KUNIT_EXPECT_EQ(test, buf->control->reserve, 0);
	KUNIT_EXPECT_EQ(test, buf->control->commit, 0);
	KUNIT_EXPECT_EQ(test, buf->control->limit, SUBBUF);
	KUNIT_EXPECT_EQ(test, buf->control->mask, LAP - 1);
	KUNIT_EXPECT_EQ(test, buf->control->full, 0);
}

static void test_begin_refused(struct kunit *test)
{
	struct ltt_buffer *buf;
	struct ltt_range range;

	new_trace(test, LTT_MODE_OVERWRITE);
	buf = new_buffer(test, NULL, true);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));
	KUNIT_EXPECT_EQ(test, buf->control->full, 1);
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_FALSE(test, find(buf, 0, true, &range));
}

static void test_reserve_is_clamped(struct kunit *test)
{
	static const struct {
		u64 told, taken;
		u32 flags;
	} cases[] = {
		{ SUBBUF, SUBBUF, 0 },
		{ SUBBUF + 1, SUBBUF + 1, 0 },
		{ 2 * SUBBUF, 2 * SUBBUF, 0 },
		{ 2 * SUBBUF + 1, 2 * SUBBUF, LTT_PACKET_CORRUPT },
		{ U64_MAX, 2 * SUBBUF, LTT_PACKET_CORRUPT },
		{ SUBBUF - 1, SUBBUF, LTT_PACKET_CORRUPT },
		{ 0, SUBBUF, LTT_PACKET_CORRUPT },
	};
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);
	unsigned int i;

	fill(test, buf, 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf->packet.flags = 0;
		buf->control->reserve = cases[i].told;
		KUNIT_EXPECT_EQ(test, ltt_reserved(buf), cases[i].taken);
		KUNIT_EXPECT_EQ(test, buf->packet.flags, cases[i].flags);
	}
}

static void test_commit_is_clamped(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);

	KUNIT_EXPECT_TRUE(test, write_event(buf, 100));
	KUNIT_EXPECT_EQ(test, ltt_committed(buf), 100);
	KUNIT_EXPECT_TRUE(test, reserve(buf, 50));
	KUNIT_EXPECT_EQ(test, ltt_committed(buf), 100);
	KUNIT_EXPECT_EQ(test, buf->packet.flags, 0);

	buf->control->commit = 151;
	KUNIT_EXPECT_EQ(test, ltt_committed(buf), 150);
	KUNIT_EXPECT_EQ(test, buf->packet.flags, LTT_PACKET_CORRUPT);

	/* It went back: what a reader may have had already stays. */
	buf->packet.flags = 0;
	buf->control->commit = 20;
	KUNIT_EXPECT_EQ(test, ltt_committed(buf), 150);
	KUNIT_EXPECT_EQ(test, buf->packet.flags, LTT_PACKET_CORRUPT);
}

static void test_switch(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);
	struct ltt_range range;

	/* Empty: it stays open. */
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_EQ(test, buf->control->limit, SUBBUF);
	KUNIT_EXPECT_FALSE(test, find(buf, 0, true, &range));

	KUNIT_EXPECT_TRUE(test, write_event(buf, 100));
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_EQ(test, buf->control->reserve, SUBBUF);
	KUNIT_EXPECT_EQ(test, buf->control->limit, 2 * SUBBUF);
	KUNIT_EXPECT_TRUE(test, find(buf, 0, false, &range));
	KUNIT_EXPECT_EQ(test, range.start, 0);
	KUNIT_EXPECT_EQ(test, range.end, 100);
	KUNIT_EXPECT_EQ(test, range.events, 1);

	buf->retired = true;
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), -ENOENT);
}

static void test_discard_when_full(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);

	fill(test, buf, N_SUBBUFS);
	KUNIT_EXPECT_TRUE(test, buf->full);
	KUNIT_EXPECT_EQ(test, buf->control->full, 1);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));
	/* Calling all the same changes nothing. */
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));

	KUNIT_EXPECT_EQ(test, consume(buf), SUBBUF);
	KUNIT_EXPECT_EQ(test, buf->control->full, 0);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_EQ(test, buf->control->reserve, LAP);
	KUNIT_EXPECT_TRUE(test, write_event(buf, SUBBUF));
}

/* Only ltt_switch() knows when a blocked writer has waited long enough. */
static void test_block_when_full(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_BLOCK);

	fill(test, buf, N_SUBBUFS);
	KUNIT_EXPECT_TRUE(test, buf->full);
	KUNIT_EXPECT_EQ(test, buf->control->full, 0);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));

	buf->gave_up = true;
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_EQ(test, buf->control->full, 1);
	KUNIT_EXPECT_EQ(test, consume(buf), SUBBUF);
	KUNIT_EXPECT_FALSE(test, buf->gave_up);
	KUNIT_EXPECT_EQ(test, buf->control->full, 0);
}

static void test_overwrite(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_OVERWRITE);
	struct ltt_range range;

	fill(test, buf, 10);
	KUNIT_EXPECT_FALSE(test, buf->full);
	/* One is open, so three of the ten are left. */
	KUNIT_EXPECT_EQ(test, buf->packet.overwritten, 7);
	KUNIT_EXPECT_EQ(test, buf->taken, 7 * SUBBUF);
	KUNIT_EXPECT_TRUE(test, find(buf, 0, true, &range));
	KUNIT_EXPECT_EQ(test, range.start, 7 * SUBBUF);
	KUNIT_EXPECT_EQ(test, range.events, 8);
}

static void test_overwrite_spares_an_event_in_flight(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_OVERWRITE);
	unsigned int i;

	for (i = 1; i <= N_SUBBUFS; i++) {
		KUNIT_EXPECT_TRUE(test, reserve(buf, SUBBUF));
		KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf),
				i < N_SUBBUFS ? 0 : -EAGAIN);
	}
	KUNIT_EXPECT_EQ(test, buf->packet.overwritten, 0);
	KUNIT_EXPECT_FALSE(test, reserve(buf, 1));
	/* It may end at any time: asking again is no waste. */
	KUNIT_EXPECT_EQ(test, buf->control->full, 0);

	buf->control->commit = LAP;
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_EQ(test, buf->packet.overwritten, 1);
	KUNIT_EXPECT_TRUE(test, reserve(buf, 1));
}

static void test_find(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);
	struct ltt_range range;

	KUNIT_EXPECT_TRUE(test, write_event(buf, 100));
	KUNIT_EXPECT_FALSE(test, find(buf, 0, false, &range));
	KUNIT_EXPECT_TRUE(test, find(buf, 0, true, &range));
	KUNIT_EXPECT_EQ(test, range.end, 100);
	KUNIT_EXPECT_TRUE(test, find(buf, 40, true, &range));
	KUNIT_EXPECT_EQ(test, range.start, 40);
	KUNIT_EXPECT_FALSE(test, find(buf, 100, true, &range));

	/* What comes after an event in flight waits for it. */
	KUNIT_EXPECT_TRUE(test, reserve(buf, 60));
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	KUNIT_EXPECT_TRUE(test, reserve(buf, 30));
	KUNIT_EXPECT_TRUE(test, find(buf, 0, true, &range));
	KUNIT_EXPECT_EQ(test, range.end, 100);
	KUNIT_EXPECT_FALSE(test, find(buf, 100, true, &range));
	finish(buf);
	KUNIT_EXPECT_TRUE(test, find(buf, 100, true, &range));
	KUNIT_EXPECT_EQ(test, range.start, 100);
	KUNIT_EXPECT_EQ(test, range.end, 160);
	KUNIT_EXPECT_TRUE(test, find(buf, 160, true, &range));
	KUNIT_EXPECT_EQ(test, range.start, SUBBUF);
	KUNIT_EXPECT_EQ(test, range.end, SUBBUF + 30);
}

static void test_find_goes_round(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);
	const u8 *data = NULL;
	struct ltt_range range;
	unsigned int i;

	for (i = 0; i < 3 * N_SUBBUFS; i++) {
		fill(test, buf, 1);
		KUNIT_EXPECT_TRUE(test, next(buf, &range, &data));
		KUNIT_EXPECT_EQ(test, range.start, (u64)i * SUBBUF);
		KUNIT_EXPECT_EQ(test, data - (u8 *)buf->store->relay->start,
				i % N_SUBBUFS * SUBBUF);
		KUNIT_EXPECT_EQ(test, consume(buf), 0);
	}
}

/* A sub-buffer that was read while it was open is not given twice. */
static void test_flush(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD);

	KUNIT_EXPECT_TRUE(test, write_event(buf, 100));
	KUNIT_EXPECT_EQ(test, consume(buf), 0);
	buf->flush++;
	KUNIT_EXPECT_EQ(test, consume(buf), 100);
	KUNIT_EXPECT_EQ(test, consume(buf), 0);
	KUNIT_EXPECT_TRUE(test, write_event(buf, 20));
	KUNIT_EXPECT_EQ(test, ltt_buffer_switch(buf), 0);
	buf->flushed = buf->flush;
	KUNIT_EXPECT_EQ(test, consume(buf), 20);
	KUNIT_EXPECT_TRUE(test, ltt_buffer_is_open(buf));
}

static void test_fork_goes_on_a_lap_further(struct kunit *test)
{
	struct ltt_buffer *buf = begin(test, LTT_MODE_DISCARD), *child, *unborn;
	struct ltt_origin origin, same;
	struct ltt_range range;

	fill(test, buf, 2);
	KUNIT_EXPECT_TRUE(test, write_event(buf, 100));
	buf->control->user[3] = 4711;
	ltt_buffer_snapshot(buf, &origin);
	KUNIT_EXPECT_EQ(test, origin.reserve, 2 * SUBBUF + 100 + LAP);
	KUNIT_EXPECT_EQ(test, origin.user[3], 4711);

	child = new_buffer(test, &origin, false);
	/* At the same bytes as in the parent. */
	KUNIT_EXPECT_EQ(test, child->control->reserve & child->control->mask,
			buf->control->reserve & buf->control->mask);
	KUNIT_EXPECT_EQ(test, child->control->limit, 3 * SUBBUF + LAP);
	KUNIT_EXPECT_EQ(test, child->control->user[3], 4711);
	KUNIT_EXPECT_FALSE(test, find(child, 0, true, &range));
	KUNIT_EXPECT_TRUE(test, write_event(child, 50));
	KUNIT_EXPECT_TRUE(test, find(child, 0, true, &range));
	KUNIT_EXPECT_EQ(test, range.start, origin.reserve);
	KUNIT_EXPECT_EQ(test, range.end, origin.reserve + 50);

	/* A grandchild of a child that touched nothing has no lap more. */
	unborn = alloc_buffer(test);
	unborn->fork = origin;
	ltt_buffer_snapshot(unborn, &same);
	KUNIT_EXPECT_EQ(test, same.reserve, origin.reserve);
}

static struct kunit_case position_cases[] = {
	KUNIT_CASE(test_begin),
	KUNIT_CASE(test_begin_refused),
	KUNIT_CASE(test_reserve_is_clamped),
	KUNIT_CASE(test_commit_is_clamped),
	KUNIT_CASE(test_switch),
	KUNIT_CASE(test_discard_when_full),
	KUNIT_CASE(test_block_when_full),
	KUNIT_CASE(test_overwrite),
	KUNIT_CASE(test_overwrite_spares_an_event_in_flight),
	KUNIT_CASE(test_find),
	KUNIT_CASE(test_find_goes_round),
	KUNIT_CASE(test_flush),
	KUNIT_CASE(test_fork_goes_on_a_lap_further),
	{}
};

static struct kunit_suite position_suite = {
	.name		= "ltt_position",
	.exit		= exit_test,
	.test_cases	= position_cases,
};

kunit_test_suite(position_suite);

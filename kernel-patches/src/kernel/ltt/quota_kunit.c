// SPDX-License-Identifier: GPL-2.0
/* Tests of quota.c, which includes this file. */

#include <kunit/test.h>

/* Of the real ones, which other traces live with meanwhile. */
static struct {
	unsigned long user_memory_kb, memory_kb;
} kept;

static int init_quota(struct kunit *test)
{
	kept.user_memory_kb = ltt_user_memory_kb;
	kept.memory_kb = ltt_memory_kb;
	return 0;
}

static void exit_quota(struct kunit *test)
{
	WRITE_ONCE(ltt_user_memory_kb, kept.user_memory_kb);
	WRITE_ONCE(ltt_memory_kb, kept.memory_kb);
}

static struct ltt_trace *trace_of(struct kunit *test, struct ltt_user *user,
				  bool privileged)
{
	struct ltt_trace *trace = kunit_kzalloc(test, sizeof(*trace), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, trace);
	trace->user = user;
	trace->privileged = privileged;
	return trace;
}

/* What may @trace take, to the byte? Up to it, and then not one more. */
static void expect_room(struct kunit *test, struct ltt_trace *trace, u64 bytes)
{
	u64 all = atomic64_read(&ltt_memory);

	KUNIT_EXPECT_FALSE(test, ltt_quota_charge(trace, bytes + 1));
	KUNIT_EXPECT_TRUE(test, ltt_quota_charge(trace, bytes));
	KUNIT_EXPECT_FALSE(test, ltt_quota_charge(trace, 1));
	/* What was refused is on no account. */
	KUNIT_EXPECT_EQ(test, atomic64_read(&ltt_memory), all + bytes);
	ltt_quota_uncharge(trace, bytes);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ltt_memory), all);
}

static void test_limit_of_a_trace(struct kunit *test)
{
	struct ltt_user user = {};
	struct ltt_trace *trace = trace_of(test, &user, true);

	trace->max_memory = 65536;
	expect_room(test, trace, 65536);
	KUNIT_EXPECT_EQ(test, atomic64_read(&user.memory), 0);
}

static void test_limit_of_a_user(struct kunit *test)
{
	struct ltt_user user = {}, other = {};
	struct ltt_trace *trace = trace_of(test, &user, false);
	struct ltt_trace *second = trace_of(test, &user, false);

	WRITE_ONCE(ltt_user_memory_kb, 64);
	expect_room(test, trace, 65536);

	/* All traces of the user together; nobody else's. */
	KUNIT_EXPECT_TRUE(test, ltt_quota_charge(second, 4096));
	expect_room(test, trace, 65536 - 4096);
	expect_room(test, trace_of(test, &other, false), 65536);
	expect_room(test, trace, 65536 - 4096);
	ltt_quota_uncharge(second, 4096);

	/* The privileged have no limit of their own. */
	trace->privileged = true;
	KUNIT_EXPECT_TRUE(test, ltt_quota_charge(trace, 65537));
	ltt_quota_uncharge(trace, 65537);
}

static void test_limit_of_all(struct kunit *test)
{
	u64 all = DIV_ROUND_UP(atomic64_read(&ltt_memory), 1024) + 64;
	struct ltt_user user = {};

	WRITE_ONCE(ltt_memory_kb, all);
	expect_room(test, trace_of(test, &user, true),
		    all * 1024 - atomic64_read(&ltt_memory));
}

static void test_force_goes_over(struct kunit *test)
{
	struct ltt_user user = {};
	struct ltt_trace *trace = trace_of(test, &user, true);

	trace->max_memory = 4096;
	ltt_quota_force(trace, 8192);
	KUNIT_EXPECT_EQ(test, atomic64_read(&trace->memory), 8192);
	KUNIT_EXPECT_FALSE(test, ltt_quota_charge(trace, 0));
	ltt_quota_uncharge(trace, 4096);
	KUNIT_EXPECT_TRUE(test, ltt_quota_charge(trace, 0));
	ltt_quota_uncharge(trace, 4096);
}

static void test_limits_of_the_table(struct kunit *test)
{
	struct ltt_user user = {}, greedy = { .traces = ltt_user_traces };
	unsigned int n;
	u32 slots;
	int ret;

	mutex_lock(&ltt_mutex);
	slots = ltt_slots;
	for (n = 0; n <= LTT_MAX_TRACES; n++) {
		/* Nobody looks at them before they are away. */
		ltt_slots = GENMASK_ULL(n, 0) >> 1;
		ret = n < LTT_MAX_TRACES ? 0 : -ENOSPC;
		KUNIT_EXPECT_EQ(test, ltt_quota_check(&user, true), ret);
		KUNIT_EXPECT_EQ(test, ltt_quota_check(&greedy, true), ret);
		KUNIT_EXPECT_EQ(test, ltt_quota_check(&greedy, false),
				ret ? ret : -EDQUOT);
		if (n >= LTT_MAX_TRACES - LTT_RESERVED_TRACES)
			ret = -ENOSPC;
		KUNIT_EXPECT_EQ(test, ltt_quota_check(&user, false), ret);
	}
	ltt_slots = slots;
	mutex_unlock(&ltt_mutex);
}

static void test_one_account_for_a_user(struct kunit *test)
{
	struct ltt_user *a = ltt_user_get(KUIDT_INIT(4711));
	struct ltt_user *same = ltt_user_get(KUIDT_INIT(4711));
	struct ltt_user *b = ltt_user_get(KUIDT_INIT(4712));

	KUNIT_ASSERT_TRUE(test, a && same && b);
	KUNIT_EXPECT_PTR_EQ(test, a, same);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	ltt_user_put(a);
	ltt_user_put(same);
	ltt_user_put(b);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(test_limit_of_a_trace),
	KUNIT_CASE(test_limit_of_a_user),
	KUNIT_CASE(test_limit_of_all),
	KUNIT_CASE(test_force_goes_over),
	KUNIT_CASE(test_limits_of_the_table),
	KUNIT_CASE(test_one_account_for_a_user),
	{}
};

static struct kunit_suite quota_suite = {
	.name		= "ltt_quota",
	.init		= init_quota,
	.exit		= exit_quota,
	.test_cases	= quota_cases,
};

kunit_test_suite(quota_suite);

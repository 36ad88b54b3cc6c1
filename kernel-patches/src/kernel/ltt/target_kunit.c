// SPDX-License-Identifier: GPL-2.0
/* Tests of target.c, which includes this file. */

#include <kunit/test.h>

#define MAX_LIMITS	4

/* A trace with limits, and a process to hold against them. */
struct target_test {
	struct ltt_trace trace;
	struct ltt_process process;
	struct cred cred;
	struct pid *pids[2];
	struct ltt_limits *limits;
};

static int init_target(struct kunit *test)
{
	struct target_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->limits = kunit_kzalloc(test, struct_size(t->limits, limits, MAX_LIMITS),
				  GFP_KERNEL);
	if (!t->limits)
		return -ENOMEM;
	/* Only compared. */
	t->pids[0] = kunit_kzalloc(test, 1, GFP_KERNEL);
	t->pids[1] = kunit_kzalloc(test, 1, GFP_KERNEL);
	if (!t->pids[0] || !t->pids[1])
		return -ENOMEM;
	t->process.cred = &t->cred;
	t->process.pid = t->pids[0];
	t->cred.uid = KUIDT_INIT(1000);
	t->trace.slot = 5;
	test->priv = t;
	return 0;
}

static struct ltt_limit *add_limit(struct target_test *t, u32 kind)
{
	struct ltt_limits *limits = t->limits;
	struct ltt_limit *limit;

	limits->n++;
	limit = &limits->limits[limits->n - 1];
	limit->kind = kind;
	limits->kinds |= BIT(kind);
	t->trace.limits = limits;
	return limit;
}

static bool matches(struct target_test *t)
{
	bool ret;

	mutex_lock(&ltt_mutex);
	ret = ltt_limits_match(&t->trace, &t->process);
	mutex_unlock(&ltt_mutex);
	return ret;
}

static void test_no_target(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, matches(test->priv));
}

static void test_pid(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct ltt_limit *limit = add_limit(t, LTT_TARGET_PID);

	limit->pid = t->pids[1];
	KUNIT_EXPECT_FALSE(test, matches(t));
	limit->pid = t->pids[0];
	KUNIT_EXPECT_TRUE(test, matches(t));
}

static void test_follow(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct ltt_limit *limit = add_limit(t, LTT_TARGET_PID);

	limit->pid = t->pids[1];
	t->process.followed = BIT(t->trace.slot);
	KUNIT_EXPECT_FALSE(test, matches(t));
	limit->flags = LTT_TARGET_FOLLOW;
	KUNIT_EXPECT_TRUE(test, matches(t));
	/* Another trace follows it. */
	t->process.followed = ~BIT(t->trace.slot);
	KUNIT_EXPECT_FALSE(test, matches(t));
}

static void test_uid(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct ltt_limit *limit = add_limit(t, LTT_TARGET_UID);

	limit->uid = KUIDT_INIT(1001);
	KUNIT_EXPECT_FALSE(test, matches(t));
	/* The real one counts. */
	t->cred.euid = KUIDT_INIT(1001);
	KUNIT_EXPECT_FALSE(test, matches(t));
	limit->uid = KUIDT_INIT(1000);
	KUNIT_EXPECT_TRUE(test, matches(t));
}

static void test_exe_of_a_program_that_ended(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, inode && file);
	file->f_inode = inode;
	add_limit(t, LTT_TARGET_EXE)->exe = file;
	KUNIT_EXPECT_FALSE(test, matches(t));
	t->process.exe = file;
	KUNIT_EXPECT_TRUE(test, matches(t));
}

static void test_exe_by_inode(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct inode *inodes = kunit_kcalloc(test, 2, sizeof(*inodes), GFP_KERNEL);
	struct file *files = kunit_kcalloc(test, 2, sizeof(*files), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, inodes && files);
	files[0].f_inode = &inodes[0];
	files[1].f_inode = &inodes[1];
	add_limit(t, LTT_TARGET_EXE)->exe = &files[0];
	t->process.exe = &files[1];
	KUNIT_EXPECT_FALSE(test, matches(t));
	/* The same file, opened once more. */
	files[1].f_inode = &inodes[0];
	KUNIT_EXPECT_TRUE(test, matches(t));
}

/* Of several of one kind one must match; of each kind, one. */
static void test_kinds(struct kunit *test)
{
	struct target_test *t = test->priv;
	struct ltt_limit *uid;

	add_limit(t, LTT_TARGET_PID)->pid = t->pids[1];
	KUNIT_EXPECT_FALSE(test, matches(t));
	add_limit(t, LTT_TARGET_PID)->pid = t->pids[0];
	KUNIT_EXPECT_TRUE(test, matches(t));
	uid = add_limit(t, LTT_TARGET_UID);
	uid->uid = KUIDT_INIT(7);
	KUNIT_EXPECT_FALSE(test, matches(t));
	add_limit(t, LTT_TARGET_UID)->uid = KUIDT_INIT(1000);
	KUNIT_EXPECT_TRUE(test, matches(t));
	t->process.pid = NULL;
	KUNIT_EXPECT_FALSE(test, matches(t));
}

static void test_what_is_no_target(struct kunit *test)
{
	static const struct {
		struct ltt_target target;
		int ret;
	} cases[] = {
		{ { LTT_TARGET_PID, 0, 0 }, -EINVAL },
		{ { LTT_TARGET_PID, 0, -1 }, -EINVAL },
		{ { LTT_TARGET_PID, 0, PID_MAX_LIMIT + 1LL }, -EINVAL },
		/* It is a pid if only 32 bits of it are looked at. */
		{ { LTT_TARGET_PID, 0, 1LL << 32 | 1 }, -EINVAL },
		{ { LTT_TARGET_PID, 0, PID_MAX_LIMIT }, -ESRCH },
		{ { LTT_TARGET_PID, 2, 1 }, -EINVAL },
		{ { LTT_TARGET_UID, 0, -1 }, -EINVAL },
		{ { LTT_TARGET_UID, 0, U32_MAX }, -EINVAL },
		{ { LTT_TARGET_UID, 0, 1LL << 32 }, -EINVAL },
		{ { LTT_TARGET_UID, LTT_TARGET_FOLLOW, 1 }, -EINVAL },
		{ { LTT_TARGET_EXE, 0, -1 }, -EBADF },
		{ { LTT_TARGET_EXE, 0, INT_MAX + 1LL }, -EBADF },
		{ { LTT_TARGET_EXE, LTT_TARGET_FOLLOW, 0 }, -EINVAL },
		{ { LTT_TARGET_CGROUP + 1, 0, 1 }, -EINVAL },
		{ { U32_MAX, 0, 1 }, -EINVAL },
	};
	struct ltt_limit limit;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    ltt_limit_resolve(&limit, &cases[i].target,
						      true),
				    cases[i].ret, "kind %u, flags %u, id %lld",
				    cases[i].target.kind, cases[i].target.flags,
				    cases[i].target.id);
}

static void test_numbers_of_targets(struct kunit *test)
{
	struct ltt_trace_params params = {};

	KUNIT_EXPECT_PTR_EQ(test, ltt_limits_get(&params), NULL);
	params.n_targets = 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ltt_limits_get(&params)), -EINVAL);
	params.targets = 8;
	params.n_targets = LTT_MAX_TARGETS + 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ltt_limits_get(&params)), -E2BIG);
	params.n_targets = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ltt_limits_get(&params)), -EINVAL);
}

static struct kunit_case target_cases[] = {
	KUNIT_CASE(test_no_target),
	KUNIT_CASE(test_pid),
	KUNIT_CASE(test_follow),
	KUNIT_CASE(test_uid),
	KUNIT_CASE(test_exe_of_a_program_that_ended),
	KUNIT_CASE(test_exe_by_inode),
	KUNIT_CASE(test_kinds),
	KUNIT_CASE(test_what_is_no_target),
	KUNIT_CASE(test_numbers_of_targets),
	{}
};

static struct kunit_suite target_suite = {
	.name		= "ltt_target",
	.init		= init_target,
	.test_cases	= target_cases,
};

kunit_test_suite(target_suite);

// SPDX-License-Identifier: GPL-2.0
/* Tests of trace.c, which includes this file. */

#include <kunit/test.h>

static const struct ltt_trace_params good = {
	.size		= sizeof(good),
	.mode		= LTT_MODE_DISCARD,
	.subbuf_size	= 4096,
	.n_subbufs	= 2,
	.name		= "kunit",
};

static int check_name(const char *name)
{
	struct ltt_trace_params params = good;

	strscpy_pad(params.name, name, sizeof(params.name));
	return ltt_check_params(&params);
}

static void test_names(struct kunit *test)
{
	static const char * const accepted[] = {
		"a", "9", "_", "A.b-c_9", "a..", "a--",
	};
	static const char * const refused[] = {
		"", ".", "..", ".a", "-", "-a", "a b", "a/b", "a\n", "a:b", "a*",
		/* Letters, in Latin-1. */
		"\xe4", "a\xff",
	};
	struct ltt_trace_params params = good;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(accepted); i++)
		KUNIT_EXPECT_EQ_MSG(test, check_name(accepted[i]), 0, "%s",
				    accepted[i]);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ_MSG(test, check_name(refused[i]), -EINVAL, "%s",
				    refused[i]);

	memset(params.name, 'a', sizeof(params.name));
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), -EINVAL);
	params.name[LTT_NAME_SIZE - 1] = 0;
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), 0);
	/* The last of the bytes behind the name. */
	params.name[1] = 0;
	memset(params.name + 1, 0, sizeof(params.name) - 1);
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), 0);
	params.name[LTT_NAME_SIZE - 1] = 1;
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), -EINVAL);
}

static void test_geometry(struct kunit *test)
{
	static const struct {
		u32 size, n;
		int ret;
	} cases[] = {
		{ 4096, 2, 0 },
		{ 4096, 4096, 0 },
		{ 16 << 20, 16, 0 },
		{ 64 << 10, 4096, 0 },
		{ 0, 2, -EINVAL },
		{ 2048, 2, -EINVAL },
		{ 4097, 2, -EINVAL },
		{ 12288, 2, -EINVAL },
		{ 32 << 20, 2, -EINVAL },
		{ 1U << 31, 2, -EINVAL },
		{ U32_MAX, 2, -EINVAL },
		{ 4096, 0, -EINVAL },
		{ 4096, 1, -EINVAL },
		{ 4096, 3, -EINVAL },
		{ 4096, 8192, -EINVAL },
		{ 4096, U32_MAX, -EINVAL },
		/* Each by itself is good. */
		{ 16 << 20, 32, -EINVAL },
		{ 128 << 10, 4096, -EINVAL },
		/* 4 GiB and more. */
		{ 1 << 20, 4096, -EINVAL },
		{ 16 << 20, 4096, -EINVAL },
	};
	struct ltt_trace_params params = good;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		params.subbuf_size = cases[i].size;
		params.n_subbufs = cases[i].n;
		KUNIT_EXPECT_EQ_MSG(test, ltt_check_params(&params), cases[i].ret,
				    "%u sub-buffers of %u bytes", cases[i].n,
				    cases[i].size);
	}
}

static void test_modes(struct kunit *test)
{
	static const struct {
		u32 mode, timeout;
		int ret;
	} cases[] = {
		{ LTT_MODE_DISCARD, 0, 0 },
		{ LTT_MODE_DISCARD, 1, -EINVAL },
		{ LTT_MODE_OVERWRITE, 0, 0 },
		{ LTT_MODE_OVERWRITE, 1, -EINVAL },
		{ LTT_MODE_BLOCK, 0, -EINVAL },
		{ LTT_MODE_BLOCK, 1, 0 },
		{ LTT_MODE_BLOCK, LTT_MAX_TIMEOUT_US, 0 },
		{ LTT_MODE_BLOCK, LTT_MAX_TIMEOUT_US + 1, -EINVAL },
		{ LTT_MODE_BLOCK, U32_MAX, -EINVAL },
		{ LTT_MODE_BLOCK + 1, 0, -EINVAL },
		{ U32_MAX, 0, -EINVAL },
	};
	struct ltt_trace_params params = good;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		params.mode = cases[i].mode;
		params.timeout_us = cases[i].timeout;
		KUNIT_EXPECT_EQ_MSG(test, ltt_check_params(&params), cases[i].ret,
				    "mode %u, %u us", cases[i].mode,
				    cases[i].timeout);
	}
}

static void test_contexts(struct kunit *test)
{
	struct ltt_trace_params params = good;
	unsigned int bit;

	params.contexts = LTT_CONTEXTS_KNOWN;
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), 0);
	for (bit = 0; bit < 32; bit++) {
		params.contexts = BIT(bit);
		KUNIT_EXPECT_EQ_MSG(test, ltt_check_params(&params),
				    params.contexts & LTT_CONTEXTS_KNOWN ? 0 : -EINVAL,
				    "bit %u", bit);
	}
	params.contexts = 0;
	params.reserved = 1;
	KUNIT_EXPECT_EQ(test, ltt_check_params(&params), -EINVAL);
}

/* Each condition of ltt_trace_may_see(), alone, turns a yes into a no. */
static void test_who_may_see(struct kunit *test)
{
	struct {
		struct cred owner, cred;
	} *creds = kunit_kzalloc(test, sizeof(*creds), GFP_KERNEL);
	struct ltt_trace *trace = kunit_kzalloc(test, sizeof(*trace), GFP_KERNEL);
	struct ltt_process *process = kunit_kzalloc(test, sizeof(*process),
						    GFP_KERNEL);
	struct cred *cred;
	kuid_t *uids[3];
	kgid_t *gids[3];
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, creds && trace && process);
	cred = &creds->cred;
	creds->owner.user_ns = &init_user_ns;
	cred->user_ns = &init_user_ns;
	trace->cred = &creds->owner;
	process->cred = cred;
	process->dumpable = true;
	KUNIT_EXPECT_TRUE(test, ltt_trace_may_see(trace, process));

	process->dumpable = false;
	KUNIT_EXPECT_FALSE(test, ltt_trace_may_see(trace, process));
	trace->flags = LTT_TRACE_SYSTEM;
	KUNIT_EXPECT_TRUE(test, ltt_trace_may_see(trace, process));
	trace->flags = 0;
	process->dumpable = true;

	cred->user_ns = NULL;
	KUNIT_EXPECT_FALSE(test, ltt_trace_may_see(trace, process));
	cred->user_ns = &init_user_ns;

	uids[0] = &cred->uid;
	uids[1] = &cred->euid;
	uids[2] = &cred->suid;
	gids[0] = &cred->gid;
	gids[1] = &cred->egid;
	gids[2] = &cred->sgid;
	for (i = 0; i < 3; i++) {
		*uids[i] = KUIDT_INIT(1000);
		KUNIT_EXPECT_FALSE(test, ltt_trace_may_see(trace, process));
		*uids[i] = KUIDT_INIT(0);
		*gids[i] = KGIDT_INIT(1000);
		KUNIT_EXPECT_FALSE(test, ltt_trace_may_see(trace, process));
		*gids[i] = KGIDT_INIT(0);
	}
	KUNIT_EXPECT_TRUE(test, ltt_trace_may_see(trace, process));

	cap_raise(cred->cap_permitted, CAP_SYS_NICE);
	KUNIT_EXPECT_FALSE(test, ltt_trace_may_see(trace, process));
	cap_raise(creds->owner.cap_permitted, CAP_SYS_NICE);
	KUNIT_EXPECT_TRUE(test, ltt_trace_may_see(trace, process));
	cap_raise(creds->owner.cap_permitted, CAP_SYS_ADMIN);
	KUNIT_EXPECT_TRUE(test, ltt_trace_may_see(trace, process));
}

static void test_create_and_destroy(struct kunit *test)
{
	struct ltt_trace *trace = ltt_trace_create(&good, NULL, 0, true);

	KUNIT_ASSERT_FALSE(test, IS_ERR(trace));
	KUNIT_EXPECT_PTR_EQ(test, ltt_traces[trace->slot], trace);
	KUNIT_EXPECT_EQ(test, trace->page->active, 1);
	KUNIT_EXPECT_EQ(test, trace->page->trace, trace->slot);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ltt_trace_create(&good, NULL, 0, false)),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, ltt_trace_destroy(trace), 0);
	KUNIT_EXPECT_EQ(test, trace->page->active, 0);
	KUNIT_EXPECT_PTR_NE(test, ltt_traces[trace->slot], trace);
	KUNIT_EXPECT_EQ(test, ltt_trace_destroy(trace), -ENOENT);
	ltt_trace_put(trace);
}

static struct kunit_case trace_cases[] = {
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_geometry),
	KUNIT_CASE(test_modes),
	KUNIT_CASE(test_contexts),
	KUNIT_CASE(test_who_may_see),
	KUNIT_CASE(test_create_and_destroy),
	{}
};

static struct kunit_suite trace_suite = {
	.name		= "ltt_trace",
	.test_cases	= trace_cases,
};

kunit_test_suite(trace_suite);

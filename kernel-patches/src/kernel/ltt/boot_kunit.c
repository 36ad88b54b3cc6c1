// SPDX-License-Identifier: GPL-2.0
/* Tests of boot.c, which includes this file; they run before it is freed. */

#include <kunit/test.h>

static int __init parse_option(struct ltt_trace_params *params, const char *option)
{
	char text[64];

	strscpy(text, option, sizeof(text));
	return ltt_boot_option(params, text);
}

static void __init test_accepted_options(struct kunit *test)
{
	struct ltt_trace_params params = {};

	KUNIT_EXPECT_EQ(test, parse_option(&params, "filter=0x80000001"), 0);
	KUNIT_EXPECT_EQ(test, params.filter, 0x80000001);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "filter=0"), 0);
	KUNIT_EXPECT_EQ(test, params.filter, 0);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "contexts=0x10003"), 0);
	KUNIT_EXPECT_EQ(test, params.contexts, 0x10003);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "subbuf=256K"), 0);
	KUNIT_EXPECT_EQ(test, params.subbuf_size, 256 << 10);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "subbuf=0x1000"), 0);
	KUNIT_EXPECT_EQ(test, params.subbuf_size, 4096);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "persist"), 0);
	KUNIT_EXPECT_EQ(test, params.flags, LTT_TRACE_PERSIST);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "n=8"), 0);
	KUNIT_EXPECT_EQ(test, params.n_subbufs, 8);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "memory=5G"), 0);
	KUNIT_EXPECT_EQ(test, params.max_memory, 5ULL << 30);
	KUNIT_EXPECT_EQ(test, parse_option(&params, "overwrite"), 0);
	KUNIT_EXPECT_EQ(test, params.mode, LTT_MODE_OVERWRITE);
}

static void __init test_refused_options(struct kunit *test)
{
	static const char * const refused[] __initconst = {
		"", "=", "=1", "n", "n=", "n=x", "n=8x", "n=-1", "n=0x100000000",
		"subbuf", "subbuf=64KB", "subbuf=4G", "filter", "filter=",
		"filter=0x100000000", "filter=-1", "filter=all", "memory=", "memory=1X",
		"contexts", "contexts=", "contexts=cpu",
		"overwrite=1", "block", "N=8", "name=x",
	};
	struct ltt_trace_params params = {}, untouched = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		KUNIT_EXPECT_NE_MSG(test, parse_option(&params, refused[i]), 0,
				    "%s", refused[i]);
		KUNIT_EXPECT_EQ_MSG(test,
				    memcmp(&params, &untouched, sizeof(params)), 0,
				    "%s", refused[i]);
	}
}

static void __init test_rules_are_the_rest(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, ltt_boot_rules("rules=net:*,!net:noise"),
			   "net:*,!net:noise");
	KUNIT_EXPECT_STREQ(test, ltt_boot_rules("rules="), "");
	KUNIT_EXPECT_NULL(test, ltt_boot_rules("n=4,rules=a"));
	KUNIT_EXPECT_NULL(test, ltt_boot_rules("rules"));
	KUNIT_EXPECT_NULL(test, ltt_boot_rules(""));
}

static void __init test_events_of_the_kernel(struct kunit *test)
{
	char text[] = "kernel=sched+syscalls+irq_*", empty[] = "kernel=", other[] = "kernel";

	KUNIT_EXPECT_STREQ(test, ltt_boot_kernel(text), "sched,syscalls,irq_*");
	KUNIT_EXPECT_STREQ(test, ltt_boot_kernel(empty), "");
	KUNIT_EXPECT_NULL(test, ltt_boot_kernel(other));
}

static struct kunit_case boot_cases[] __refdata = {
	KUNIT_CASE(test_accepted_options),
	KUNIT_CASE(test_refused_options),
	KUNIT_CASE(test_rules_are_the_rest),
	KUNIT_CASE(test_events_of_the_kernel),
	{}
};

static struct kunit_suite boot_suite = {
	.name		= "ltt_boot",
	.test_cases	= boot_cases,
};

kunit_test_init_section_suite(boot_suite);

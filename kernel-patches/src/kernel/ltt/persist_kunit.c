// SPDX-License-Identifier: GPL-2.0
/* Tests of persist.c, which includes this file; they run before it is freed. */

#include <kunit/test.h>

static void __init test_where_it_is(struct kunit *test)
{
	phys_addr_t address, size;

	KUNIT_EXPECT_TRUE(test, ltt_persist_parse("16M@0x8000000", &address, &size));
	KUNIT_EXPECT_EQ(test, address, 0x8000000);
	KUNIT_EXPECT_EQ(test, size, 16 << 20);
	KUNIT_EXPECT_FALSE(test, ltt_persist_parse("16M", &address, &size));
	KUNIT_EXPECT_FALSE(test, ltt_persist_parse("16M@", &address, &size));
	KUNIT_EXPECT_FALSE(test, ltt_persist_parse("@1G", &address, &size));
	KUNIT_EXPECT_FALSE(test, ltt_persist_parse("16M@1Gx", &address, &size));
	KUNIT_EXPECT_FALSE(test, ltt_persist_parse("nobody", &address, &size));
}

static struct kunit_case persist_cases[] __refdata = {
	KUNIT_CASE(test_where_it_is),
	{}
};

static struct kunit_suite persist_suite = {
	.name		= "ltt_persist",
	.test_cases	= persist_cases,
};

kunit_test_init_section_suite(persist_suite);

// SPDX-License-Identifier: GPL-2.0
/* Tests of region.c, which includes this file. */

#include <kunit/test.h>

#define TEST_HALF_PAGES	8

/* Memory like what is reserved: pages with one reference each. */
struct test_region {
	struct ltt_region	region;
	void			*memory;
	unsigned int		runs[TEST_HALF_PAGES];
};

static int init_region(struct kunit *test)
{
	size_t size = 2 * TEST_HALF_PAGES << PAGE_SHIFT;
	struct test_region *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, t);
	test->priv = t;
	t->memory = alloc_pages_exact(size, GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_TRUE(test, t->memory);
	mutex_init(&t->region.claim);
	spin_lock_init(&t->region.lock);
	t->region.n_pages = TEST_HALF_PAGES;
	t->region.runs = t->runs;
	t->region.halves[0] = t->memory;
	t->region.halves[1] = t->memory + (TEST_HALF_PAGES << PAGE_SHIFT);
	return 0;
}

static void exit_region(struct kunit *test)
{
	struct test_region *t = test->priv;

	free_pages_exact(t->memory, 2 * TEST_HALF_PAGES << PAGE_SHIFT);
}

static struct ltt_region *region_of(struct kunit *test)
{
	return &((struct test_region *)test->priv)->region;
}

/* The half that boot number @boots takes. */
static void expect_boot(struct kunit *test, unsigned int half, u64 boots)
{
	struct ltt_region *region = region_of(test);
	struct ltt_dump_region *previous;

	/* Before and after the choice: the other half, if it has ever been used. */
	region->current_half = NULL;
	previous = boots > 1 ? region->halves[!half] : NULL;
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_previous(region), previous);
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_claim(region), region->halves[half]);
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_claim(region), region->halves[half]);
	KUNIT_EXPECT_EQ(test, region->halves[half]->boots, boots);
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_previous(region), previous);
}

static void test_boots_take_turns(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		expect_boot(test, i % 2, i + 1);
}

static void test_other_memory_is_not_believed(struct kunit *test)
{
	struct ltt_region *region = region_of(test);
	struct ltt_dump_region *half, good;
	u8 *byte;
	size_t i;

	half = ltt_region_claim(region);
	region->current_half = NULL;
	good = *half;
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_previous(region), half);
	for (i = 0; i < sizeof(good); i++) {
		/* Neither the number of boots nor what it leads to. */
		if (i == offsetof(struct ltt_dump_root, nodename))
			i = offsetof(struct ltt_dump_region, size);
		if (i == offsetof(struct ltt_dump_region, boots))
			break;
		byte = (u8 *)half + i;
		*byte ^= 0x10;
		KUNIT_EXPECT_NULL_MSG(test, ltt_region_previous(region),
				      "byte %zu", i);
		*byte ^= 0x10;
	}
	KUNIT_EXPECT_PTR_EQ(test, ltt_region_previous(region), half);
}

static void test_pages_are_used_again(struct kunit *test)
{
	struct ltt_region *region = region_of(test);
	void *pages[TEST_HALF_PAGES];
	unsigned int i;

	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, 1));
	ltt_region_claim(region);
	for (i = 1; i < TEST_HALF_PAGES; i++) {
		pages[i] = ltt_region_alloc_in(region, i);
		KUNIT_ASSERT_TRUE(test, pages[i]);
		KUNIT_EXPECT_FALSE(test, memchr_inv(pages[i], 0, PAGE_SIZE));
		memset(pages[i], 0xff, PAGE_SIZE);
	}
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, 1));
	ltt_region_free_in(region, pages[3]);
	ltt_region_free_in(region, pages[5]);
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, PAGE_SIZE + 1));
	ltt_region_free_in(region, pages[4]);
	pages[3] = ltt_region_alloc_in(region, 3 * PAGE_SIZE);
	KUNIT_ASSERT_TRUE(test, pages[3]);
	KUNIT_EXPECT_FALSE(test, memchr_inv(pages[3], 0, 3 * PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, 1));
	ltt_region_free_in(region, pages[3]);
	for (i = 1; i < TEST_HALF_PAGES; i++)
		if (i < 3 || i > 5)
			ltt_region_free_in(region, pages[i]);
	pages[1] = ltt_region_alloc_in(region, (TEST_HALF_PAGES - 1) << PAGE_SHIFT);
	KUNIT_ASSERT_TRUE(test, pages[1]);
	ltt_region_free_in(region, pages[1]);
}

static void test_a_pinned_page_waits(struct kunit *test)
{
	struct ltt_region *region = region_of(test);
	size_t all = (TEST_HALF_PAGES - 1) << PAGE_SHIFT;
	struct page *pinned;
	void *memory;

	ltt_region_claim(region);
	memory = ltt_region_alloc_in(region, all);
	KUNIT_ASSERT_TRUE(test, memory);
	pinned = virt_to_page(memory + (3 << PAGE_SHIFT));
	get_page(pinned);
	ltt_region_free_in(region, memory);
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, all));
	put_page(pinned);
	memory = ltt_region_alloc_in(region, all);
	KUNIT_ASSERT_TRUE(test, memory);
	ltt_region_free_in(region, memory);
}

static void test_sizes_that_do_not_fit(struct kunit *test)
{
	struct ltt_region *region = region_of(test);

	ltt_region_claim(region);
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, 0));
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, TEST_HALF_PAGES << PAGE_SHIFT));
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, SIZE_MAX));
	KUNIT_EXPECT_NULL(test, ltt_region_alloc_in(region, 1UL << 44));
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE(test_boots_take_turns),
	KUNIT_CASE(test_other_memory_is_not_believed),
	KUNIT_CASE(test_pages_are_used_again),
	KUNIT_CASE(test_a_pinned_page_waits),
	KUNIT_CASE(test_sizes_that_do_not_fit),
	{}
};

static struct kunit_suite region_suite = {
	.name		= "ltt_region",
	.init		= init_region,
	.exit		= exit_region,
	.test_cases	= region_cases,
};

kunit_test_suite(region_suite);

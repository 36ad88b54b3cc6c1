// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that outlives a warm reboot, for traces with LTT_TRACE_PERSIST; persist.c
 * finds it.
 *
 *	| half 0			| half 1			|
 *	| ltt_dump_region | pages ...	| ltt_dump_region | pages ...	|
 *
 * The first trace of a boot that persists takes the half that was written longer
 * ago. The other one can be read for as long as this boot lasts, and after it,
 * until a later boot has such a trace, too.
 *
 * A page is free if only the region refers to it: programs map these pages, and
 * may pin them for longer than their buffers last.
 */

#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "internal.h"

/* The first page, and one for a trace and its page each. */
#define LTT_MIN_HALF_PAGES	16

/**
 * struct ltt_region - the memory that was reserved
 * @halves: their beginnings, or NULL
 * @n_pages: of one half
 * @claim: guards the choice of @current_half
 * @current_half: what this boot writes, or NULL; set once
 * @runs: of each page of the current half, the pages that were allocated together
 *	from it on
 * @lock: one allocation at a time
 * @next: page of the current half where the search for a free one begins
 */
struct ltt_region {
	struct ltt_dump_region	*halves[2];
	unsigned int		n_pages;
	struct mutex		claim; /* see above */
	struct ltt_dump_region	*current_half;
	unsigned int		*runs;
	spinlock_t		lock; /* see above */
	unsigned int		next;
};

static struct ltt_region ltt_region = {
	.claim	= __MUTEX_INITIALIZER(ltt_region.claim),
	.lock	= __SPIN_LOCK_UNLOCKED(ltt_region.lock),
};

static bool ltt_half_is_valid(const struct ltt_region *region,
			      const struct ltt_dump_region *half)
{
	return !memcmp(half->root.magic, LTT_DUMP_REGION_MAGIC,
		       sizeof(half->root.magic)) &&
	       half->root.version == LTT_DUMP_VERSION &&
	       half->root.page_size == PAGE_SIZE &&
	       half->root.self == __pa(half) &&
	       half->size == (u64)region->n_pages << PAGE_SHIFT;
}

static u64 ltt_half_boots(const struct ltt_region *region,
			  const struct ltt_dump_region *half)
{
	return ltt_half_is_valid(region, half) ? half->boots : 0;
}

/* Is the first one the later? */
static bool ltt_half_order(const struct ltt_region *region)
{
	return ltt_half_boots(region, region->halves[0]) >
	       ltt_half_boots(region, region->halves[1]);
}

/* What an earlier boot wrote, or NULL. */
static struct ltt_dump_region *ltt_region_previous(struct ltt_region *region)
{
	struct ltt_dump_region *half;

	mutex_lock(&region->claim);
	if (region->current_half)
		half = region->halves[region->current_half == region->halves[0]];
	else
		half = region->halves[!ltt_half_order(region)];
	mutex_unlock(&region->claim);
	return ltt_half_is_valid(region, half) ? half : NULL;
}

/* Complete before its magic is, and nothing before that. */
static void ltt_half_begin(struct ltt_region *region,
			   struct ltt_dump_region *half, u64 boots)
{
	memset(half->root.magic, 0, sizeof(half->root.magic));
	smp_wmb(); /* order as in uapi/linux/ltt_dump.h */
	memset(half, 0, PAGE_SIZE);
	half->root.version = LTT_DUMP_VERSION;
	half->root.page_size = PAGE_SIZE;
	half->root.self = __pa(half);
	half->root.nodename = __pa(half->nodename);
	half->size = (u64)region->n_pages << PAGE_SHIFT;
	half->boots = boots;
	smp_wmb(); /* the same */
	memcpy(half->root.magic, LTT_DUMP_REGION_MAGIC,
	       sizeof(half->root.magic));
}

/* This boot's half. */
static struct ltt_dump_region *ltt_region_claim(struct ltt_region *region)
{
	struct ltt_dump_region *half;
	bool order;

	BUILD_BUG_ON(sizeof(*half) > PAGE_SIZE);
	mutex_lock(&region->claim);
	half = region->current_half;
	if (!half) {
		order = ltt_half_order(region);
		half = region->halves[order];
		ltt_half_begin(region, half,
			       ltt_half_boots(region, region->halves[!order]) + 1);
		/* Pairs with the load in ltt_region_alloc_in(). */
		smp_store_release(&region->current_half, half);
	}
	mutex_unlock(&region->claim);
	return half;
}

static struct page *ltt_half_page(const struct ltt_dump_region *half,
				  unsigned int i)
{
	return virt_to_page((void *)half + ((size_t)i << PAGE_SHIFT));
}

/* Free pages in a row from page @i on, up to @want. */
static unsigned int ltt_half_free_pages(const struct ltt_dump_region *half,
					unsigned int i, unsigned int want)
{
	unsigned int n;

	for (n = 0; n < want; n++)
		if (page_count(ltt_half_page(half, i + n)) != 1)
			break;
	return n;
}

/* The first of @want free pages between @from and @to, or 0. */
static unsigned int ltt_half_find(const struct ltt_dump_region *half,
				  unsigned int from, unsigned int to,
				  unsigned int want)
{
	unsigned int i = from, n;

	while (i + want <= to) {
		n = ltt_half_free_pages(half, i, want);
		if (n == want)
			return i;
		i += n + 1;
	}
	return 0;
}

static void *ltt_region_alloc_in(struct ltt_region *region, size_t size)
{
	unsigned int want = PAGE_ALIGN(size) >> PAGE_SHIFT, at, i;
	struct ltt_dump_region *half;
	void *memory;

	/* Pairs with the store in ltt_region_claim(). */
	half = smp_load_acquire(&region->current_half);
	if (!half || !want || PAGE_ALIGN(size) >> PAGE_SHIFT >= region->n_pages)
		return NULL;
	spin_lock(&region->lock);
	/* Page 0 is the half's own. */
	at = ltt_half_find(half, max(region->next, 1U), region->n_pages, want);
	if (!at)
		at = ltt_half_find(half, 1, region->n_pages, want);
	if (at) {
		for (i = 0; i < want; i++)
			get_page(ltt_half_page(half, at + i));
		region->next = at + want;
	}
	spin_unlock(&region->lock);
	if (!at)
		return NULL;
	memory = (void *)half + ((size_t)at << PAGE_SHIFT);
	region->runs[at] = want;
	memset(memory, 0, (size_t)want << PAGE_SHIFT);
	return memory;
}

static void ltt_region_free_in(struct ltt_region *region, const void *memory)
{
	struct ltt_dump_region *half = region->current_half;
	unsigned int at = (memory - (void *)half) >> PAGE_SHIFT, i;

	for (i = 0; i < region->runs[at]; i++)
		put_page(ltt_half_page(half, at + i));
}

/**
 * ltt_alloc() - zeroed memory of the facility, in one physical piece
 * @size: bytes
 * @persist: that outlives a reboot; whole pages
 *
 * Sleeps. Return: NULL if there is none.
 */
void *ltt_alloc(size_t size, bool persist)
{
	if (persist)
		return ltt_region_alloc_in(&ltt_region, size);
	return kzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/* A zeroed page, which a program may map. */
void *ltt_alloc_page(bool persist)
{
	if (persist)
		return ltt_region_alloc_in(&ltt_region, PAGE_SIZE);
	return (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
}

/* Does this memory outlive a reboot? */
bool ltt_is_kept(const void *memory)
{
	const void *half = READ_ONCE(ltt_region.current_half);

	return half && memory >= half &&
	       memory < half + ((size_t)ltt_region.n_pages << PAGE_SHIFT);
}

void __ltt_free(void *memory)
{
	if (ltt_is_kept(memory))
		ltt_region_free_in(&ltt_region, memory);
	else
		kvfree(memory);
}

void __ltt_free_page(void *page)
{
	if (ltt_is_kept(page))
		ltt_region_free_in(&ltt_region, page);
	else
		free_page((unsigned long)page);
}

/**
 * ltt_region_open() - a trace that persists is about to be made
 *
 * Return: 0, or -ENXIO: no memory is reserved for it.
 */
int ltt_region_open(void)
{
	if (!ltt_region.n_pages)
		return -ENXIO;
	ltt_region_claim(&ltt_region);
	return 0;
}

/* The current half's root, or NULL. */
struct ltt_dump_root *ltt_region_root(void)
{
	struct ltt_dump_region *half = READ_ONCE(ltt_region.current_half);

	return half ? &half->root : NULL;
}

/* The machine gets its name while traces run already. */
void ltt_region_set_nodename(void)
{
	struct ltt_dump_region *half = READ_ONCE(ltt_region.current_half);

	if (half)
		memcpy(half->nodename, init_uts_ns.name.nodename,
		       sizeof(half->nodename));
}

static ssize_t ltt_previous_read(struct file *file, char __user *to,
				 size_t size, loff_t *pos)
{
	return simple_read_from_buffer(to, size, pos, file->private_data,
				       (size_t)ltt_region.n_pages << PAGE_SHIFT);
}

static const struct file_operations ltt_previous_fops = {
	.owner	= THIS_MODULE,
	.read	= ltt_previous_read,
};

/* A descriptor of what an earlier boot left: a struct ltt_dump_region and more. */
long ltt_ioc_previous(void)
{
	struct ltt_dump_region *half;
	struct file *file;
	int fd;

	if (!perfmon_capable())
		return -EPERM;
	if (!ltt_region.n_pages)
		return -ENXIO;
	half = ltt_region_previous(&ltt_region);
	if (!half)
		return -ENOENT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = anon_inode_getfile("[ltt-previous]", &ltt_previous_fops, half,
				  O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	file->f_mode |= FMODE_PREAD;
	fd_install(fd, file);
	return fd;
}

/* What caches hold is lost with the power of the CPU, or when it is reset. */
static int ltt_region_write_back(struct notifier_block *block,
				 unsigned long event, void *data)
{
	struct ltt_dump_region *half = READ_ONCE(ltt_region.current_half);

	if (half)
		arch_wb_cache_pmem(half, (size_t)ltt_region.n_pages << PAGE_SHIFT);
	return NOTIFY_DONE;
}

static struct notifier_block ltt_panic_block = {
	.notifier_call	= ltt_region_write_back,
};

static struct notifier_block ltt_reboot_block = {
	.notifier_call	= ltt_region_write_back,
};

/**
 * ltt_region_set() - this memory was reserved
 * @start: in the kernel's direct map
 * @n_pages: of it; each has one reference
 *
 * Before anything else here. Return: false if it is too little, or no memory is
 * left to look after it.
 */
bool ltt_region_set(void *start, unsigned long n_pages)
{
	if (n_pages / 2 < LTT_MIN_HALF_PAGES)
		return false;
	ltt_region.runs = kvcalloc(n_pages / 2, sizeof(*ltt_region.runs),
				   GFP_KERNEL);
	if (!ltt_region.runs)
		return false;
	ltt_region.halves[0] = start;
	ltt_region.halves[1] = start + ((n_pages / 2) << PAGE_SHIFT);
	ltt_region.n_pages = n_pages / 2;
	atomic_notifier_chain_register(&panic_notifier_list, &ltt_panic_block);
	register_reboot_notifier(&ltt_reboot_block);
	return true;
}

#ifdef CONFIG_LTT_KUNIT_TEST
#include "region_kunit.c"
#endif

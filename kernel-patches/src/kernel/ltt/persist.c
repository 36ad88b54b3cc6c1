// SPDX-License-Identifier: GPL-2.0
/*
 * Where the memory is that outlives a warm reboot (region.c), by the kernel's
 * command line:
 *
 *	ltt.persist=NAME		that of reserve_mem=SIZE:ALIGN:NAME
 *	ltt.persist=SIZE@ADDRESS	reserved here
 *
 * It must be ordinary memory, which the kernel has mapped: debuggers may look at
 * the buffers of a program, wherever they are. That of memmap=SIZE$ADDRESS is not.
 */

#include <linux/init.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "compat.h"
#include "internal.h"

static char ltt_persist[64] __initdata;

static bool __init ltt_persist_parse(const char *text, phys_addr_t *address,
				     phys_addr_t *size)
{
	char *end;

	*size = memparse(text, &end);
	if (end == text || *end != '@')
		return false;
	text = end + 1;
	*address = memparse(text, &end);
	return end != text && !*end;
}

/* Early: before memory is given to anybody but the kernel's image. */
static int __init ltt_persist_setup(char *arg)
{
	phys_addr_t address, size;

	if (!arg || strscpy(ltt_persist, arg, sizeof(ltt_persist)) < 0) {
		ltt_persist[0] = 0;
		pr_err("ltt: ltt.persist: missing or longer than %zu bytes, nothing persists\n",
		       sizeof(ltt_persist) - 1);
		return -EINVAL;
	}
	if (!ltt_persist_parse(arg, &address, &size))
		return 0;
	if (memblock_is_region_reserved(address, size) ||
	    memblock_reserve(address, size)) {
		pr_err("ltt: ltt.persist=%s: in use already, by the kernel itself if that chose its place by chance (nokaslr); nothing persists\n",
		       ltt_persist);
		ltt_persist[0] = 0;
	}
	return 0;
}
early_param("ltt.persist", ltt_persist_setup);

/* Nobody else will ever use them. */
static bool __init ltt_persist_is_ours(unsigned long pfn, unsigned long n)
{
	unsigned long i;

	for (i = pfn; i < pfn + n; i++)
		if (!pfn_valid(i) || !PageReserved(pfn_to_page(i)) ||
		    !page_is_ram(i))
			return false;
	return true;
}

static int __init ltt_persist_init(void)
{
	phys_addr_t address, size, end;

	if (!*ltt_persist)
		return 0;
	if (!reserve_mem_find_by_name(ltt_persist, &address, &size) &&
	    !ltt_persist_parse(ltt_persist, &address, &size)) {
		pr_err("ltt: ltt.persist=%s: neither a name of reserve_mem= nor SIZE@ADDRESS, nothing persists\n",
		       ltt_persist);
		return 0;
	}
	end = PAGE_ALIGN_DOWN(address + size);
	address = PAGE_ALIGN(address);
	if (address >= end || !ltt_persist_is_ours(PHYS_PFN(address), PHYS_PFN(end - address)))
		pr_err("ltt: ltt.persist=%s: not ordinary memory, nothing persists\n",
		       ltt_persist);
	else if (!ltt_region_set(__va(address), PHYS_PFN(end - address)))
		pr_err("ltt: ltt.persist=%s: too little memory, nothing persists\n",
		       ltt_persist);
	return 0;
}
fs_initcall(ltt_persist_init);

#ifdef CONFIG_LTT_KUNIT_TEST
#include "persist_kunit.c"
#endif

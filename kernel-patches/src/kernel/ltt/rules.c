// SPDX-License-Identifier: GPL-2.0
/*
 * Rules: which events of a program a trace wants, by name and level.
 *
 * The kernel keeps the text and shows it to the programs; these know their
 * events, and what the rules mean for each (ust/rules.h). It lies in the trace
 * page, so that one copy is for all threads.
 */

#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "internal.h"

/* What is left of the trace page. */
#define LTT_RULES_OFFSET	(PAGE_SIZE - LTT_MAX_RULES)

static char *ltt_rules_text(const struct ltt_trace *trace)
{
	return (char *)trace->page + LTT_RULES_OFFSET;
}

static bool ltt_rules_are_valid(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (!isascii(text[i]) || !isprint(text[i]))
			return false;
	return true;
}

/**
 * ltt_rules_set() - other rules for a trace
 * @trace: any; under ltt_mutex
 * @text: printable ASCII; anything else is refused
 * @size: bytes, up to LTT_MAX_RULES; 0 for no rules
 *
 * Who reads the page meanwhile sees by the sequence that it has to read again.
 * The caller tells the programs.
 *
 * Return: 0, or -EINVAL.
 */
int ltt_rules_set(struct ltt_trace *trace, const char *text, size_t size)
{
	struct ltt_trace_page *page = trace->page;

	BUILD_BUG_ON(sizeof(*page) > LTT_RULES_OFFSET);
	lockdep_assert_held(&ltt_mutex);
	if (size > LTT_MAX_RULES || !ltt_rules_are_valid(text, size))
		return -EINVAL;
	WRITE_ONCE(page->rules_sequence, page->rules_sequence + 1);
	/* Pairs with the reads between two looks at the sequence in programs. */
	smp_wmb();
	memcpy(ltt_rules_text(trace), text, size);
	page->rules_offset = LTT_RULES_OFFSET;
	WRITE_ONCE(page->rules_size, size);
	smp_wmb(); /* the same */
	WRITE_ONCE(page->rules_sequence, page->rules_sequence + 1);
	return 0;
}

/* LTT_IOC_RULES: as the user gives them. */
long ltt_ioc_rules(struct ltt_trace *trace, const void __user *arg)
{
	struct ltt_trace_rules rules;
	char *text;
	long ret;

	if (copy_from_user(&rules, arg, sizeof(rules)))
		return -EFAULT;
	if (rules.reserved)
		return -EINVAL;
	if (rules.size > LTT_MAX_RULES)
		return -E2BIG;
	text = memdup_user(u64_to_user_ptr(rules.text), rules.size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&ltt_mutex);
	ret = trace->dead ? -ENOENT : ltt_rules_set(trace, text, rules.size);
	if (!ret)
		ltt_trace_changed(trace);
	mutex_unlock(&ltt_mutex);
	kfree(text);
	return ret;
}

/* LTT_IOC_GET_RULES: as much as there is room for, and how much there is. */
long ltt_ioc_get_rules(struct ltt_trace *trace, void __user *arg)
{
	struct ltt_trace_rules rules;
	size_t room, size;
	char *text;
	long ret = 0;

	if (copy_from_user(&rules, arg, sizeof(rules)))
		return -EFAULT;
	if (rules.reserved)
		return -EINVAL;
	text = kmalloc(LTT_MAX_RULES, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	room = rules.size;
	/* No copying to the user under the lock: it may fault. */
	mutex_lock(&ltt_mutex);
	size = trace->page->rules_size;
	memcpy(text, ltt_rules_text(trace), size);
	mutex_unlock(&ltt_mutex);
	rules.size = size;
	if (copy_to_user(u64_to_user_ptr(rules.text), text, min(room, size)) ||
	    copy_to_user(arg, &rules, sizeof(rules)))
		ret = -EFAULT;
	kfree(text);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A trace from the kernel command line, active before PID 1's first
 * instruction:
 *
 *	ltt.boot=NAME[,filter=MASK][,contexts=MASK][,subbuf=SIZE][,n=COUNT]
 *		 [,memory=SIZE][,overwrite][,persist][,kernel=EVENTS][,rules=RULES]
 *
 * EVENTS are groups and names of events of the kernel, with '+' between them.
 * RULES are the rest of it, with their commas. The filter defaults to all bits,
 * contexts (LTT_CONTEXT_*) to none, SIZE (with K, M, G) to 64K, COUNT to 4,
 * memory to what ltt.memory_kb= allows.
 */

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "internal.h"

static char ltt_boot[256] __initdata;

static int __init ltt_boot_setup(char *arg)
{
	if (arg && strscpy(ltt_boot, arg, sizeof(ltt_boot)) >= 0)
		return 0;
	pr_err("ltt: ltt.boot: missing or longer than %zu bytes, no trace\n",
	       sizeof(ltt_boot) - 1);
	ltt_boot[0] = 0;
	return -EINVAL;
}
early_param("ltt.boot", ltt_boot_setup);

static int __init ltt_boot_option(struct ltt_trace_params *params, char *option)
{
	char *value = strchr(option, '=');
	unsigned long long number;
	char *end;

	if (!strcmp(option, "overwrite")) {
		params->mode = LTT_MODE_OVERWRITE;
		return 0;
	}
	if (!strcmp(option, "persist")) {
		params->flags |= LTT_TRACE_PERSIST;
		return 0;
	}
	if (!value)
		return -EINVAL;
	*value++ = 0;
	if (!strcmp(option, "filter"))
		return kstrtou32(value, 0, &params->filter);
	if (!strcmp(option, "contexts"))
		return kstrtou32(value, 0, &params->contexts);
	number = memparse(value, &end);
	if (end == value || *end)
		return -EINVAL;
	if (!strcmp(option, "memory")) {
		params->max_memory = number;
		return 0;
	}
	if (number > U32_MAX)
		return -EINVAL;
	if (!strcmp(option, "subbuf"))
		params->subbuf_size = number;
	else if (!strcmp(option, "n"))
		params->n_subbufs = number;
	else
		return -EINVAL;
	return 0;
}

/* Which events of the kernel; a comma would end the option. */
static const char *__init ltt_boot_kernel(char *option)
{
	size_t n = str_has_prefix(option, "kernel=");

	if (!n)
		return NULL;
	strreplace(option, '+', ',');
	return option + n;
}

static void __init ltt_boot_select(struct ltt_trace *trace, const char *events)
{
	u32 bad = 0;
	int ret = ltt_kernel_select(trace, events, strlen(events), &bad);

	if (ret == -EINVAL)
		pr_err("ltt: ltt.boot: no event of the kernel is called \"%s\", trace without any\n",
		       events + bad);
	else if (ret)
		pr_err("ltt: ltt.boot: trace without events of the kernel (%d)\n",
		       ret);
}

/* The last option: rules have commas, too. */
static const char *__init ltt_boot_rules(const char *options)
{
	size_t n = str_has_prefix(options, "rules=");

	return n ? options + n : NULL;
}

static int __init ltt_boot_init(void)
{
	struct ltt_trace_params params = {
		.size		= sizeof(params),
		.flags		= LTT_TRACE_SYSTEM,
		.filter		= U32_MAX,
		.mode		= LTT_MODE_DISCARD,
		.subbuf_size	= 64 << 10,
		.n_subbufs	= 4,
	};
	char *at = ltt_boot, *option = strsep(&at, ",");
	const char *events = NULL, *rules = NULL, *found;
	struct ltt_trace *trace;

	if (!*ltt_boot)
		return 0;
	if (strscpy_pad(params.name, option, sizeof(params.name)) < 0) {
		pr_err("ltt: ltt.boot=%s: name longer than %d bytes, no trace\n",
		       option, LTT_NAME_SIZE - 1);
		return 0;
	}
	while (at) {
		rules = ltt_boot_rules(at);
		if (rules)
			break;
		option = strsep(&at, ",");
		found = ltt_boot_kernel(option);
		if (found) {
			events = found;
			continue;
		}
		if (!ltt_boot_option(&params, option))
			continue;
		pr_err("ltt: ltt.boot: bad option \"%s\", no trace (NAME[,filter=MASK][,contexts=MASK][,subbuf=SIZE][,n=COUNT][,memory=SIZE][,overwrite][,persist][,kernel=EVENTS][,rules=RULES])\n",
		       option);
		return 0;
	}
	trace = ltt_trace_create(&params, NULL, LTT_TRACE_BOOT, true);
	if (trace == ERR_PTR(-ENXIO)) {
		pr_err("ltt: ltt.boot: no memory is reserved for what persists (ltt.persist=), trace \"%s\" does not\n",
		       params.name);
		params.flags &= ~LTT_TRACE_PERSIST;
		trace = ltt_trace_create(&params, NULL, LTT_TRACE_BOOT, true);
	}
	if (IS_ERR(trace)) {
		pr_err("ltt: ltt.boot: no trace \"%s\": name or geometry refused (%ld)\n",
		       params.name, PTR_ERR(trace));
		return 0;
	}
	if (events)
		ltt_boot_select(trace, events);
	if (rules) {
		/* Before there is a program. */
		mutex_lock(&ltt_mutex);
		if (ltt_rules_set(trace, rules, strlen(rules)))
			pr_err("ltt: ltt.boot: bad rules \"%s\", trace without rules\n",
			       rules);
		mutex_unlock(&ltt_mutex);
	}
	pr_info("ltt: trace \"%s\" is active\n", trace->name);
	atomic_dec(&trace->readers);
	ltt_trace_put(trace);
	return 0;
}
late_initcall(ltt_boot_init);

#ifdef CONFIG_LTT_KUNIT_TEST
#include "boot_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The definitions of the kernel's events, for readers: as programs give theirs to
 * ltt_register(), so that who reads those can read these. The format is said in
 * include/ust/definition.h of the project; a group is one registration.
 */

#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event.h"
#include "internal.h"

#define LTT_DEFINITION_MAGIC	0x45545355	/* "USTE" */
#define LTT_LEVEL_INFO		6

/* What the strings and the fields follow. */
struct ltt_definition {
	u32	magic;
	u32	size;
	u32	filter;
	u16	id;
	u8	level;
	u8	n_fields;
};

static size_t ltt_definition_size(const struct ltt_event *event)
{
	return ALIGN(sizeof(struct ltt_definition) + strlen(event->group) + 1 +
		     strlen(event->name) + 1 + event->layout_size, 8);
}

static u8 *ltt_put_bytes(u8 *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* @at is zero. */
static void ltt_definition_put(const struct ltt_event *event, u8 *at)
{
	struct ltt_definition *head = (struct ltt_definition *)at;

	head->magic = LTT_DEFINITION_MAGIC;
	head->size = ltt_definition_size(event);
	head->filter = U32_MAX;
	head->id = event - ltt_events;
	head->level = LTT_LEVEL_INFO;
	head->n_fields = event->n_fields;
	at = ltt_put_bytes(at + sizeof(*head), event->group, strlen(event->group) + 1);
	at = ltt_put_bytes(at, event->name, strlen(event->name) + 1);
	ltt_put_bytes(at, event->layout, event->layout_size);
}

/* Of the events from @first to before @end. */
static struct ltt_definitions *__init ltt_definitions_make(unsigned int first,
							   unsigned int end)
{
	struct ltt_definitions *definitions;
	size_t size = 0;
	unsigned int i;
	u8 *at;

	for (i = first; i < end; i++)
		size += ltt_definition_size(&ltt_events[i]);
	definitions = ltt_definitions_alloc(size);
	if (!definitions)
		return NULL;
	at = definitions->data;
	memset(at, 0, size);
	for (i = first; i < end; i++) {
		ltt_definition_put(&ltt_events[i], at);
		at += ltt_definition_size(&ltt_events[i]);
	}
	return definitions;
}

/**
 * ltt_kernel_define() - the kernel's definitions, to the process that has them
 * @process: nobody knows it yet
 *
 * Return: 0 or -ENOMEM.
 */
int __init ltt_kernel_define(struct ltt_process *process)
{
	struct ltt_definitions *definitions;
	unsigned int first, end;
	int ret = 0;

	mutex_lock(&ltt_mutex);
	for (first = 1; first < ltt_n_events && !ret; first = end) {
		for (end = first; end < ltt_n_events; end++)
			if (strcmp(ltt_events[end].group, ltt_events[first].group))
				break;
		definitions = ltt_definitions_make(first, end);
		if (!definitions ||
		    WARN_ON(process->n_definitions == LTT_MAX_GATES)) {
			ret = -ENOMEM;
			break;
		}
		ltt_dump_add_definitions(process, definitions);
		process->definitions[process->n_definitions++] = definitions;
	}
	mutex_unlock(&ltt_mutex);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a memory image has of traces when the machine has died: see
 * uapi/linux/ltt_dump.h. Nothing here runs at that time, and nothing may be in
 * disorder at any other, so that each structure is complete before a store makes
 * it known, and unknown before it goes.
 */

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "internal.h"

static struct ltt_dump_root ltt_dump_root __page_aligned_data = {
	.magic		= LTT_DUMP_MAGIC,
	.version	= LTT_DUMP_VERSION,
	.page_size	= PAGE_SIZE,
};

/* Of something that lies in one page. */
static u64 ltt_dump_address(const void *data)
{
	if (!is_vmalloc_addr(data))
		return virt_to_phys((void *)data);
	return page_to_phys(vmalloc_to_page(data)) + offset_in_page(data);
}

static void ltt_dump_free_frames(u64 address)
{
	while (address) {
		struct ltt_dump_frames *frames = phys_to_virt(address);

		address = frames->next;
		free_page((unsigned long)frames);
	}
}

/* Do the pages lie one after the other in the machine, too? */
static bool ltt_dump_is_one_piece(const void *data, size_t size)
{
	const void *at = data - offset_in_page(data), *end = data + size;
	u64 address = ltt_dump_address(at);

	if (!is_vmalloc_addr(data))
		return true;
	for (; at < end; at += PAGE_SIZE, address += PAGE_SIZE)
		if (ltt_dump_address(at) != address)
			return false;
	return true;
}

/**
 * ltt_dump_area_set() - describe memory
 * @area: zero
 * @data: of kvmalloc(), or of a mapping of the kernel
 * @size: bytes
 *
 * Return: 0, or -ENOMEM, and @area is zero.
 */
int ltt_dump_area_set(struct ltt_dump_area *area, const void *data, size_t size)
{
	struct ltt_dump_frames *frames = NULL;
	const void *at, *end = data + size;
	u64 first = 0;

	BUILD_BUG_ON(sizeof(*frames) != PAGE_SIZE);
	if (!size)
		return 0;
	if (ltt_dump_is_one_piece(data, size)) {
		area->start = ltt_dump_address(data);
		smp_wmb(); /* order as in uapi/linux/ltt_dump.h */
		WRITE_ONCE(area->size, size);
		return 0;
	}
	for (at = data - offset_in_page(data); at < end; at += PAGE_SIZE) {
		if (!frames || frames->n == ARRAY_SIZE(frames->frame)) {
			struct ltt_dump_frames *more;

			more = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
			if (!more) {
				ltt_dump_free_frames(first);
				return -ENOMEM;
			}
			*(frames ? &frames->next : &first) = virt_to_phys(more);
			frames = more;
		}
		frames->frame[frames->n++] = page_to_phys(vmalloc_to_page(at));
	}
	area->start = offset_in_page(data);
	area->frames = first;
	smp_wmb(); /* the same */
	WRITE_ONCE(area->size, size);
	return 0;
}

/* Only once nothing known leads to it. */
void ltt_dump_area_free(struct ltt_dump_area *area)
{
	ltt_dump_free_frames(area->frames);
	memset(area, 0, sizeof(*area));
}

/* A copy, which is known, of @from, which stays whose it is. */
static void ltt_dump_area_show(struct ltt_dump_area *to, const struct ltt_dump_area *from)
{
	to->frames = from->frames;
	to->start = from->start;
	smp_wmb(); /* the same */
	WRITE_ONCE(to->size, from->size);
}

/* @buf has memory, and its positions are right. */
void ltt_dump_show_store(struct ltt_buffer *buf)
{
	const struct ltt_control *control = ltt_cpu_control(buf) ?: buf->control;

	buf->dump.control = __pa(control);
	ltt_dump_area_show(&buf->dump.data, &buf->store->dump);
}

/* It is about to give its store up, for @left. */
void ltt_dump_show_left(struct ltt_buffer *buf, const struct ltt_left *left)
{
	ltt_dump_area_show(&buf->dump.left_ranges, &left->dump_ranges);
	ltt_dump_area_show(&buf->dump.left, &left->dump);
	smp_wmb(); /* the same */
	WRITE_ONCE(buf->dump.data.size, 0);
	smp_wmb(); /* before the memory gets other use */
}

/* In memory images, and where the next boot looks if it persists. */
static void ltt_dump_set_trace(const struct ltt_trace *trace, u64 address)
{
	struct ltt_dump_root *kept = ltt_region_root();

	WRITE_ONCE(ltt_dump_root.traces[trace->slot], address);
	if (ltt_persists(trace))
		WRITE_ONCE(kept->traces[trace->slot], address);
}

/* @trace is complete, under ltt_mutex. */
void ltt_dump_add_trace(struct ltt_trace *trace)
{
	struct ltt_dump_trace *dump = &trace->dump;
	struct ltt_clocks clocks;

	BUILD_BUG_ON(sizeof(ltt_dump_root) > PAGE_SIZE);
	lockdep_assert_held(&ltt_mutex);
	ltt_clock_read(trace->page->clock, &clocks);
	dump->magic = LTT_DUMP_TRACE_MAGIC;
	dump->flags = trace->flags;
	dump->page = virt_to_phys(trace->page);
	dump->clock_now = clocks.now;
	dump->monotonic_ns = clocks.monotonic_ns;
	dump->realtime_ns = clocks.realtime_ns;
	memcpy(dump->name, trace->name, sizeof(dump->name));
	ltt_dump_root.self = __pa_symbol(&ltt_dump_root);
	ltt_dump_root.nodename = __pa_symbol(init_uts_ns.name.nodename);
	smp_wmb(); /* the same */
	ltt_dump_set_trace(trace, virt_to_phys(dump));
}

void ltt_dump_remove_trace(struct ltt_trace *trace)
{
	lockdep_assert_held(&ltt_mutex);
	ltt_dump_set_trace(trace, 0);
}

/*
 * One registration more, which @process keeps, as do its children, together with
 * those before.
 */
void ltt_dump_add_definitions(struct ltt_process *process,
			      struct ltt_definitions *definitions)
{
	struct ltt_dump_process *dump = &process->dump;

	lockdep_assert_held(&ltt_mutex);
	dump->magic = LTT_DUMP_PROCESS_MAGIC;
	definitions->dump.previous = dump->definitions;
	smp_wmb(); /* the same */
	WRITE_ONCE(dump->definitions, ltt_dump_address(&definitions->dump));
}

/* The address that leads to the buffer of @node: its predecessor's, or the first. */
static u64 *ltt_dump_link(struct ltt_trace *trace, struct list_head *node)
{
	if (node->prev == &trace->dumped)
		return &trace->dump.buffers;
	return &list_entry(node->prev, struct ltt_buffer, dump_node)->dump.next;
}

/* Into the list of its trace, under ltt_trace.lock, before it has data. */
void ltt_dump_add_buffer(struct ltt_buffer *buf)
{
	struct ltt_dump_buffer *dump = &buf->dump;
	struct ltt_process *process = buf->process;
	struct ltt_trace *trace = buf->trace;

	lockdep_assert_held(&trace->lock);
	/* The list must not lead out of what persists. Such a buffer has no data. */
	if (ltt_persists(trace) && !ltt_is_kept(buf->closed))
		return;
	dump->magic = LTT_DUMP_BUFFER_MAGIC;
	dump->process = virt_to_phys(ltt_persists(trace) ? process->kept :
							  &process->dump);
	dump->packet = virt_to_phys(&buf->packet);
	dump->open = virt_to_phys(&buf->open);
	dump->closed = virt_to_phys(buf->closed);
	dump->taken = virt_to_phys(&buf->taken);
	dump->commit = virt_to_phys(&buf->commit);
	list_add_tail(&buf->dump_node, &trace->dumped);
	smp_wmb(); /* the same */
	WRITE_ONCE(*ltt_dump_link(trace, &buf->dump_node), virt_to_phys(dump));
}

/* Out of it, under ltt_trace.lock. */
void ltt_dump_remove_buffer(struct ltt_buffer *buf)
{
	struct ltt_trace *trace = buf->trace;

	lockdep_assert_held(&trace->lock);
	if (list_empty(&buf->dump_node))
		return;
	WRITE_ONCE(*ltt_dump_link(trace, &buf->dump_node), buf->dump.next);
	list_del_init(&buf->dump_node);
	smp_wmb(); /* before the memory gets other use */
}

#ifdef LTT_HAVE_VMCOREINFO
/* Where memory images name their contents; early, before there is a trace. */
void __init __ltt_save_vmcoreinfo(void)
{
	ltt_dump_root.self = __pa_symbol(&ltt_dump_root);
	vmcoreinfo_append_str("NUMBER(ltt_dump_root)=0x%llx\n",
			      ltt_dump_root.self);
}
#endif

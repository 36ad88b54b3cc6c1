// SPDX-License-Identifier: GPL-2.0
/* Packets: headers that the kernel makes, and how they get to a reader. */

#include <linux/uaccess.h>

#include "internal.h"

/**
 * ltt_put_packet() - one packet into the reader's memory
 * @out: counts it once all of it is there
 * @packet: header
 * @data: what follows, packet->size bytes
 *
 * Return: 0, -EINVAL (no room), -EFAULT.
 */
int ltt_put_packet(struct ltt_out *out, const struct ltt_packet *packet,
		   const void *data)
{
	char __user *to = out->to + out->done;

	if (out->size - out->done < sizeof(*packet) + packet->size)
		return -EINVAL;
	if (copy_to_user(to, packet, sizeof(*packet)) ||
	    copy_to_user(to + sizeof(*packet), data, packet->size))
		return -EFAULT;
	out->done += sizeof(*packet) + packet->size;
	return 0;
}

/* The definitions of @process that this descriptor has not had. */
int ltt_put_definitions(struct ltt_reader *reader, struct ltt_process *process,
			struct ltt_out *out)
{
	void *entry = xa_load(&reader->definitions, process->id);
	unsigned long i = entry ? xa_to_value(entry) : 0;
	/* Pairs with the store in ltt_process_register(). */
	unsigned long n = smp_load_acquire(&process->n_definitions);
	struct ltt_packet packet = {
		.magic		= LTT_PACKET_MAGIC,
		.type		= LTT_PACKET_DEFINITIONS,
		.trace		= reader->trace->slot,
		.header_size	= sizeof(packet),
		.process	= process->id,
	};
	int ret;

	if (i == n)
		return 0;
	/* What was copied out must not come again for want of memory. */
	ret = xa_reserve(&reader->definitions, process->id, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	for (; i < n; i++) {
		packet.size = process->definitions[i]->size;
		ret = ltt_put_packet(out, &packet,
				     process->definitions[i]->data);
		if (ret)
			return ret;
		xa_store(&reader->definitions, process->id, xa_mk_value(i + 1),
			 GFP_KERNEL_ACCOUNT);
	}
	return 0;
}

/* The header for @range of @buf, or for no data. The buffer's lock is held. */
void ltt_fill_packet(struct ltt_buffer *buf, const struct ltt_range *range,
		     struct ltt_packet *packet)
{
	lockdep_assert_held(&buf->lock);
	*packet = buf->packet;
	packet->end = buf->retired ? buf->end :
		      ltt_clock_now(buf->trace->page->clock);
	packet->position = buf->taken;
	packet->begin = buf->retired || buf->full || ltt_is_cpu(buf) ?
				packet->end : buf->open.begin;
	if (range) {
		packet->size = range->end - range->start;
		packet->position = range->start;
		packet->begin = range->begin;
	}
}

// SPDX-License-Identifier: GPL-2.0
/* The system calls: arguments are checked here, the work is done inside. */

#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>

#include "internal.h"

/* The buffer at @address, with a reference; first among one's own. */
static struct ltt_buffer *ltt_find_buffer(unsigned long address)
{
	struct ltt_buffer *buf;

	if (current->ltt) {
		list_for_each_entry(buf, &current->ltt->buffers, task_node) {
			if (buf->address != address)
				continue;
			ltt_buffer_get(buf);
			return buf;
		}
	}
	/* A vfork child uses its parent's. */
	return ltt_mapping_find(address);
}

static bool ltt_has_buffer(struct ltt_task *lt, struct ltt_trace *trace)
{
	struct ltt_buffer *buf;

	list_for_each_entry(buf, &lt->buffers, task_node)
		if (buf->trace == trace)
			return true;
	return false;
}

/* A trace that covers the thread and has no buffer of it yet, or NULL. */
static struct ltt_trace *ltt_next_trace(struct ltt_task *lt)
{
	struct ltt_trace *trace, *found = NULL;
	int i;

	mutex_lock(&ltt_mutex);
	ltt_process_identify(lt->process);
	for (i = 0; i < LTT_MAX_TRACES && !found; i++) {
		trace = ltt_traces[i];
		if (trace && ltt_trace_covers(trace, lt->process) &&
		    !ltt_has_buffer(lt, trace)) {
			kref_get(&trace->kref);
			found = trace;
		}
	}
	mutex_unlock(&ltt_mutex);
	return found;
}

static void ltt_forget(struct ltt_buffer *buf)
{
	ltt_buffer_retire(buf, false);
	list_del_init(&buf->task_node);
	ltt_buffer_put(buf);
}

/* The program unmapped what it had at @address, or it would not be free. */
static void ltt_forget_address(struct ltt_task *lt, unsigned long address)
{
	struct ltt_buffer *buf, *next;

	list_for_each_entry_safe(buf, next, &lt->buffers, task_node)
		if (buf->address == address)
			ltt_forget(buf);
}

/* @buf may also be that of a vfork child's parent, which is left alone. */
static void ltt_forget_own(struct ltt_buffer *buf)
{
	struct ltt_buffer *own;

	if (!current->ltt)
		return;
	list_for_each_entry(own, &current->ltt->buffers, task_node) {
		if (own != buf)
			continue;
		ltt_forget(buf);
		return;
	}
}

/* Maps the thread's next buffer; NULL if there is none. */
static struct ltt_buffer *ltt_map_next(struct ltt_task *lt)
{
	struct ltt_trace *trace = ltt_next_trace(lt);
	struct ltt_buffer *buf;
	int ret;

	if (!trace)
		return NULL;
	buf = ltt_buffer_alloc(trace, lt->process);
	ret = -ENOMEM;
	if (!buf)
		goto refused;
	buf->owner = lt;
	buf->thread = lt;
	ret = ltt_mapping_create(buf);
	if (ret)
		goto free;
	ltt_forget_address(lt, buf->address);
	/* The mapping keeps it; this reference is the list's. */
	list_add_tail(&buf->task_node, &lt->buffers);
	ltt_trace_put(trace);
	return buf;

free:
	ltt_buffer_put(buf);
refused:
	atomic64_inc(&trace->refused);
	ltt_trace_put(trace);
	return ERR_PTR(ret);
}

static int ltt_put_state(struct ltt_buffer *buf, int __user *active,
			 int __user *filter)
{
	const struct ltt_trace_page *page = buf ? buf->trace->page : NULL;

	if (put_user(page ? READ_ONCE(page->active) : 0, active) ||
	    put_user(page ? READ_ONCE(page->filter) : 0, filter))
		return -EFAULT;
	return 0;
}

static int ltt_update_next(void __user * __user *buffer, int __user *active,
			   int __user *filter)
{
	struct ltt_buffer *buf;
	struct ltt_task *lt;
	int ret;

	/*
	 * A vfork child shares its parent's thread-local storage, so it has the
	 * parent's buffers; one of its own would vanish there when it ends.
	 */
	if (!current->ltt && current->vfork_done)
		return -EAGAIN;
	lt = ltt_task_get();
	if (IS_ERR(lt))
		return PTR_ERR(lt);
	buf = ltt_map_next(lt);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	ret = ltt_put_state(buf, active, filter);
	if (!ret && put_user((void __user *)(buf ? buf->address : 0), buffer))
		ret = -EFAULT;
	if (ret && buf) {
		/* The program never learned of it. */
		ltt_mapping_remove(buf);
		ltt_forget(buf);
	}
	return ret;
}

/**
 * sys_ltt_update() - get the next buffer, or the state of a known one
 * @buffer: in: NULL or the address of a buffer; out: for NULL, the address of
 *	the thread's next buffer, or NULL if there is no more
 * @active: out: whether its trace is started
 * @filter: out: filter mask of its trace
 *
 * Registers the calling thread on first use.
 *
 * Return: 0; -EFAULT (an address is not writable, nothing was mapped); -EINVAL
 * (*buffer is no buffer); -ENOENT (its trace is destroyed, or must not see the
 * process any more: unmap it; the kernel has forgotten it); -EAGAIN (a vfork
 * child has its parent's buffers, and the parent must ask for more when it runs
 * again); -ENOMEM (the trace counts it as refused); -EINTR (killed).
 */
SYSCALL_DEFINE3(ltt_update, void __user * __user *, buffer, int __user *, active,
		int __user *, filter)
{
	struct ltt_buffer *buf;
	void __user *address;
	int ret;

	if (get_user(address, buffer))
		return -EFAULT;
	if (!address)
		return ltt_update_next(buffer, active, filter);
	buf = ltt_find_buffer((unsigned long)address);
	if (!buf)
		return -EINVAL;
	if (!READ_ONCE(buf->trace->dead) && !READ_ONCE(buf->retired)) {
		ret = ltt_put_state(buf, active, filter);
	} else {
		ret = -ENOENT;
		ltt_forget_own(buf);
	}
	ltt_buffer_put(buf);
	return ret;
}

/**
 * sys_ltt_switch() - close a buffer's sub-buffer and open the next
 * @buffer: its address
 *
 * With LTT_MODE_BLOCK, waits for a free sub-buffer.
 *
 * Return: 0, also when nothing was written or no sub-buffer is free (see
 * struct ltt_control, @full); -EINVAL (no buffer there); -ENOENT (its trace is
 * destroyed, or must not see the process any more); -EAGAIN (mode overwrite: an
 * event in flight lies where the next sub-buffer would be).
 */
SYSCALL_DEFINE1(ltt_switch, void __user *, buffer)
{
	struct ltt_buffer *buf = ltt_find_buffer((unsigned long)buffer);
	int ret;

	if (!buf)
		return -EINVAL;
	do {
		ret = ltt_buffer_switch(buf);
		if (!ret)
			ret = ltt_buffer_wait(buf);
	} while (ret > 0);
	ltt_buffer_put(buf);
	return ret;
}

static int ltt_check_registration(const struct ltt_registration *reg)
{
	if (reg->flags & ~LTT_REGISTER_REMOVE || reg->reserved)
		return -EINVAL;
	if (!valid_signal(reg->signal))
		return -EINVAL;
	if (reg->gate & (sizeof(struct ltt_gate) - 1))
		return -EINVAL;
	if (!reg->events != !reg->events_size)
		return -EINVAL;
	if (reg->flags & LTT_REGISTER_REMOVE && (!reg->gate || reg->events))
		return -EINVAL;
	return 0;
}

/**
 * sys_ltt_register() - give the kernel a gate, definitions, a signal number
 * @uregistration: what to register
 * @size: of that structure as the program knows it
 *
 * Return: 0; -EFAULT (an address is not readable, or the gate does not lie in
 * private writable memory); -E2BIG (non-zero bytes that this kernel does not
 * know, or definitions over LTT_MAX_DEFINITIONS); -EINVAL (unknown flag, size
 * below the first version's, no such signal, gate not aligned, events without
 * a size); -EEXIST (gate known); -ENOENT (gate to remove unknown); -ENOSPC
 * (LTT_MAX_GATES); -ENOMEM. On an error nothing has changed.
 */
SYSCALL_DEFINE2(ltt_register, const struct ltt_registration __user *,
		uregistration, size_t, size)
{
	struct ltt_registration reg;
	struct ltt_task *lt;
	int ret;

	if (size < LTT_REGISTRATION_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&reg, sizeof(reg), uregistration, size);
	if (ret)
		return ret;
	ret = ltt_check_registration(&reg);
	if (ret)
		return ret;
	lt = ltt_task_get();
	if (IS_ERR(lt))
		return PTR_ERR(lt);
	if (reg.flags & LTT_REGISTER_REMOVE)
		return ltt_process_unregister(lt->process, reg.gate);
	return ltt_process_register(lt->process, &reg);
}

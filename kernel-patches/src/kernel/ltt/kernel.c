// SPDX-License-Identifier: GPL-2.0
/*
 * Which events of the kernel a trace has, and the buffers for them.
 *
 * A trace gets a buffer of each possible processor when events are first selected,
 * so that starting it allocates nothing, and a processor that comes later finds its
 * own. A probe is attached to its tracepoint while any trace wants its event.
 */

#include <linux/capability.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "cpu.h"
#include "event.h"
#include "state.h"

/**
 * struct ltt_kernel - the events of the kernel in one trace
 * @slot: bit in ltt_wanted, index in ltt_cpus
 * @text: as it was selected, under ltt_kernel_mutex
 * @size: bytes there
 * @events: bit for each one selected; the same
 * @bufs: of the processors that can be; a reference each, under ltt_trace.lock
 * @state: of the system, told to the trace when it starts
 */
struct ltt_kernel {
	unsigned int		slot;
	char			*text;
	u32			size;
	unsigned long		*events;
	struct ltt_buffer	*bufs[NR_CPUS];
	struct ltt_state	state;
};

static DEFINE_MUTEX(ltt_kernel_mutex);
static u32 ltt_kernel_slots;

/* To whom the buffers of processors belong: it has the definitions. */
static struct ltt_process *ltt_kernel_process;

/* The processors that a reader shall look at, into the list of that. */
void ltt_kernel_collect(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;
	unsigned int i;

	/* Before they are looked at; pairs with the store in ltt_cpu_tell(). */
	if (!READ_ONCE(trace->cpus_ready) || !xchg(&trace->cpus_ready, false))
		return;
	spin_lock(&trace->lock);
	for_each_possible_cpu(i) {
		buf = trace->kernel->bufs[i];
		if (buf && xchg(&buf->cpu->ready, false) &&
		    list_empty(&buf->ready_node) && !list_empty(&buf->trace_node))
			list_add_tail(&buf->ready_node, &trace->ready);
	}
	spin_unlock(&trace->lock);
}

static bool ltt_word_matches(const char *word, size_t size, const char *name)
{
	if (word[size - 1] == '*')
		return !strncmp(word, name, size - 1);
	return strlen(name) == size && !memcmp(word, name, size);
}

/* Sets the bits of the events that @word means; false if there are none. */
static bool ltt_select_word(unsigned long *events, const char *word, size_t size)
{
	bool found = false;
	unsigned int i;

	for (i = 1; size && i < ltt_n_events; i++) {
		if (!ltt_word_matches(word, size, ltt_events[i].group) &&
		    !ltt_word_matches(word, size, ltt_events[i].name))
			continue;
		__set_bit(i, events);
		found = true;
	}
	return found;
}

/* The events that @text means. -EINVAL: the word at @bad means none. */
static int ltt_select(unsigned long *events, const char *text, u32 size, u32 *bad)
{
	u32 at, end;

	for (at = 0; size && at <= size; at = end + 1) {
		for (end = at; end < size && text[end] != ','; end++)
			;
		if (!ltt_select_word(events, text + at, end - at)) {
			*bad = at;
			return -EINVAL;
		}
	}
	return 0;
}

static void ltt_kernel_put_bufs(struct ltt_trace *trace, struct ltt_kernel *kernel)
{
	struct ltt_buffer *buf;
	unsigned int i;

	for_each_possible_cpu(i) {
		spin_lock(&trace->lock);
		buf = kernel->bufs[i];
		kernel->bufs[i] = NULL;
		spin_unlock(&trace->lock);
		if (!buf)
			continue;
		ltt_cpu_sync(buf);
		ltt_buffer_put(buf);
	}
}

static void ltt_kernel_release(struct ltt_kernel *kernel)
{
	if (!kernel)
		return;
	bitmap_free(kernel->events);
	kfree(kernel->text);
	kfree(kernel);
}

/* With all its buffers, which nobody knows. */
static struct ltt_kernel *ltt_kernel_alloc(struct ltt_trace *trace)
{
	struct ltt_kernel *kernel = kzalloc(sizeof(*kernel), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!kernel)
		return NULL;
	kernel->events = bitmap_zalloc(ltt_n_events, GFP_KERNEL_ACCOUNT);
	if (!kernel->events)
		goto free;
	for_each_possible_cpu(i) {
		kernel->bufs[i] = ltt_cpu_alloc(trace, ltt_kernel_process, i);
		if (!kernel->bufs[i])
			goto put_bufs;
	}
	return kernel;

put_bufs:
	ltt_kernel_put_bufs(trace, kernel);
free:
	ltt_kernel_release(kernel);
	return NULL;
}

/* What a trace holds of the kernel persists with its definitions, or not at all. */
static bool ltt_kernel_keep(struct ltt_trace *trace)
{
	bool kept;

	if (!ltt_persists(trace))
		return true;
	mutex_lock(&ltt_mutex);
	kept = ltt_keep_process(ltt_kernel_process);
	mutex_unlock(&ltt_mutex);
	return kept;
}

static int ltt_kernel_create(struct ltt_trace *trace)
{
	struct ltt_kernel *kernel;
	unsigned int i;

	lockdep_assert_held(&ltt_kernel_mutex);
	if (trace->kernel)
		return 0;
	if (!ltt_kernel_process)
		return -ENOMEM;
	/* Traces that are just being destroyed have theirs still. */
	if (ltt_kernel_slots == U32_MAX)
		return -ENOSPC;
	kernel = ltt_kernel_keep(trace) ? ltt_kernel_alloc(trace) : NULL;
	if (!kernel)
		return -ENOMEM;
	kernel->slot = ffz(ltt_kernel_slots);
	ltt_kernel_slots |= BIT(kernel->slot);
	ltt_state_init(&kernel->state, trace, BIT(kernel->slot));
	/* Pairs with the load in ltt_kernel_started(). */
	smp_store_release(&trace->kernel, kernel);
	for_each_possible_cpu(i) {
		struct ltt_buffer *buf = kernel->bufs[i];

		/* The trace is alive: ltt_kernel_detach() waits for our mutex. */
		ltt_buffer_list(buf);
		ltt_dump_show_store(buf);
		per_cpu(ltt_cpus[kernel->slot], i) = buf->cpu;
	}
	/* Pairs with the order of loads in probes: these have a buffer. */
	smp_wmb();
	return 0;
}

static int ltt_event_attach(unsigned int i)
{
	struct ltt_tap *tap = ltt_events[i].tap;
	int ret = 0;

	if (!tap->users && tap->attach)
		ret = tap->attach();
	if (!ret)
		tap->users++;
	return ret;
}

static void ltt_event_detach(unsigned int i)
{
	struct ltt_tap *tap = ltt_events[i].tap;

	if (!--tap->users && tap->detach)
		tap->detach();
}

/* Changes the events of @kernel to @events, or nothing. */
static int ltt_kernel_apply(struct ltt_kernel *kernel, const unsigned long *events)
{
	const u32 bit = BIT(kernel->slot);
	unsigned int i, failed;
	int ret;

	lockdep_assert_held(&ltt_kernel_mutex);
	for_each_andnot_bit(i, events, kernel->events, ltt_n_events) {
		ret = ltt_event_attach(i);
		if (ret)
			goto undo;
	}
	for (i = 1; i < ltt_n_events; i++) {
		bool was = test_bit(i, kernel->events), is = test_bit(i, events);

		if (is && !was)
			WRITE_ONCE(ltt_wanted[i], ltt_wanted[i] | bit);
		if (was && !is) {
			WRITE_ONCE(ltt_wanted[i], ltt_wanted[i] & ~bit);
			ltt_event_detach(i);
		}
	}
	bitmap_copy(kernel->events, events, ltt_n_events);
	return 0;

undo:
	failed = i;
	for_each_andnot_bit(i, events, kernel->events, failed)
		ltt_event_detach(i);
	return ret;
}

static int ltt_kernel_set(struct ltt_trace *trace, const char *text, u32 size,
			  const unsigned long *events)
{
	bool told;
	char *copy;
	int ret;

	lockdep_assert_held(&ltt_kernel_mutex);
	if (trace->kernel_closed)
		return -ENOENT;
	if (!size && !trace->kernel)
		return 0;
	ret = ltt_kernel_create(trace);
	if (ret)
		return ret;
	copy = kmemdup(text, size, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return -ENOMEM;
	told = ltt_state_is_wanted(&trace->kernel->state);
	ret = ltt_kernel_apply(trace->kernel, events);
	if (ret) {
		kfree(copy);
		return ret;
	}
	/* Either this sees that the trace is active, or its start what it wants. */
	smp_mb();
	if (!told)
		ltt_state_tell(&trace->kernel->state);
	kfree(trace->kernel->text);
	trace->kernel->text = copy;
	trace->kernel->size = size;
	return 0;
}

/**
 * ltt_kernel_select() - which events of the kernel a trace has from now on
 * @trace: of the whole system
 * @text: see struct ltt_kernel_events
 * @size: bytes there
 * @bad: offset of the word that means no event
 *
 * Return: 0, or -EINVAL with @bad set, -ENOENT (destroyed), -ENOMEM (also over the
 * limits of its memory), -ENOSPC (as many traces have events of the kernel as can);
 * then nothing has changed.
 */
int ltt_kernel_select(struct ltt_trace *trace, const char *text, u32 size,
		      u32 *bad)
{
	unsigned long *events = bitmap_zalloc(ltt_n_events, GFP_KERNEL);
	int ret;

	if (!events)
		return -ENOMEM;
	ret = ltt_select(events, text, size, bad);
	if (!ret) {
		mutex_lock(&ltt_kernel_mutex);
		ret = ltt_kernel_set(trace, text, size, events);
		mutex_unlock(&ltt_kernel_mutex);
	}
	bitmap_free(events);
	return ret;
}

/* A trace was made active. Under ltt_mutex. */
void ltt_kernel_started(struct ltt_trace *trace)
{
	struct ltt_kernel *kernel;

	smp_mb(); /* see ltt_kernel_set() */
	kernel = smp_load_acquire(&trace->kernel);
	if (kernel)
		ltt_state_tell(&kernel->state);
}

/* What happens in the kernel is everybody's: see LTT_TRACE_SYSTEM. */
static bool ltt_kernel_may_see(const struct ltt_trace *trace)
{
	return perfmon_capable() && trace->flags & LTT_TRACE_SYSTEM;
}

long ltt_ioc_kernel(struct ltt_trace *trace, void __user *arg)
{
	struct ltt_kernel_events request;
	u32 bad = 0;
	char *text;
	int ret;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	if (request.size > LTT_MAX_KERNEL_EVENTS)
		return -E2BIG;
	if (!ltt_kernel_may_see(trace))
		return -EPERM;
	text = memdup_user(u64_to_user_ptr(request.text), request.size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = ltt_kernel_select(trace, text, request.size, &bad);
	kfree(text);
	if (ret == -EINVAL &&
	    put_user(bad, &((struct ltt_kernel_events __user *)arg)->bad))
		return -EFAULT;
	return ret;
}

long ltt_ioc_get_kernel(struct ltt_trace *trace, void __user *arg)
{
	struct ltt_kernel_events request;
	char *text = NULL;
	u32 size = 0;
	long ret = 0;

	if (copy_from_user(&request, arg, sizeof(request)))
		return -EFAULT;
	mutex_lock(&ltt_kernel_mutex);
	if (trace->kernel) {
		size = trace->kernel->size;
		text = kmemdup(trace->kernel->text, size, GFP_KERNEL);
		if (!text)
			ret = -ENOMEM;
	}
	mutex_unlock(&ltt_kernel_mutex);
	if (!ret && (put_user(size, &((struct ltt_kernel_events __user *)arg)->size) ||
		     (size && copy_to_user(u64_to_user_ptr(request.text), text,
					   min(size, request.size)))))
		ret = -EFAULT;
	kfree(text);
	return ret;
}

/**
 * ltt_kernel_detach() - no event of the kernel goes into a trace any more
 * @trace: about to be destroyed; more than once is fine
 *
 * Sleeps until the probes that are at work are done, so that what the buffers of
 * the processors hold is all there will be.
 */
void ltt_kernel_detach(struct ltt_trace *trace)
{
	struct ltt_kernel *kernel;
	unsigned int i;

	mutex_lock(&ltt_kernel_mutex);
	kernel = trace->kernel;
	if (trace->kernel_closed || !kernel)
		goto out;
	for_each_set_bit(i, kernel->events, ltt_n_events) {
		WRITE_ONCE(ltt_wanted[i], ltt_wanted[i] & ~BIT(kernel->slot));
		ltt_event_detach(i);
	}
	bitmap_zero(kernel->events, ltt_n_events);
	ltt_state_end(&kernel->state);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(i)
		per_cpu(ltt_cpus[kernel->slot], i) = NULL;
	ltt_kernel_slots &= ~BIT(kernel->slot);
	ltt_kernel_put_bufs(trace, kernel);
out:
	trace->kernel_closed = true;
	mutex_unlock(&ltt_kernel_mutex);
}

void ltt_kernel_free(struct ltt_trace *trace)
{
	ltt_kernel_release(trace->kernel);
}

/* Before the trace of the command line. */
static int __init ltt_kernel_init(void)
{
	struct ltt_process *process = kzalloc(sizeof(*process), GFP_KERNEL);

	if (!process)
		return -ENOMEM;
	process->id = LTT_PROCESS_KERNEL;
	kref_init(&process->kref);
	if (ltt_kernel_define(process)) {
		pr_err("ltt: no memory for definitions, so no events of the kernel\n");
		return -ENOMEM;
	}
	ltt_kernel_process = process;
	return 0;
}
core_initcall(ltt_kernel_init);

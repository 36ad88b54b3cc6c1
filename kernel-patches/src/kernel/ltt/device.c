// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/ltt and the descriptors of traces.
 *
 * Any user may trace its own processes; all processes of the system need
 * CAP_PERFMON or CAP_SYS_ADMIN. Traces of others do not exist for a user.
 */

#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/miscdevice.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "internal.h"

static const struct file_operations ltt_trace_fops;

static bool ltt_may_use(const struct ltt_trace *trace)
{
	const struct cred *owner = trace->cred;

	if (perfmon_capable())
		return true;
	/* Else one has to be able to see whatever the owner can. */
	return !(trace->flags & LTT_TRACE_SYSTEM) &&
	       owner->user_ns == current_user_ns() &&
	       uid_eq(owner->euid, current_euid()) &&
	       gid_eq(owner->egid, current_egid()) &&
	       cap_issubset(owner->cap_permitted,
			    current_cred()->cap_permitted);
}

/* Nobody can read what a destroyed trace left any more. */
static void ltt_drop_all(struct ltt_trace *trace)
{
	struct ltt_buffer *buf;

	for (;;) {
		spin_lock(&trace->lock);
		buf = list_first_entry_or_null(&trace->buffers,
					       struct ltt_buffer, trace_node);
		if (buf)
			ltt_buffer_get(buf);
		spin_unlock(&trace->lock);
		if (!buf)
			return;
		ltt_buffer_drop(buf);
		ltt_buffer_put(buf);
	}
}

static void ltt_reader_gone(struct ltt_trace *trace)
{
	if (atomic_dec_and_test(&trace->readers) && READ_ONCE(trace->dead))
		ltt_drop_all(trace);
}

/*
 * A descriptor of @trace. The caller counted it among the readers when it knew
 * that the trace is alive or has another: what is left is never dropped under it.
 */
static int ltt_open_trace(struct ltt_trace *trace, bool snapshot)
{
	struct ltt_reader *reader = kzalloc(sizeof(*reader),
					    GFP_KERNEL_ACCOUNT);
	int fd;

	if (!reader) {
		ltt_reader_gone(trace);
		return -ENOMEM;
	}
	kref_get(&trace->kref);
	reader->trace = trace;
	xa_init(&reader->definitions);
	if (snapshot)
		ltt_snapshot_begin(reader);
	fd = anon_inode_getfd("[ltt]", &ltt_trace_fops, reader,
			      O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ltt_reader_gone(trace);
		ltt_trace_put(trace);
		kfree(reader);
	}
	return fd;
}

static int ltt_trace_release(struct inode *inode, struct file *file)
{
	struct ltt_reader *reader = file->private_data;

	ltt_reader_gone(reader->trace);
	xa_destroy(&reader->definitions);
	ltt_trace_put(reader->trace);
	kfree(reader);
	return 0;
}

static ssize_t ltt_trace_read(struct file *file, char __user *to, size_t size,
			      loff_t *pos)
{
	struct ltt_reader *reader = file->private_data;

	if (reader->snapshot)
		return ltt_snapshot_read(reader, to, size);
	return ltt_read(reader, to, size, file->f_flags & O_NONBLOCK);
}

static __poll_t ltt_trace_poll(struct file *file, poll_table *wait)
{
	struct ltt_reader *reader = file->private_data;
	struct ltt_trace *trace = reader->trace;
	__poll_t mask = 0;

	if (reader->snapshot)
		return EPOLLIN | EPOLLRDNORM;
	poll_wait(file, &trace->wait, wait);
	if (ltt_has_ready(trace))
		mask |= EPOLLIN | EPOLLRDNORM;
	else if (READ_ONCE(trace->sealed))
		mask |= EPOLLHUP;
	return mask;
}

static void ltt_count_buffers(struct ltt_trace *trace,
			      struct ltt_trace_info *info)
{
	struct ltt_buffer *buf;

	info->lost = atomic64_read(&trace->lost);
	info->overwritten = atomic64_read(&trace->overwritten);
	spin_lock(&trace->lock);
	info->pool = (u64)trace->subbuf_size * trace->n_subbufs * trace->n_pool;
	list_for_each_entry(buf, &trace->buffers, trace_node) {
		const struct ltt_control *control = ltt_cpu_control(buf);

		info->buffers++;
		info->lost += control ?
			      READ_ONCE(control->lost) +
			      READ_ONCE(control->too_big) :
			      READ_ONCE(buf->packet.lost) +
			      READ_ONCE(buf->packet.too_big);
		info->overwritten += READ_ONCE(buf->packet.overwritten);
	}
	spin_unlock(&trace->lock);
}

static void ltt_fill_info(struct ltt_trace *trace, struct ltt_trace_info *info)
{
	const struct ltt_trace_page *page = trace->page;
	struct ltt_clocks clocks;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->trace = trace->slot;
	info->flags = trace->flags;
	info->active = READ_ONCE(page->active);
	info->filter = READ_ONCE(page->filter);
	info->mode = page->mode;
	info->subbuf_size = page->subbuf_size;
	info->n_subbufs = page->n_subbufs;
	info->uid = from_kuid_munged(current_user_ns(), trace->cred->euid);
	info->refused = atomic64_read(&trace->refused);
	info->memory = atomic64_read(&trace->memory);
	info->clock = page->clock;
	info->contexts = page->contexts;
	info->clock_freq = ltt_clock_freq(page->clock);
	info->timeout_us = trace->timeout_us;
	info->n_targets = trace->limits ? trace->limits->n : 0;
	info->max_memory = trace->max_memory;
	strscpy(info->name, trace->name, sizeof(info->name));
	ltt_count_buffers(trace, info);
	ltt_clock_read(page->clock, &clocks);
	info->clock_now = clocks.now;
	info->monotonic_ns = clocks.monotonic_ns;
	info->realtime_ns = clocks.realtime_ns;
}

/* @only, or for NULL the first trace from the caller's slot on. */
static long ltt_ioc_info(struct ltt_trace *only, void __user *arg)
{
	struct ltt_trace_info info;
	struct ltt_trace *trace = only;
	u32 i;

	if (copy_from_user(&info, arg, offsetofend(struct ltt_trace_info,
						   trace)))
		return -EFAULT;
	if (info.size != sizeof(info))
		return -EINVAL;
	if (only) {
		ltt_fill_info(only, &info);
		return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
	}
	mutex_lock(&ltt_mutex);
	for (i = info.trace; i < LTT_MAX_TRACES && !trace; i++)
		if (ltt_traces[i] && ltt_may_use(ltt_traces[i]))
			trace = ltt_traces[i];
	if (trace)
		ltt_fill_info(trace, &info);
	mutex_unlock(&ltt_mutex);
	if (!trace)
		return -ENOENT;
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ltt_ioc_create(const void __user *arg)
{
	struct ltt_trace_params params;
	struct ltt_limits *limits;
	struct ltt_trace *trace;
	long fd;

	if (copy_from_user(&params, arg, sizeof(params)))
		return -EFAULT;
	if (params.size != sizeof(params) || params.flags & ~(LTT_TRACE_SYSTEM | LTT_TRACE_PERSIST))
		return -EINVAL;
	if (params.flags && !perfmon_capable())
		return -EPERM;
	limits = ltt_limits_get(&params);
	if (IS_ERR(limits))
		return PTR_ERR(limits);
	trace = ltt_trace_create(&params, limits, 0, false);
	if (IS_ERR(trace)) {
		ltt_limits_free(limits);
		return PTR_ERR(trace);
	}
	atomic_inc(&trace->readers);
	fd = ltt_open_trace(trace, false);
	if (fd < 0)
		ltt_trace_destroy(trace);
	ltt_reader_gone(trace);
	ltt_trace_put(trace);
	return fd;
}

static long ltt_ioc_open(const void __user *arg)
{
	struct ltt_trace *trace = NULL;
	struct ltt_trace_name name;
	long fd;
	int i;

	if (copy_from_user(&name, arg, sizeof(name)))
		return -EFAULT;
	if (strnlen(name.name, sizeof(name.name)) == sizeof(name.name))
		return -EINVAL;
	mutex_lock(&ltt_mutex);
	for (i = 0; i < LTT_MAX_TRACES && !trace; i++)
		if (ltt_traces[i] && ltt_may_use(ltt_traces[i]) &&
		    !strcmp(ltt_traces[i]->name, name.name))
			trace = ltt_traces[i];
	if (trace) {
		kref_get(&trace->kref);
		atomic_inc(&trace->readers);
	}
	mutex_unlock(&ltt_mutex);
	if (!trace)
		return -ENOENT;
	fd = ltt_open_trace(trace, false);
	ltt_trace_put(trace);
	return fd;
}

static long ltt_device_ioctl(struct file *file, unsigned int cmd,
			     unsigned long arg)
{
	void __user *to = (void __user *)arg;

	switch (cmd) {
	case LTT_IOC_VERSION:
		return put_user(LTT_ABI_VERSION, (u32 __user *)to);
	case LTT_IOC_CREATE:
		return ltt_ioc_create(to);
	case LTT_IOC_OPEN:
		return ltt_ioc_open(to);
	case LTT_IOC_INFO:
		return ltt_ioc_info(NULL, to);
	case LTT_IOC_PREVIOUS:
		return ltt_ioc_previous();
	}
	return -ENOTTY;
}

/* The requests that change a trace. */
static long ltt_trace_change(struct ltt_trace *trace, unsigned int cmd,
			     u32 filter)
{
	long ret = 0;

	mutex_lock(&ltt_mutex);
	if (trace->dead)
		ret = -ENOENT;
	else if (cmd == LTT_IOC_FILTER)
		ltt_trace_set_filter(trace, filter);
	else
		ltt_trace_set_active(trace, cmd == LTT_IOC_START);
	mutex_unlock(&ltt_mutex);
	if (!ret && cmd == LTT_IOC_STOP)
		ltt_trace_flush(trace);
	return ret;
}

static long ltt_trace_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct ltt_reader *reader = file->private_data;
	struct ltt_trace *trace = reader->trace;
	void __user *to = (void __user *)arg;
	u32 filter = 0;

	switch (cmd) {
	case LTT_IOC_INFO:
		return ltt_ioc_info(trace, to);
	case LTT_IOC_FILTER:
		if (get_user(filter, (u32 __user *)to))
			return -EFAULT;
		fallthrough;
	case LTT_IOC_START:
	case LTT_IOC_STOP:
		return ltt_trace_change(trace, cmd, filter);
	case LTT_IOC_RULES:
		return ltt_ioc_rules(trace, to);
	case LTT_IOC_GET_RULES:
		return ltt_ioc_get_rules(trace, to);
	case LTT_IOC_KERNEL:
		return ltt_ioc_kernel(trace, to);
	case LTT_IOC_GET_KERNEL:
		return ltt_ioc_get_kernel(trace, to);
	case LTT_IOC_FLUSH:
		ltt_trace_flush(trace);
		return 0;
	case LTT_IOC_DESTROY:
		return ltt_trace_destroy(trace);
	case LTT_IOC_SNAPSHOT:
		atomic_inc(&trace->readers);
		return ltt_open_trace(trace, true);
	}
	return -ENOTTY;
}

static const struct file_operations ltt_trace_fops = {
	.owner		= THIS_MODULE,
	.release	= ltt_trace_release,
	.read		= ltt_trace_read,
	.poll		= ltt_trace_poll,
	.unlocked_ioctl	= ltt_trace_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static const struct file_operations ltt_device_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= ltt_device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice ltt_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ltt",
	.fops	= &ltt_device_fops,
	.mode	= 0666,
};

static int __init ltt_device_init(void)
{
	return misc_register(&ltt_device);
}
device_initcall(ltt_device_init);

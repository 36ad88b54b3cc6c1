/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the kernel, as the rest of the facility sees them: what a trace has of
 * them, and the buffers of processors, which stand in its lists beside those of
 * threads. Nothing of it is left without CONFIG_LTT_KERNEL_EVENTS.
 */
#ifndef _LTT_KERNEL_EVENTS_H
#define _LTT_KERNEL_EVENTS_H

#ifdef CONFIG_LTT_KERNEL_EVENTS

/* cpu.c */
struct ltt_buffer *ltt_cpu_alloc(struct ltt_trace *trace,
				 struct ltt_process *process,
				 unsigned int number);
void ltt_cpu_sync(struct ltt_buffer *buf);
bool ltt_cpu_lapped(const struct ltt_buffer *buf, u64 position);
bool ltt_cpu_find(struct ltt_buffer *buf, u64 from, bool open,
		  struct ltt_range *range, const u8 **data);
bool ltt_cpu_next(struct ltt_buffer *buf, struct ltt_range *range,
		  const u8 **data);
void ltt_cpu_consume(struct ltt_buffer *buf, const struct ltt_range *range);
bool ltt_cpu_is_last(const struct ltt_buffer *buf);
bool ltt_cpu_is_open(const struct ltt_buffer *buf);
void ltt_cpu_update_packet(struct ltt_buffer *buf);
void ltt_cpu_seal(struct ltt_buffer *buf);
const struct ltt_control *ltt_cpu_control(const struct ltt_buffer *buf);

/* kernel.c */
int ltt_kernel_select(struct ltt_trace *trace, const char *text, u32 size,
		      u32 *bad);
long ltt_ioc_kernel(struct ltt_trace *trace, void __user *arg);
long ltt_ioc_get_kernel(struct ltt_trace *trace, void __user *arg);
void ltt_kernel_started(struct ltt_trace *trace);
void ltt_kernel_detach(struct ltt_trace *trace);
void ltt_kernel_free(struct ltt_trace *trace);
void ltt_kernel_collect(struct ltt_trace *trace);

static inline bool ltt_is_cpu(const struct ltt_buffer *buf)
{
	return buf->cpu;
}

#else /* CONFIG_LTT_KERNEL_EVENTS */

static inline bool ltt_is_cpu(const struct ltt_buffer *buf)
{
	return false;
}

static inline bool ltt_cpu_lapped(const struct ltt_buffer *buf, u64 position)
{
	return false;
}

static inline bool ltt_cpu_find(struct ltt_buffer *buf, u64 from, bool open,
				struct ltt_range *range, const u8 **data)
{
	return false;
}

static inline bool ltt_cpu_next(struct ltt_buffer *buf, struct ltt_range *range,
				const u8 **data)
{
	return false;
}

static inline void ltt_cpu_consume(struct ltt_buffer *buf,
				   const struct ltt_range *range) {}

static inline bool ltt_cpu_is_last(const struct ltt_buffer *buf)
{
	return false;
}

static inline bool ltt_cpu_is_open(const struct ltt_buffer *buf)
{
	return false;
}

static inline void ltt_cpu_update_packet(struct ltt_buffer *buf) {}
static inline void ltt_cpu_seal(struct ltt_buffer *buf) {}

static inline const struct ltt_control *
ltt_cpu_control(const struct ltt_buffer *buf)
{
	return NULL;
}

static inline int ltt_kernel_select(struct ltt_trace *trace, const char *text,
				    u32 size, u32 *bad)
{
	return -EOPNOTSUPP;
}

static inline long ltt_ioc_kernel(struct ltt_trace *trace, void __user *arg)
{
	return -EOPNOTSUPP;
}

static inline long ltt_ioc_get_kernel(struct ltt_trace *trace, void __user *arg)
{
	return -EOPNOTSUPP;
}

static inline void ltt_kernel_started(struct ltt_trace *trace) {}
static inline void ltt_kernel_detach(struct ltt_trace *trace) {}
static inline void ltt_kernel_free(struct ltt_trace *trace) {}

static inline void ltt_kernel_collect(struct ltt_trace *trace) {}

#endif /* CONFIG_LTT_KERNEL_EVENTS */

#endif /* _LTT_KERNEL_EVENTS_H */

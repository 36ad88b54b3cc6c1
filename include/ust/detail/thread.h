// SPDX-License-Identifier: MIT
//
// What a thread knows: its buffers, and how fresh that knowledge is.
#ifndef UST_DETAIL_THREAD_H
#define UST_DETAIL_THREAD_H

#include "buffer.h"
#include "process.h"

#include <errno.h>
#include <sys/mman.h>

UST_DETAIL_C_BEGIN

// The buffers of a thread form a list. Its links lie in the control pages,
// where a forked child finds them again although its buffers are new. The link
// of the last one is never looked at: a buffer costs memory from the first
// touch of its control page on, and most threads have one and write nothing.
struct ust_thread {
	ust_buffer *first;
	ust_buffer *last;
	// 1 << 32 | generation of the gate at the last update; 0: never updated.
	uint64_t seen;
	// Markers in flight: handlers nest them.
	uint32_t markers;
	// An update is running; a handler that interrupts it sets again instead.
	uint32_t updating;
	uint32_t again;
	// Generation of the gate for which fast is right; 0: for none.
	uint32_t fast_generation;
	// The only buffer that an event may go to, if the fast path serves for it.
	// Otherwise one that is never active.
	ust_buffer *fast;
	// Not 0 as soon as the C library has filled thread-local storage.
	uint32_t filled;
};
UST_DETAIL_ASSERT(sizeof(struct ust_thread) <= 64, "static TLS is scarce in loaded libraries");
UST_DETAIL_ASSERT(
	sizeof(struct ust_thread) == 3 * sizeof(ust_buffer *) + 32 && UST_DETAIL_STATE_VERSION == 2,
	"what objects share has changed: raise UST_DETAIL_STATE_VERSION");

// One for the whole program, whichever of its objects holds the marker, because
// the kernel gives each buffer out once: that of the object which registered
// first, at this distance from one's own. initial-exec, because the general
// model may allocate, which a signal handler must not.
UST_DETAIL_C_VARIABLE __thread struct ust_thread ust_own_thread
	__attribute__((tls_model("initial-exec"))) = {NULL, NULL, 0, 0, 0, 0, 0, NULL, 1};
// Of the one that all use, from the thread pointer on. Known once registered.
UST_DETAIL_C_VARIABLE intptr_t ust_thread_distance = 0;
// The state of the whole program, as soon as that is known.
UST_DETAIL_C_VARIABLE struct ust_process *ust_shared_process = NULL;

// The address is computed once and then hidden: compilers prefer to compute it for each
// access.
UST_DETAIL_C_INLINE struct ust_thread *ust_current_thread(void)
{
	intptr_t thread = ust_thread_pointer() + ust_load(&ust_thread_distance);
	__asm__("" : "+r"(thread));
	return (struct ust_thread *)thread;
}

// False in the resolvers of indirect functions: there is no thread-local storage yet, or
// one that the C library is still to fill, and what a marker kept there would be gone.
UST_DETAIL_C_HELPER bool ust_has_thread_state(void)
{
	return ust_has_thread_pointer() && ust_load(&ust_own_thread.filled);
}

// Agrees with the other objects of the program on whose thread state to use.
UST_DETAIL_C_HELPER void ust_share_thread_state(struct ust_process *process)
{
	if (!process->thread_distance)
		process->thread_distance = (intptr_t)&ust_own_thread - ust_thread_pointer();
	ust_store(&ust_thread_distance, process->thread_distance);
	ust_store(&ust_shared_process, process);
}

// In ust_thread.seen: the last update left something to do; the next marker
// looks again.
#define UST_DETAIL_LOOK_AGAIN ((uint64_t)2 << 32)

UST_DETAIL_C_HELPER uint64_t ust_seen_of(const struct ltt_gate *gate)
{
	return (uint64_t)1 << 32 | ust_load(&gate->generation);
}

UST_DETAIL_C_INLINE ust_buffer *ust_next_of(const struct ust_thread *thread, ust_buffer *b)
{
	if (b == ust_load(&thread->last))
		return NULL;
	return (ust_buffer *)(uintptr_t)ust_load(&ust_control_of(b)->user[UST_DETAIL_NEXT]);
}

UST_DETAIL_C_HELPER void ust_set_next(ust_buffer *b, ust_buffer *next)
{
	ust_store(&ust_control_of(b)->user[UST_DETAIL_NEXT], (uintptr_t)next);
}

// A marker that this interrupts, or that interrupts this, walks a whole list.
UST_DETAIL_C_HELPER void ust_append(struct ust_thread *thread, ust_buffer *b)
{
	if (thread->last) {
		ust_set_next(thread->last, b);
		ust_order();
		ust_store(&thread->last, b);
	} else {
		ust_store(&thread->last, b);
		ust_order();
		ust_store(&thread->first, b);
	}
	ust_order();
}

// Only where no marker walks the list below. previous is before b, or null.
UST_DETAIL_C_HELPER void ust_remove(struct ust_thread *thread, ust_buffer *previous, ust_buffer *b)
{
	ust_buffer *const next = ust_next_of(thread, b);

	if (!previous)
		ust_store(&thread->first, next);
	else if (next)
		ust_set_next(previous, next);
	ust_order();
	if (!next)
		ust_store(&thread->last, previous);
	ust_order();
}

// The system call, for the buffer *b or, if that is null, for the next new one.
// Returns 0 or -errno.
UST_DETAIL_C_HELPER long ust_update_buffer(ust_buffer **b)
{
	int active, filter;
	return ust_kernel_call(LTT_NR_update, (long)b, (long)&active, (long)&filter);
}

// Adds the buffers that the kernel has for this thread, but for those of a newer kernel
// that must not be used as this description says. Returns false if it should be asked
// again at the next marker: a child of vfork() gets none, and what it learns is its
// parent's knowledge afterwards, who would ask no more.
UST_DETAIL_C_HELPER bool ust_map_new_buffers(struct ust_thread *thread)
{
	bool foreign = false;

	for (;;) {
		ust_buffer *b = NULL;
		const long error = ust_update_buffer(&b);

		if (error)
			return error != -EAGAIN;
		if (!b)
			return foreign || ust_load(&thread->first) != NULL;
		if (ust_load(&b->compat) > LTT_ABI_VERSION ||
			(ust_load(&b->contexts) & LTT_CONTEXTS_IN_EVENT & ~LTT_CONTEXTS_KNOWN))
			foreign = true;
		else
			ust_append(thread, b);
	}
}

// Unmaps the buffers of traces that are gone, unless a marker is in flight
// below a signal handler: it may be walking the list. Returns false if one had
// to stay.
UST_DETAIL_C_HELPER bool ust_drop_dead_buffers(struct ust_thread *thread)
{
	bool all = true;
	ust_buffer *previous = NULL;

	for (ust_buffer *b = thread->first, *next; b; b = next) {
		next = ust_next_of(thread, b);
		if (!ust_load(&b->active)) {
			ust_buffer *same = b;
			const long error = ust_update_buffer(&same);
			const bool gone = error == -ENOENT || error == -EINVAL;

			if (gone && !thread->markers) {
				const size_t size =
					ust_load(&b->data_offset) +
					(size_t)ust_load(&b->subbuf_size) * ust_load(&b->n_subbufs);
				ust_remove(thread, previous, b);
				munmap(b, size);
				continue;
			}
			all = all && !gone;
		}
		previous = b;
	}
	return all;
}

// Where the parts of a mapping lie if the fast path serves for it.
enum {
	UST_DETAIL_FAST_CONTROL = 4096,
	UST_DETAIL_FAST_DATA = 8192
};

// Is never active.
UST_DETAIL_C_VARIABLE ust_buffer ust_no_buffer;

// Forgets the buffer of the fast path, before anything changes about buffers.
UST_DETAIL_C_HELPER void ust_forget_fast(struct ust_thread *thread)
{
	ust_store(&thread->fast_generation, 0);
	ust_store(&thread->fast, &ust_no_buffer);
	ust_order();
}

// Chooses it: if of the thread's buffers one is active, and has the usual clock, no
// contexts and the usual places. And all that the gate lets through, mask, is its: there may be a
// trace that the thread got no buffer of.
UST_DETAIL_C_HELPER void ust_choose_fast(
	struct ust_thread *thread, uint32_t generation, uint32_t mask)
{
	ust_buffer *only = NULL;

	for (ust_buffer *b = thread->first; b; b = ust_next_of(thread, b)) {
		if (!ust_load(&b->active))
			continue;
		if (only || ust_load(&b->clock) != LTT_CLOCK_TSC ||
			(ust_load(&b->contexts) & LTT_CONTEXTS_IN_EVENT) ||
			ust_load(&b->control_offset) != UST_DETAIL_FAST_CONTROL ||
			ust_load(&b->data_offset) != UST_DETAIL_FAST_DATA)
			return;
		only = b;
	}
	if (!only || (mask & ~ust_load(&only->filter)))
		return;
	ust_store(&thread->fast, only);
	ust_order();
	ust_store(&thread->fast_generation, generation);
}

UST_DETAIL_C_END

#endif // UST_DETAIL_THREAD_H

// SPDX-License-Identifier: MIT
//
// What a thread knows: its buffers, and how fresh that knowledge is.
#ifndef UST_DETAIL_THREAD_H
#define UST_DETAIL_THREAD_H

#include "buffer.h"
#include "process.h"

#include <cerrno>
#include <sys/mman.h>

UST_DETAIL_BEGIN

// The buffers of a thread form a list. Its links lie in the control pages,
// where a forked child finds them again although its buffers are new. The link
// of the last one is never looked at: a buffer costs memory from the first
// touch of its control page on, and most threads have one and write nothing.
struct thread_state {
	buffer *first = nullptr;
	buffer *last = nullptr;
	// 1 << 32 | generation of the gate at the last update; 0: never updated.
	std::uint64_t seen = 0;
	// Markers in flight: handlers nest them.
	std::uint32_t markers = 0;
	// An update is running; a handler that interrupts it sets again instead.
	std::uint32_t updating = 0;
	std::uint32_t again = 0;
};
static_assert(sizeof(thread_state) <= 64, "static TLS is scarce in loaded libraries");

// One for the whole program, whichever of its objects holds the marker, because
// the kernel gives each buffer out once: that of the object which registered
// first, at this distance from one's own. initial-exec, because the general
// model may allocate, which a signal handler must not.
inline thread_local thread_state own_thread
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
inline std::intptr_t thread_distance UST_DETAIL_HIDDEN = 0;

// The address is computed once and then hidden: compilers prefer to compute it
// for each access, and the check of -fsanitize=null for it goes wrong where the
// linker replaces the addition by one that sets no flags.
UST_DETAIL_INLINE thread_state &current_thread() noexcept
{
	std::intptr_t thread = reinterpret_cast<std::intptr_t>(&own_thread) + load(thread_distance);
	asm("" : "+r"(thread));
	return *reinterpret_cast<thread_state *>(thread);
}

// Agrees with the other objects of the program on whose thread state to use.
inline void share_thread_state(process_state &process) noexcept
{
	const std::intptr_t own = reinterpret_cast<std::intptr_t>(&own_thread) -
				  static_cast<std::intptr_t>(pthread_self());

	if (!process.thread_distance)
		process.thread_distance = own;
	store(thread_distance, process.thread_distance - own);
}

// In thread_state.seen: the last update left something to do; the next marker
// looks again.
constexpr std::uint64_t LOOK_AGAIN = std::uint64_t{2} << 32;

inline std::uint64_t seen_of(const ltt_gate &gate) noexcept
{
	return std::uint64_t{1} << 32 | load(gate.generation);
}

UST_DETAIL_INLINE buffer *next_of(const thread_state &thread, buffer *b) noexcept
{
	if (b == load(thread.last))
		return nullptr;
	return reinterpret_cast<buffer *>(
		static_cast<std::uintptr_t>(load(control_of(b).user[NEXT])));
}

inline void set_next(buffer *b, buffer *next) noexcept
{
	store(control_of(b).user[NEXT], reinterpret_cast<std::uintptr_t>(next));
}

// A marker that this interrupts, or that interrupts this, walks a whole list.
inline void append(thread_state &thread, buffer *b) noexcept
{
	if (thread.last) {
		set_next(thread.last, b);
		order();
		store(thread.last, b);
	} else {
		store(thread.last, b);
		order();
		store(thread.first, b);
	}
	order();
}

// Only where no marker walks the list below. previous is before b, or nullptr.
inline void remove(thread_state &thread, buffer *previous, buffer *b) noexcept
{
	buffer *const next = next_of(thread, b);

	if (!previous)
		store(thread.first, next);
	else if (next)
		set_next(previous, next);
	order();
	if (!next)
		store(thread.last, previous);
	order();
}

// The system call, for one buffer or, with nullptr, for the next new one.
// Returns 0 or -errno.
inline long update_buffer(buffer *&b) noexcept
{
	int active, filter;
	return ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&b),
		reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter));
}

// Adds the buffers that the kernel has for this thread. Returns false if it
// should be asked again at the next marker: a child of vfork() gets none, and
// what it learns is its parent's knowledge afterwards, who would ask no more.
inline bool map_new_buffers(thread_state &thread) noexcept
{
	for (;;) {
		buffer *b = nullptr;
		const long error = update_buffer(b);

		if (error)
			return error != -EAGAIN;
		if (!b)
			return load(thread.first) != nullptr;
		append(thread, b);
	}
}

// Unmaps the buffers of traces that are gone, unless a marker is in flight
// below a signal handler: it may be walking the list. Returns false if one had
// to stay.
inline bool drop_dead_buffers(thread_state &thread) noexcept
{
	bool all = true;
	buffer *previous = nullptr;

	for (buffer *b = thread.first, *next; b; b = next) {
		next = next_of(thread, b);
		if (!load(b->active)) {
			buffer *same = b;
			const long error = update_buffer(same);
			const bool gone = error == -ENOENT || error == -EINVAL;

			if (gone && !thread.markers) {
				const std::size_t size =
					load(b->data_offset) +
					std::size_t{load(b->subbuf_size)} * load(b->n_subbufs);
				remove(thread, previous, b);
				munmap(b, size);
				continue;
			}
			all = all && !gone;
		}
		previous = b;
	}
	return all;
}

UST_DETAIL_END

#endif // UST_DETAIL_THREAD_H

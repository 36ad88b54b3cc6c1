// SPDX-License-Identifier: MIT
//
// What a thread knows: its buffers, and how fresh that knowledge is.
#ifndef UST_DETAIL_THREAD_H
#define UST_DETAIL_THREAD_H

#include "buffer.h"

namespace ust {
namespace detail UST_DETAIL_HIDDEN {

struct thread_state {
	buffer *first = nullptr;
	// 1 << 32 | generation of the gate at the last update; 0: never updated.
	std::uint64_t seen = 0;
	// Markers in flight: handlers nest them.
	std::uint32_t markers = 0;
	// An update is running; a handler that interrupts it sets again instead.
	std::uint32_t updating = 0;
	std::uint32_t again = 0;
};
static_assert(sizeof(thread_state) <= 64, "static TLS is scarce in loaded libraries");

// One for the whole program, whichever of its objects holds the marker: the
// kernel gives each buffer out once. initial-exec, because the general model
// may allocate, which a signal handler must not.
UST_DETAIL_SHARED inline thread_local thread_state this_thread
	__attribute__((tls_model("initial-exec")));

inline std::uint64_t seen_of(const ltt_gate &gate) noexcept
{
	return std::uint64_t{1} << 32 | load(gate.generation);
}

// Adds the buffers that the kernel has for this thread.
inline void map_new_buffers(thread_state &thread) noexcept
{
	for (;;) {
		void *address = nullptr;
		int active, filter;
		if (ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
				    reinterpret_cast<long>(&active),
				    reinterpret_cast<long>(&filter)) != 0 ||
		    !address)
			return;
		buffer *b = static_cast<buffer *>(address);
		set_next(b, thread.first);
		order();
		thread.first = b;
	}
}

} // namespace detail
} // namespace ust

#endif // UST_DETAIL_THREAD_H

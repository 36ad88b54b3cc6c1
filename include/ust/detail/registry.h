// SPDX-License-Identifier: MIT
//
// What the kernel is told: the gate of this executable or library, its events,
// and the signal.
#ifndef UST_DETAIL_REGISTRY_H
#define UST_DETAIL_REGISTRY_H

#include "../definition.h"
#include "thread.h"

#include <cerrno>
#include <csignal>

// The linker's names for the begin and the end of the section.
extern "C" {
extern char __start_ust_events[] __attribute__((weak, visibility("hidden")));
extern char __stop_ust_events[] __attribute__((weak, visibility("hidden")));
}

UST_DETAIL_BEGIN

// All ones until registered: the very first marker, should it come before the
// constructors, goes the long way once and registers. On a kernel without the
// facility the mask becomes 0 and stays so.
alignas(8) inline ltt_gate gate UST_DETAIL_HIDDEN = {~0u, 0};

enum registration_state : std::uint32_t {
	NOT_REGISTERED,
	REGISTERING,
	REGISTERED
};
inline std::uint32_t module_state UST_DETAIL_HIDDEN = NOT_REGISTERED;

enum {
	SIGNAL_OFFSET = 3
};

void update_thread(thread_state &thread) noexcept;

// The kernel sends the signal when traces change. The gate tells a marker as
// much; this one takes up new buffers before the next marker needs them, and
// gives back those of destroyed traces in a thread that writes no more. A
// thread that never wrote stays without buffers.
inline void on_signal(int, siginfo_t *, void *) noexcept
{
	thread_state &thread = current_thread();

	if (load(thread.seen))
		update_thread(thread);
}

// Takes the signal if nobody else has. Returns its number, or 0.
inline int install_handler() noexcept
{
	const int number = SIGRTMIN + SIGNAL_OFFSET;
	struct sigaction action;

	if (sigaction(number, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) ||
		action.sa_handler != SIG_DFL)
		return 0;
	std::memset(&action, 0, sizeof action);
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	return sigaction(number, &action, nullptr) == 0 ? number : 0;
}

inline void remove_handler(int number) noexcept
{
	struct sigaction action;

	std::memset(&action, 0, sizeof action);
	action.sa_handler = SIG_DFL;
	sigaction(number, &action, nullptr);
}

// Numbers the events of this executable or library. Past 65535 events of one
// program they keep the number 0, and are never written.
inline void number_events(process_state &process, char *at, char *end) noexcept
{
	while (static_cast<std::size_t>(end - at) >= sizeof(ust_definition)) {
		ust_definition *definition = reinterpret_cast<ust_definition *>(at);
		if (!definition->magic) {
			at += 8; // the linker's padding
			continue;
		}
		if (definition->magic == UST_DEFINITION_MAGIC && load(process.last_id) < UINT16_MAX)
			definition->id = static_cast<std::uint16_t>(
				__atomic_add_fetch(&process.last_id, 1, __ATOMIC_RELAXED));
		at += definition->size; // also of a record of another kind
	}
}

// Called by a constructor, or by a marker that comes even before it.
inline void register_module() noexcept
{
	std::uint32_t expected = NOT_REGISTERED;
	if (!__atomic_compare_exchange_n(&module_state, &expected, REGISTERING, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;

	char *const begin = __start_ust_events;
	char *const end = __stop_ust_events;
	if (begin == end) {
		// No event, no marker: nothing to tell.
		store(gate.mask, 0);
		return;
	}
	const int saved = errno; // sigaction() may set it
	process_state &process = find_process();
	share_thread_state(process);
	number_events(process, begin, end);
	const bool first = !process.signal;
	if (first)
		process.signal = install_handler();

	ltt_registration registration = {};
	registration.signal = static_cast<__u32>(process.signal);
	registration.gate = reinterpret_cast<std::uintptr_t>(&gate);
	registration.events = reinterpret_cast<std::uintptr_t>(begin);
	registration.events_size = static_cast<__u32>(end - begin);
	if (ust_kernel_call(LTT_NR_register, reinterpret_cast<long>(&registration),
		    static_cast<long>(sizeof registration), 0) != 0) {
		store(gate.mask, 0);
		if (first && process.signal) {
			remove_handler(process.signal);
			process.signal = 0;
		}
	}
	__atomic_store_n(&module_state, REGISTERED, __ATOMIC_RELEASE);
	errno = saved;
}

// Brings the thread's list of buffers up to date.
[[gnu::noinline]] inline void update_thread(thread_state &thread) noexcept
{
	if (thread.updating) {
		store(thread.again, 1);
		return;
	}
	const int saved = errno; // munmap() of a dead buffer sets it
	store(thread.updating, 1);
	do {
		store(thread.again, 0);
		order();
		const std::uint64_t seen = seen_of(gate);
		bool done = drop_dead_buffers(thread);
		done = map_new_buffers(thread) && done;
		UST_DETAIL_STEP(updating);
		store(thread.seen, done ? seen : LOOK_AGAIN);
		order();
	} while (load(thread.again));
	store(thread.updating, 0);
	order();
	errno = saved;
}

// At the start of the program, or of a library. Where a trace is active already,
// the thread takes up its buffers now, which costs no memory yet: a child of
// vfork() has to find them, and cannot get them.
inline void start_module() noexcept
{
	register_module();
	thread_state &thread = current_thread();
	if (load(gate.mask) && load(thread.seen) != seen_of(gate))
		update_thread(thread);
}

[[gnu::constructor(101)]] static void ust_start() noexcept
{
	start_module();
}

UST_DETAIL_END

#endif // UST_DETAIL_REGISTRY_H

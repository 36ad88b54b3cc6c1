// SPDX-License-Identifier: MIT
//
// What the kernel is told: the gate of this executable or library, its events,
// and the signal.
#ifndef UST_DETAIL_REGISTRY_H
#define UST_DETAIL_REGISTRY_H

#include "../definition.h"
#include "thread.h"

#include <errno.h>

UST_DETAIL_C_BEGIN

// The linker's names for the begin and the end of the section.
extern char __start_ust_events[] __attribute__((weak, visibility("hidden")));
extern char __stop_ust_events[] __attribute__((weak, visibility("hidden")));

// All ones until registered: the very first marker, should it come before the
// constructors, goes the long way once and registers. On a kernel without the
// facility the mask becomes 0 and stays so. The generation is never 0, so that nobody
// who has yet to look takes his own 0 for up to date.
UST_DETAIL_C_VARIABLE struct ltt_gate ust_gate __attribute__((aligned(8))) = {~0u, 1};

enum {
	UST_DETAIL_NOT_REGISTERED,
	UST_DETAIL_REGISTERING,
	UST_DETAIL_REGISTERED
};
UST_DETAIL_C_VARIABLE uint32_t ust_module_state = UST_DETAIL_NOT_REGISTERED;

enum {
	UST_DETAIL_SIGNAL_OFFSET = 3
};

// Brings the thread's list of buffers up to date. Without signals meanwhile: a handler
// would find no buffer for its events, or not all of them.
UST_DETAIL_C_FUNCTION(ust_update_thread) void ust_update_thread(struct ust_thread *thread)
{
	if (thread->updating) {
		ust_store(&thread->again, 1);
		return;
	}
	const int saved = errno; // munmap() of a dead buffer sets it
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ust_store(&thread->updating, 1);
	do {
		ust_store(&thread->again, 0);
		ust_order();
		ust_forget_fast(thread);
		const uint64_t seen = ust_seen_of(&ust_gate);
		UST_DETAIL_STEP(mapping);
		bool done = ust_drop_dead_buffers(thread);
		done = ust_map_new_buffers(thread) && done;
		UST_DETAIL_STEP(updating);
		if (done)
			ust_choose_fast(thread, (uint32_t)seen, ust_load(&ust_gate.mask));
		ust_store(&thread->seen, done ? seen : UST_DETAIL_LOOK_AGAIN);
		ust_order();
	} while (ust_load(&thread->again));
	ust_store(&thread->updating, 0);
	ust_order();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}

// The kernel sends the signal when traces change. The gate tells a marker as
// much; this one takes up new buffers before the next marker needs them, and
// gives back those of destroyed traces in a thread that writes no more. A
// thread that never wrote stays without buffers.
UST_DETAIL_C_FUNCTION(ust_on_signal)
void ust_on_signal(int number, siginfo_t *information, void *context)
{
	struct ust_thread *const thread = ust_current_thread();

	(void)number, (void)information, (void)context;
	if (ust_load(&thread->seen))
		ust_update_thread(thread);
}

// Takes the signal if nobody else has. Returns its number, or 0.
UST_DETAIL_C_HELPER int ust_install_handler(void)
{
	const int number = SIGRTMIN + UST_DETAIL_SIGNAL_OFFSET;
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0 || (action.sa_flags & SA_SIGINFO) ||
		action.sa_handler != SIG_DFL)
		return 0;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = ust_on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	return sigaction(number, &action, NULL) == 0 ? number : 0;
}

// Its address as the kernel knows it, which sanitizers choose; 0 where that is not known.
UST_DETAIL_C_HELPER uintptr_t ust_handler_address(int number)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	struct {
		uintptr_t handler;
		unsigned long rest[3];
	} action = {0, {0, 0, 0}};
	long result;

	__asm__ volatile("movq %[size], %%r10\n\tsyscall"
			 : "=a"(result)
			 : "0"((long)SYS_rt_sigaction), "D"((long)number), "S"(NULL),
			 "d"(&action), [size] "i"(8)
			 : "rcx", "r10", "r11", "memory");
	return result == 0 ? action.handler : 0;
#else
	(void)number;
	return 0;
#endif
}

UST_DETAIL_C_HELPER void ust_remove_handler(int number)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = SIG_DFL;
	sigaction(number, &action, NULL);
}

// Numbers the events of this executable or library, and its contexts. Past 65535 of
// one program they keep the number 0, and are never written.
UST_DETAIL_C_HELPER void ust_number_events(struct ust_process *process, char *at, char *end)
{
	while ((size_t)(end - at) >= sizeof(struct ust_definition)) {
		struct ust_definition *const definition = (struct ust_definition *)at;
		if (!definition->magic) {
			at += 8; // the linker's padding
			continue;
		}
		if ((definition->magic == UST_DEFINITION_MAGIC ||
			    definition->magic == UST_CONTEXT_MAGIC) &&
			ust_load(&process->last_id) < UINT16_MAX)
			definition->id = (uint16_t)__atomic_add_fetch(
				&process->last_id, 1, __ATOMIC_RELAXED);
		at += definition->size; // also of a record of another kind
	}
}

// Bytes of whole records from at on, as many as the kernel takes at a time.
UST_DETAIL_C_HELPER size_t ust_size_of_part(const char *at, const char *end)
{
	const size_t all = (size_t)(end - at);
	size_t size = 0;

	if (all <= LTT_MAX_DEFINITIONS)
		return all;
	for (;;) {
		const struct ust_record *const record = (const struct ust_record *)(at + size);
		const size_t next = size + (record->magic ? record->size : 8);
		if (next > LTT_MAX_DEFINITIONS)
			return size ? size : all; // one that is too large is refused
		size = next;
	}
}

// Tells the kernel of all records, and with the last ones of the gate, so that no event is
// written before readers can know it. 0 or an error.
UST_DETAIL_C_HELPER long ust_register_records(
	struct ltt_registration *registration, const char *at, const char *end)
{
	long error;

	do {
		const size_t size = ust_size_of_part(at, end);
		registration->events = (uintptr_t)at;
		registration->events_size = (__u32)size;
		at += size;
		registration->gate = at == end ? (uintptr_t)&ust_gate : 0;
		error = ust_kernel_call(
			LTT_NR_register, (long)registration, (long)sizeof *registration, 0);
	} while (!error && at != end);
	return error;
}

// Called by a constructor, or by a marker that comes even before it and has a thread state.
UST_DETAIL_C_FUNCTION(ust_register_module) void ust_register_module(void)
{
	uint32_t expected = UST_DETAIL_NOT_REGISTERED;
	if (!__atomic_compare_exchange_n(&ust_module_state, &expected, UST_DETAIL_REGISTERING,
		    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;

	char *const begin = __start_ust_events;
	char *const end = __stop_ust_events;
	// No event, no marker: nothing to tell.
	struct ust_process *const process = begin == end ? NULL : ust_find_process();
	if (!process) {
		ust_store(&ust_gate.mask, 0);
		return;
	}
	const int saved = errno; // sigaction() may set it
	ust_share_thread_state(process);
	ust_number_events(process, begin, end);
	const bool first = !process->signal;
	if (first)
		process->signal = ust_install_handler();

	struct ltt_registration registration;
	memset(&registration, 0, sizeof registration);
	registration.signal = (__u32)process->signal;
	if (first && process->signal)
		registration.handler = ust_handler_address(process->signal);
	if (ust_register_records(&registration, begin, end) != 0) {
		ust_store(&ust_gate.mask, 0);
		if (first && process->signal) {
			ust_remove_handler(process->signal);
			process->signal = 0;
		}
	}
	__atomic_store_n(&ust_module_state, UST_DETAIL_REGISTERED, __ATOMIC_RELEASE);
	errno = saved;
}

// At the start of the program, or of a library. Where a trace is active already,
// the thread takes up its buffers now, which costs no memory yet: a child of
// vfork() has to find them, and cannot get them.
UST_DETAIL_C_FUNCTION(ust_start_module) void ust_start_module(void)
{
	ust_register_module();
	if (!ust_load(&ust_gate.mask))
		return;
	struct ust_thread *const thread = ust_current_thread();
	if (ust_load(&thread->seen) != ust_seen_of(&ust_gate))
		ust_update_thread(thread);
}

static __attribute__((constructor(101))) void ust_start(void)
{
	ust_start_module();
}

UST_DETAIL_C_END

#endif // UST_DETAIL_REGISTRY_H

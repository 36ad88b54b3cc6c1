// SPDX-License-Identifier: MIT
//
// The contexts of a trace (abi.h, LTT_CONTEXT_...) that lie in an event between its header
// and its fields, among them those of the program's own.
#ifndef UST_DETAIL_CONTEXT_H
#define UST_DETAIL_CONTEXT_H

#include "../definition.h"
#include "registry.h"

#include <sys/resource.h>

UST_DETAIL_C_BEGIN

// Where the function returns to whose ust_stack_position() is here, as long as it or what it
// ended with a call of has not returned; 0 where that is not known.
UST_DETAIL_C_HELPER uintptr_t ust_return_address(uintptr_t here)
{
#if defined(__x86_64__) && !defined(__ILP32__) && defined(__clang__)
	return ((const uintptr_t *)here)[1]; // behind the frame pointer
#elif defined(__x86_64__) && !defined(__ILP32__)
	return ((const uintptr_t *)here)[-1];
#else
	(void)here;
	return 0;
#endif
}

// Behind the call of that function: keeps compilers from a jump instead, which would have it
// return to where the marker's function was called.
UST_DETAIL_C_INLINE void ust_return_here(void)
{
	__asm__ volatile("");
}

// A context of the program's own. Its value lies in each thread: the first size bytes of 8.
struct ust_context {
	struct ust_context *next;
	const void *record;	  // a struct ust_definition
	uint64_t *(*value)(void); // its address in the calling thread
	uint32_t size;
	uint32_t state;
};

UST_DETAIL_C_INLINE uint16_t ust_id_of_context(const struct ust_context *context)
{
	return ust_load(&((const struct ust_definition *)context->record)->id);
}

enum {
	UST_DETAIL_CONTEXT_NEW,
	UST_DETAIL_CONTEXT_CLAIMED,
	UST_DETAIL_CONTEXT_LISTED,
};

// C libraries declare it in GNU's dialect only.
extern int ust_get_cpu(void) __asm__("sched_getcpu");

// Before the first value is set: lists the context, which events have from then on.
// Returns whether there is a place for the value.
UST_DETAIL_C_FUNCTION(ust_list_context)
__attribute__((cold)) bool ust_list_context(struct ust_context *context)
{
	uint32_t expected = UST_DETAIL_CONTEXT_NEW;

	if (ust_load(&ust_module_state) == UST_DETAIL_NOT_REGISTERED) {
		if (!ust_has_thread_state())
			return false;
		ust_register_module();
	}
	// Silent objects never get there.
	if (ust_load(&ust_module_state) != UST_DETAIL_REGISTERED)
		return true;
	struct ust_process *const process = ust_load(&ust_shared_process);
	// Without an id it cannot be told from others.
	if (!ust_id_of_context(context))
		return true;
	if (!__atomic_compare_exchange_n(&context->state, &expected, UST_DETAIL_CONTEXT_CLAIMED,
		    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return true;
	struct ust_context *head = ust_load(&process->contexts);
	do
		context->next = head;
	while (!__atomic_compare_exchange_n(
		&process->contexts, &head, context, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	ust_store(&context->state, UST_DETAIL_CONTEXT_LISTED);
	return true;
}

// The value from now on, of the calling thread: size bytes at value.
UST_DETAIL_C_INLINE void ust_set_context(
	struct ust_context *context, const void *value, size_t size)
{
	uint64_t word = 0;

	if (UST_DETAIL_UNLIKELY(ust_load(&context->state) != UST_DETAIL_CONTEXT_LISTED) &&
		!ust_list_context(context))
		return;
	memcpy(&word, value, size);
	ust_store(context->value(), word);
}

// What an event has of contexts. They stay the same from when they were measured.
struct ust_event_contexts {
	uint32_t mask;
	uint32_t n_own;
	const struct ust_context *own;
	uint64_t size;
};

UST_DETAIL_C_HELPER struct ust_event_contexts ust_measure_contexts(ust_buffer *b)
{
	struct ust_event_contexts all = {
		ust_load(&b->contexts) & LTT_CONTEXTS_IN_EVENT, 0, NULL, 0};

	if (!all.mask)
		return all;
	all.size = sizeof(uint32_t) * !!(all.mask & LTT_CONTEXT_CPU) +
		   sizeof(uint64_t) * (unsigned)__builtin_popcount(
					      all.mask & ~(LTT_CONTEXT_CPU | LTT_CONTEXT_APP));
	if (!(all.mask & LTT_CONTEXT_APP))
		return all;
	// A registered program has one.
	all.own = __atomic_load_n(&ust_load(&ust_shared_process)->contexts, __ATOMIC_ACQUIRE);
	all.size += sizeof(uint8_t);
	for (const struct ust_context *c = all.own; c && all.n_own < UINT8_MAX; c = c->next) {
		all.size += sizeof(uint16_t) + c->size;
		++all.n_own;
	}
	return all;
}

UST_DETAIL_C_HELPER char *ust_put_bytes(char *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

UST_DETAIL_C_HELPER char *ust_put_u64(char *at, uint64_t number)
{
	return ust_put_bytes(at, &number, sizeof number);
}

UST_DETAIL_C_HELPER char *ust_put_usage(char *at, uint32_t mask)
{
	struct rusage usage;
	const int self = 1; // RUSAGE_THREAD, which C libraries keep for GNU's dialect

	memset(&usage, 0, sizeof usage);
	getrusage(self, &usage);
	if (mask & LTT_CONTEXT_PAGE_FAULTS)
		at = ust_put_u64(at, (uint64_t)(usage.ru_minflt + usage.ru_majflt));
	if (mask & LTT_CONTEXT_SWITCHES)
		at = ust_put_u64(at, (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw));
	return at;
}

UST_DETAIL_C_HELPER char *ust_put_own_contexts(char *at, const struct ust_event_contexts *all)
{
	const uint8_t n = (uint8_t)all->n_own;
	const struct ust_context *c = all->own;

	at = ust_put_bytes(at, &n, sizeof n);
	for (uint8_t i = 0; i < n; ++i, c = c->next) {
		const uint16_t id = ust_id_of_context(c);
		const uint64_t value = ust_load(c->value());
		at = ust_put_bytes(at, &id, sizeof id);
		at = ust_put_bytes(at, &value, c->size);
	}
	return at;
}

// here: the stack of the function that markers call. Returns where the fields go. errno as
// before: what is called here does not fail.
UST_DETAIL_C_FUNCTION(ust_put_contexts)
char *ust_put_contexts(char *at, const struct ust_event_contexts *all, uintptr_t here)
{
	const uint32_t mask = all->mask;
	struct timespec ran = {0, 0};

	if (mask & LTT_CONTEXT_CPU) {
		const uint32_t cpu = (uint32_t)ust_get_cpu();
		at = ust_put_bytes(at, &cpu, sizeof cpu);
	}
	if (mask & LTT_CONTEXT_IP)
		at = ust_put_u64(at, ust_return_address(here));
	if (mask & LTT_CONTEXT_PTHREAD)
		at = ust_put_u64(at, (uint64_t)(uintptr_t)pthread_self());
	if (mask & LTT_CONTEXT_TASK_CLOCK) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
		at = ust_put_u64(at, (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec);
	}
	if (mask & (LTT_CONTEXT_PAGE_FAULTS | LTT_CONTEXT_SWITCHES))
		at = ust_put_usage(at, mask);
	if (mask & LTT_CONTEXT_APP)
		at = ust_put_own_contexts(at, all);
	return at;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_CONTEXT_H

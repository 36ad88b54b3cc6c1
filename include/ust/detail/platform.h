// SPDX-License-Identifier: MIT
//
// What differs between languages, compilers and processors, and nothing else:
// attributes, the test of the gate, and the memory operations of the write
// protocol. Only signal handlers of the same thread interleave with a writer, so an
// operation has to be one instruction, but needs no lock prefix and no fence.
//
// This file, process.h, buffer.h, thread.h, registry.h and write.h are the core of all
// markers. They are C and C++ at once, so that the files of a program share one state
// and one code, whichever of the two they are in; their names begin with ust_.
#ifndef UST_DETAIL_PLATFORM_H
#define UST_DETAIL_PLATFORM_H

#include "abi.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__) && !defined(__ILP32__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#endif
#ifndef __cplusplus
#include <stdbool.h>
#endif

#if !defined(SA_ONSTACK) || !defined(CLOCK_MONOTONIC)
#error "UST: -std=c11 and its like hide POSIX: use -std=gnu11, or add -D_DEFAULT_SOURCE"
#endif

// How the core is linked. Each executable and library has a gate and events of its
// own, so that nothing of it must be replaced by another one's: all is hidden.
//
//	UST_DETAIL_C_VARIABLE	one in each executable and library
//	UST_DETAIL_C_FUNCTION(name)
//				the same, never inlined; gcc must not make a copy of it
//				in each file to suit the arguments there
//	UST_DETAIL_C_INLINE	part of each function that calls it
//	UST_DETAIL_C_HELPER	inlined or not, as the compiler likes
//
// Symbols of C and C++ have the same names and are weak, so that the linker takes any
// of them for both.
//
// C++ has a COMDAT group for each. C has none, so that its functions would be there
// anew in each file, used or not. gcc makes one of a section whose name is followed by
// the rest of the assembler's directive, and a comment sign before what gcc adds; with
// clang, which needs no assembler, it is up to the linker's --gc-sections. Tables of
// functions for instruments must not refer to what the linker drops.
#if defined(__clang__)
#define UST_DETAIL_NOCLONE
#define UST_DETAIL_GROUPED(section, flags, name) section
#else
#define UST_DETAIL_NOCLONE , noclone
#define UST_DETAIL_GROUPED(section, flags, name)                                                   \
	section ",\"" flags "G\",%progbits," name ",comdat " UST_DETAIL_COMMENT
#if defined(__x86_64__) || defined(__i386__)
#define UST_DETAIL_COMMENT "#"
#elif defined(__arm__)
#define UST_DETAIL_COMMENT "@"
#else
#define UST_DETAIL_COMMENT "//"
#endif
#endif
#ifdef __cplusplus
#define UST_DETAIL_C_VARIABLE inline __attribute__((visibility("hidden")))
#define UST_DETAIL_C_FUNCTION(name)                                                                \
	inline __attribute__((noinline, visibility("hidden"), nothrow UST_DETAIL_NOCLONE))
#define UST_DETAIL_C_INLINE inline __attribute__((always_inline, visibility("hidden"), nothrow))
#define UST_DETAIL_C_HELPER inline __attribute__((visibility("hidden"), nothrow))
#define UST_DETAIL_ASSERT(condition, reason) static_assert(condition, reason)
#define UST_DETAIL_IGNORE_WARNINGS                                                                 \
	_Pragma("GCC diagnostic ignored \"-Wold-style-cast\"")                                     \
		_Pragma("GCC diagnostic ignored \"-Wzero-as-null-pointer-constant\"")
#define UST_DETAIL_LANGUAGE_BEGIN extern "C" {
#define UST_DETAIL_LANGUAGE_END }
#else
#define UST_DETAIL_C_VARIABLE __attribute__((weak, visibility("hidden")))
#define UST_DETAIL_C_FUNCTION(name)                                                                \
	__attribute__((weak, noinline, visibility("hidden"), nothrow UST_DETAIL_NOCLONE,           \
		no_instrument_function, patchable_function_entry(0),                               \
		section(UST_DETAIL_GROUPED(".text." #name, "ax", #name))))
#define UST_DETAIL_C_INLINE static inline __attribute__((always_inline, nothrow))
#define UST_DETAIL_C_HELPER static inline __attribute__((nothrow))
#define UST_DETAIL_ASSERT(condition, reason) _Static_assert(condition, reason)
#define UST_DETAIL_IGNORE_WARNINGS                                                                 \
	_Pragma("GCC diagnostic ignored \"-Wmissing-prototypes\"")                                 \
		_Pragma("GCC diagnostic ignored \"-Wdeclaration-after-statement\"")
#define UST_DETAIL_LANGUAGE_BEGIN
#define UST_DETAIL_LANGUAGE_END
#endif

// Around what is C in C++ files: a program's choice of warnings is for its own code.
#define UST_DETAIL_QUIET_BEGIN _Pragma("GCC diagnostic push") UST_DETAIL_IGNORE_WARNINGS
#define UST_DETAIL_QUIET_END _Pragma("GCC diagnostic pop")

// Around everything in the core.
#define UST_DETAIL_C_BEGIN UST_DETAIL_QUIET_BEGIN UST_DETAIL_LANGUAGE_BEGIN
#define UST_DETAIL_C_END UST_DETAIL_LANGUAGE_END UST_DETAIL_QUIET_END

#define UST_DETAIL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define UST_DETAIL_LIKELY(condition) __builtin_expect(!!(condition), 1)

#ifdef __cplusplus
// The same for what is C++ alone. There a function may throw what it does not
// call noexcept.
#define UST_DETAIL_BEGIN                                                                           \
	namespace ust                                                                              \
	{                                                                                          \
	namespace [[gnu::visibility("hidden")]] detail                                             \
	{
#define UST_DETAIL_END                                                                             \
	}                                                                                          \
	}
#define UST_DETAIL_HIDDEN __attribute__((visibility("hidden")))
#define UST_DETAIL_INLINE [[gnu::always_inline]] inline
#define UST_DETAIL_OUT_OF_LINE __attribute__((noinline UST_DETAIL_NOCLONE)) inline
#endif

// The unit tests define this to interrupt a marker at a named step.
#ifndef UST_DETAIL_STEP
#define UST_DETAIL_STEP(name) ((void)0)
#endif

UST_DETAIL_C_BEGIN

// Macros, as words have many types.
#define ust_load(address) __atomic_load_n(address, __ATOMIC_RELAXED)
#define ust_store(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)

// Of words that the kernel or a handler may change: a load that may be part of another
// instruction, which compilers refuse with atomic ones. ust_order() around keeps it in
// its place, and nothing here depends on how often it happens. The thread sanitizer would
// take it for a race.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UST_DETAIL_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define UST_DETAIL_THREAD_SANITIZER
#endif
#if defined(UST_DETAIL_THREAD_SANITIZER)
#define ust_peek(address) ust_load(address)
#else
#define ust_peek(address) (*(address))
#endif

// Nothing moves across for the eyes of a signal handler; costs no instruction.
UST_DETAIL_C_INLINE void ust_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// The body of a function that tells whether any of the filter bits in filter, a
// constant, is set in the mask of *gate.
//
// Written as one instruction and a jump because compilers neither fold an
// atomic load into the test nor may they be given a plain one, which they would
// move out of a loop. A macro because without optimization a parameter is no
// constant. A filter within one byte, the usual case, takes a shorter instruction.
#if defined(__x86_64__) || defined(__i386__)
#define UST_DETAIL_TEST_GATE(gate, filter)                                                         \
	if (UST_DETAIL_ONE_BYTE(filter))                                                           \
		__asm__ goto(                                                                      \
			"testb %1, %0\n\tjnz %l[yes]"                                              \
			:                                                                          \
			: "m"(((const unsigned char *)&(gate)->mask)[UST_DETAIL_BYTE(filter)]),    \
			"i"((int)(signed char)UST_DETAIL_SHIFTED(filter))                          \
			: "cc"                                                                     \
			: yes);                                                                    \
	else                                                                                       \
		__asm__ goto("testl %1, %0\n\tjnz %l[yes]"                                         \
			     :                                                                     \
			     : "m"((gate)->mask), "i"((int32_t)(filter))                           \
			     : "cc"                                                                \
			     : yes);                                                               \
	return false;                                                                              \
	yes:                                                                                       \
	return true
#define UST_DETAIL_BYTE(filter)                                                                    \
	(((filter)&0xffu) == (filter)		   ? 0                                             \
		: ((filter)&0xff00u) == (filter)   ? 1                                             \
		: ((filter)&0xff0000u) == (filter) ? 2                                             \
						   : 3)
#define UST_DETAIL_SHIFTED(filter) ((filter) >> (8 * UST_DETAIL_BYTE(filter)))
#define UST_DETAIL_ONE_BYTE(filter)                                                                \
	(UST_DETAIL_SHIFTED(filter) <= 0xff &&                                                     \
		UST_DETAIL_SHIFTED(filter) << (8 * UST_DETAIL_BYTE(filter)) == (filter))
#else
#define UST_DETAIL_TEST_GATE(gate, filter) return (ust_load(&(gate)->mask) & (filter)) != 0
#endif

// Replaces expected by desired and returns true, or changes nothing.
UST_DETAIL_C_INLINE bool ust_compare_and_swap(__u64 *word, __u64 expected, __u64 desired)
{
#if defined(__x86_64__)
	bool swapped;
	__asm__ volatile("cmpxchgq %[desired], %[word]"
			 : "=@ccz"(swapped), [word] "+m"(*word), "+a"(expected)
			 : [desired] "r"(desired)
			 : "memory");
	return swapped;
#else
	return __atomic_compare_exchange_n(
		word, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

// Adds one in one instruction, so that no handler's count gets lost.
UST_DETAIL_C_INLINE void ust_increment64(__u64 *word)
{
#if defined(__x86_64__)
	__asm__ volatile("incq %0" : "+m"(*word) : : "cc", "memory");
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

// The same, up and down, for a count that handlers leave as they found it.
UST_DETAIL_C_INLINE void ust_increment32(uint32_t *word)
{
#if defined(__x86_64__)
	__asm__ volatile("incl %0" : "+m"(*word) : : "cc", "memory");
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

UST_DETAIL_C_INLINE void ust_decrement32(uint32_t *word)
{
#if defined(__x86_64__)
	__asm__ volatile("decl %0" : "+m"(*word) : : "cc", "memory");
#else
	__atomic_fetch_sub(word, 1, __ATOMIC_RELAXED);
#endif
}

// Where the stack of the function that asks begins: not above that of any caller, not
// below that of any handler, and the same for all functions that are called from one
// place, whatever they keep there themselves.
UST_DETAIL_C_INLINE uintptr_t ust_stack_position(void)
{
#if defined(__clang__)
	return (uintptr_t)__builtin_frame_address(0); // it has no better one
#else
	return (uintptr_t)__builtin_dwarf_cfa();
#endif
}

// Has the C library set up thread-local storage? In the resolvers of indirect functions
// of a static program it has not, and a look at it is fatal.
UST_DETAIL_C_HELPER bool ust_has_thread_pointer(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	unsigned long pointer = 1;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_arch_prctl), "D"((long)ARCH_GET_FS), "S"(&pointer)
			 : "rcx", "r11", "memory");
	return pointer != 0;
#else
	return true;
#endif
}

// What thread-local variables have a fixed distance from.
UST_DETAIL_C_INLINE intptr_t ust_thread_pointer(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	intptr_t pointer;
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
#else
	return (intptr_t)__builtin_thread_pointer();
#endif
}

UST_DETAIL_C_INLINE uint64_t ust_read_clock(__u32 clock)
{
	// A seccomp filter may refuse it: then there is no time, but no garbage either.
	struct timespec now = {0, 0};

#if defined(__x86_64__) || defined(__i386__)
	if (clock == LTT_CLOCK_TSC) {
		unsigned long low, high; // of whole registers the upper halves are 0
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
		return (uint64_t)high << 32 | low;
	}
#endif
	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_PLATFORM_H

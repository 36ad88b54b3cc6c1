// SPDX-License-Identifier: MIT
//
// What differs between compilers and processors, and nothing else: attributes,
// the test of the gate, and the memory operations of the write protocol. Only
// signal handlers of the same thread interleave with a writer, so an operation
// has to be one instruction, but needs no lock prefix and no fence.
#ifndef UST_DETAIL_PLATFORM_H
#define UST_DETAIL_PLATFORM_H

#include "abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

// Namespace ust::detail is each executable's and library's own: it has its own
// gate and events, and a function of one must not be replaced by the other's.
#define UST_DETAIL_BEGIN                                                                           \
	namespace ust                                                                              \
	{                                                                                          \
	namespace [[gnu::visibility("hidden")]] detail                                             \
	{
#define UST_DETAIL_END                                                                             \
	}                                                                                          \
	}

#define UST_DETAIL_HIDDEN __attribute__((visibility("hidden")))
#define UST_DETAIL_SHARED __attribute__((visibility("default")))
#define UST_DETAIL_INLINE [[gnu::always_inline]] inline
// A function that is there once in the program: gcc must not make a copy of it in
// each file to suit the arguments there.
#if defined(__clang__)
#define UST_DETAIL_OUT_OF_LINE [[gnu::noinline]] inline
#else
#define UST_DETAIL_OUT_OF_LINE [[gnu::noinline, gnu::noclone]] inline
#endif
#define UST_DETAIL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// The unit tests define this to interrupt a marker at a named step.
#ifndef UST_DETAIL_STEP
#define UST_DETAIL_STEP(name) static_cast<void>(0)
#endif

UST_DETAIL_BEGIN

template <class Word>
UST_DETAIL_INLINE Word load(const Word &word) noexcept
{
	return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

template <class Word, class Value>
UST_DETAIL_INLINE void store(Word &word, Value value) noexcept
{
	__atomic_store_n(&word, static_cast<Word>(value), __ATOMIC_RELAXED);
}

// Nothing moves across for the eyes of a signal handler; costs no instruction.
UST_DETAIL_INLINE void order() noexcept
{
	std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Tells whether any of the filter bits in Filter is set in the gate's mask.
//
// Written as one instruction and a jump because compilers neither fold an
// atomic load into the test nor may they be given a plain one, which they would
// move out of a loop.
template <std::uint32_t Filter>
UST_DETAIL_INLINE bool wanted(const ltt_gate &gate) noexcept
{
#if defined(__x86_64__) || defined(__i386__)
	// A filter within one byte, the usual case, takes a shorter instruction.
	constexpr unsigned byte = (Filter & 0xffu) == Filter	   ? 0
				  : (Filter & 0xff00u) == Filter   ? 1
				  : (Filter & 0xff0000u) == Filter ? 2
								   : 3;
	constexpr std::uint32_t shifted = Filter >> (8 * byte);

	if constexpr (shifted <= 0xff && (shifted << (8 * byte)) == Filter)
		asm goto("testb %1, %0\n\tjnz %l[yes]"
			 :
			 : "m"(reinterpret_cast<const unsigned char *>(&gate.mask)[byte]),
			 "i"(static_cast<int>(static_cast<signed char>(shifted)))
			 : "cc"
			 : yes);
	else
		asm goto("testl %1, %0\n\tjnz %l[yes]"
			 :
			 : "m"(gate.mask), "i"(static_cast<std::int32_t>(Filter))
			 : "cc"
			 : yes);
	return false;
yes:
	return true;
#else
	return (load(gate.mask) & Filter) != 0;
#endif
}

// Replaces expected by desired and returns true, or changes nothing.
UST_DETAIL_INLINE bool compare_and_swap(__u64 &word, __u64 expected, __u64 desired) noexcept
{
#if defined(__x86_64__)
	bool swapped;
	asm volatile("cmpxchgq %[desired], %[word]"
		     : "=@ccz"(swapped), [word] "+m"(word), "+a"(expected)
		     : [desired] "r"(desired)
		     : "memory");
	return swapped;
#else
	return __atomic_compare_exchange_n(
		&word, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

// Adds one in one instruction, so that no handler's count gets lost.
UST_DETAIL_INLINE void increment(__u64 &word) noexcept
{
#if defined(__x86_64__)
	asm volatile("incq %0" : "+m"(word) : : "cc", "memory");
#else
	__atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
#endif
}

// The same, up and down, for a count that handlers leave as they found it.
UST_DETAIL_INLINE void increment(std::uint32_t &word) noexcept
{
#if defined(__x86_64__)
	asm volatile("incl %0" : "+m"(word) : : "cc", "memory");
#else
	__atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
#endif
}

UST_DETAIL_INLINE void decrement(std::uint32_t &word) noexcept
{
#if defined(__x86_64__)
	asm volatile("decl %0" : "+m"(word) : : "cc", "memory");
#else
	__atomic_fetch_sub(&word, 1, __ATOMIC_RELAXED);
#endif
}

// An address in the stack: not above that of any caller, not below that of any handler.
UST_DETAIL_INLINE std::uintptr_t stack_position() noexcept
{
#if defined(__x86_64__) && !defined(__ILP32__)
	std::uintptr_t position;
	asm("movq %%rsp, %0" : "=r"(position));
	return position;
#else
	return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

UST_DETAIL_INLINE std::uint64_t read_clock(__u32 clock) noexcept
{
#if defined(__x86_64__) || defined(__i386__)
	if (clock == LTT_CLOCK_TSC) {
		unsigned long low, high; // of whole registers the upper halves are 0
		asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
		return std::uint64_t{high} << 32 | low;
	}
#endif
	static_cast<void>(clock);
	// A seccomp filter may refuse it: then there is no time, but no garbage either.
	timespec now = {};
	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
	       static_cast<std::uint64_t>(now.tv_nsec);
}

UST_DETAIL_END

#endif // UST_DETAIL_PLATFORM_H

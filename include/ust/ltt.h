/* SPDX-License-Identifier: MIT */
/*
 * The three system calls as C functions. Each returns 0 on success, and 1 on
 * error with errno set; on a kernel that lacks them errno is ENOSYS.
 *
 * Programs with markers need none of this: ust/ust.h does it all.
 */
#ifndef UST_LTT_H
#define UST_LTT_H

#include "detail/abi.h"

#include <errno.h>
#include <stddef.h>
#if !(defined(__x86_64__) && !defined(__ILP32__))
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Everything in include/ust/ reaches the kernel through this one function: the
 * result of the call, or -errno. errno itself stays untouched, because a marker
 * may stand between a program's own system call and its look at errno.
 *
 * With UST_EXTERNAL_KERNEL defined somebody else has to supply it: the unit
 * tests link a kernel of their own that way.
 */
#ifdef UST_EXTERNAL_KERNEL
long ust_kernel_call(long number, long a, long b, long c);
#elif defined(__x86_64__) && !defined(__ILP32__)
static inline long ust_kernel_call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}
#else
static inline long ust_kernel_call(long number, long a, long b, long c)
{
	int saved = errno;
	long result = syscall(number, a, b, c);

	if (result == -1)
		result = -errno;
	errno = saved;
	return result;
}
#endif

/* Turns the kernel's answer into that of a C function. */
static inline int ust_answer(long result)
{
	if (result >= 0)
		return 0;
	errno = (int)-result;
	return 1;
}

/*
 * With *buffer NULL: maps the next buffer of the calling thread that is not
 * mapped yet and stores its address, or NULL if there is none. Otherwise: the
 * present state of that buffer. *active becomes 0 or 1, *filter the filter mask
 * of the trace.
 */
static inline int ltt_update(void **buffer, int *active, int *filter)
{
	return ust_answer(ust_kernel_call(LTT_NR_update, (long)buffer, (long)active, (long)filter));
}

/* Closes the current sub-buffer of a buffer and opens the next one. */
static inline int ltt_switch(void *buffer)
{
	return ust_answer(ust_kernel_call(LTT_NR_switch, (long)buffer, 0, 0));
}

/* Tells the kernel about the process: gate, events, signal. */
static inline int ltt_register(const struct ltt_registration *registration, size_t size)
{
	return ust_answer(ust_kernel_call(LTT_NR_register, (long)registration, (long)size, 0));
}

#ifdef __cplusplus
}
#endif

#endif /* UST_LTT_H */

/* SPDX-License-Identifier: MIT */
/*
 * Events for files of C and of C++.
 */
#ifndef C_EVENTS_H
#define C_EVENTS_H

#include <ust/ust.h>

UST_CATEGORY(c, noise, 3, "What nobody needs.")
UST_CATEGORY(c, bare, 15)

UST_CONTEXT(c, request, unsigned long)
UST_CONTEXT(c, where, const void *)
UST_CONTEXT(c, small, char)

UST_EVENT(c, nothing, UST_BIT(0))
UST_EVENT(c, number, UST_BIT(0), (uint64_t, value))
UST_EVENT(c, text, UST_BIT(0), (const char *, value))
UST_EVENT(c, unsigned_, UST_BIT(0),
	(uint8_t, a)(uint16_t, b)(uint32_t, c)(uint64_t, d)(unsigned long long, e))
UST_EVENT(c, signed_, UST_BIT(0), (int8_t, a)(short, b)(int, c)(long, d)(long long, e))
UST_EVENT(c, small, UST_BIT(0), (bool, a)(char, b)(signed char, c)(unsigned char, d))
UST_EVENT(c, floating, UST_BIT(0), (float, a)(double, b))
UST_EVENT(c, addresses, UST_BIT(0), (void *, a)(const int *, b)(void (*)(int, int), c))
UST_EVENT(c, strings, UST_BIT(0), (const char *, a)(char *, b))
UST_EVENT(c, mixed, UST_BIT(0),
	(bool, a)(double, b)(const char *, c)(uint16_t, d)(const char *, e)(char, f))
UST_EVENT(c, qualified, UST_BIT(0), (const int, a)(volatile long, b))

/* Filters in each byte, in two, and the highest; attributes in each order. */
UST_EVENT(c, filter_8, UST_BIT(8), (int, value))
UST_EVENT(c, filter_23, UST_BIT(23), UST_LEVEL_DEBUG, (int, value))
UST_EVENT(c, filter_31, UST_BIT(31), "The highest bit.", (int, value))
UST_EVENT(c, filter_two, UST_IN(c, noise) | UST_IN(c, bare) | UST_CATEGORY_NET, UST_LEVEL_ERR,
	"Both, and "
	"one more.")
UST_EVENT(c, filter_names, UST_CATEGORY_DEBUG, "First.", UST_LEVEL_EMERG, (int, value))

/* Words of C, of C++ and of CTF. */
UST_EVENT(namespace, while, UST_BIT(0), (int, int)(int, struct)(int, align)(int, _x)(int, __x))

#define EVENT_NAME named_by_macro
UST_EVENT(c, EVENT_NAME, UST_BIT(0), (int, value))

#define FOUR(x) (int, x##0)(int, x##1)(int, x##2)(int, x##3)
#define SIXTEEN(x) FOUR(x##0) FOUR(x##1) FOUR(x##2) FOUR(x##3)
UST_EVENT(c, sixty_four, UST_BIT(0), SIXTEEN(a) SIXTEEN(b) SIXTEEN(c) SIXTEEN(d))

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Markers in C: in a library of its own for c_test.cpp, and beside those of C++ for
 * mixed_test.cpp.
 */
#include "c_markers.h"

#include "c_events.h"

#include <limits.h>
#include <math.h>

UST_EVENT(twice, defined, UST_BIT(0), (int, a))

void c_set_contexts(unsigned long request, const void *where)
{
	UST_SET_CONTEXT(c, request, request);
	UST_SET_CONTEXT(c, where, where);
	UST_SET_CONTEXT(c, small, 'x');
}

void c_number(uint64_t value)
{
	UST(c, number, value);
}

void c_text(const char *value)
{
	UST(c, text, value);
}

void c_mixed(int i, const char *text)
{
	UST(c, mixed, true, 1.0, text, i, text, 'e');
}

void c_integers(void)
{
	UST(c, unsigned_, 0, 0, 0, 0, 0);
	UST(c, unsigned_, UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX, ULLONG_MAX);
	UST(c, signed_, INT8_MIN, SHRT_MIN, INT_MIN, LONG_MIN, LLONG_MIN);
	UST(c, signed_, INT8_MAX, SHRT_MAX, INT_MAX, LONG_MAX, LLONG_MAX);
}

void c_small(void)
{
	UST(c, small, true, 'x', -1, 200);
	UST(c, small, 256, 'y', 'a', 'b'); /* 256 is true, though its low byte is 0 */
}

void c_floating(void)
{
	UST(c, floating, 1.5f, -0.25);
	UST(c, floating, 2, 3u); /* integers convert */
	UST(c, floating, (float)INFINITY, (double)NAN);
}

static void function(int a, int b)
{
	(void)a, (void)b;
}

void c_addresses(const int *object)
{
	static const char text[] = "no string here";
	UST(c, addresses, NULL, object, NULL);
	UST(c, addresses, object, object + 1, function);
	UST(c, addresses, text, NULL, &function);
}

void c_strings(void)
{
	char writable[] = "writable";
	const char *null = NULL;
	UST(c, strings, "literal", writable);
	UST(c, strings, "", &writable[5]);
	UST(c, strings, null, NULL);
}

void c_arguments(void)
{
	struct {
		unsigned bits : 3;
		bool flag : 1;
	} packed = {5, true};
	enum plain {
		FOUR = 4
	} value = FOUR;
	volatile int changing = 3;
	const int constant = 2;
	_Atomic int atomic = 1;
	UST(c, number, packed.bits);
	UST(c, number, value);
	UST(c, number, changing);
	UST(c, number, constant);
	UST(c, number, atomic);
	UST(c, number, packed.flag ? sizeof(int[7]) : 0);
	UST(c, qualified, packed.flag, FOUR);
	if (constant)
		UST(c, number, 8);
	else
		UST(c, number, 9);
}

void c_filters(void)
{
	UST(c, nothing);
	UST(c, filter_8, 8);
	UST(c, filter_23, 23);
	UST(c, filter_31, 31);
	UST(c, filter_two);
}

void c_words(void)
{
	UST(namespace, while, 1, 2, 3, 4, 5);
	UST(c, EVENT_NAME, 6);
}

void c_sixty_four(void)
{
#define EIGHT 1, 2, 3, 4, 5, 6, 7, 8
	UST(c, sixty_four, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT);
}

void c_twice(void)
{
	UST(twice, defined, 1);
}

int c_evaluated(void)
{
	int evaluated = 0;
	UST(c, number, ++evaluated);
	if (UST_ENABLED(c, number))
		evaluated += 10;
	return evaluated;
}

const void *c_thread(void)
{
	return ust_current_thread();
}

const void *c_gate(void)
{
	return &ust_gate;
}

uint16_t c_id_of_number(void)
{
	return ust_definition_c__number.id;
}

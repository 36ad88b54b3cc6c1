// SPDX-License-Identifier: MIT
//
// A library with the event library:NAME, which libraries_test defines.
#include "kernel.h"

#include <ust/ust.h>

UST_EVENT(library, NAME, UST_BIT(0), (int, value))

extern "C" __attribute__((visibility("hidden"))) long ust_kernel_call(
	long number, long a, long b, long c)
{
	return (*kernel_place())(number, a, b, c);
}

extern "C" void write_event(int value)
{
	UST(library, NAME, value);
}

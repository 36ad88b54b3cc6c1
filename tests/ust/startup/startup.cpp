// SPDX-License-Identifier: MIT
//
// One marker. With -Dtraced its trace is there before the program begins.
#include "../fake_kernel.h"

#include <ust/ust.h>

UST_EVENT(startup, one, UST_BIT(0), (int, value))

#ifdef traced
static void begin_trace()
{
	fake::create();
}
__attribute__((section(".preinit_array"), used)) static void (*const first)() = begin_trace;
#endif

int main()
{
	UST(startup, one, 1);
}

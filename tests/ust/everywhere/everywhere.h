// SPDX-License-Identifier: MIT
//
// The program that everywhere_test compiles in every way: it has a marker at each
// place where code may stand, is traced by the fake kernel from before its first
// instruction on, and prints its own trace as it ends.
#pragma once

#include <ust/ust.h>

UST_EVENT(everywhere, at, UST_BIT(0), (std::string_view, place))
UST_EVENT(everywhere, counted, UST_BIT(0), (int, number))

inline void in_inline_function(const char *from)
{
	UST(everywhere, at, from);
}

void in_other_file();

// SPDX-License-Identifier: MIT
#pragma once
#include <ust/ust.h>

// Used by the library and by the program.
UST_EVENT(shared, both, UST_BIT(0), (int, value))

extern "C" {
void write_from_library(int value);
void write_own_from_library(int value);
// Where the library keeps what there must be once in a program.
const void *state_of_library();
const void *gate_of_library();
}

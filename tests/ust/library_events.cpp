// SPDX-License-Identifier: MIT
#include "library_events.h"

UST_EVENT(library, own, UST_BIT(1), (int, value))

void write_from_library(int value)
{
	UST(shared, both, value);
}

void write_own_from_library(int value)
{
	UST(library, own, value);
}

const void *state_of_library()
{
	return ust_current_thread();
}

const void *gate_of_library()
{
	return &ust_gate;
}

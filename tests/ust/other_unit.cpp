// SPDX-License-Identifier: MIT
//
// A second file that includes the same events.
#include "test_events.h"

void write_from_other_unit(int value)
{
	UST(test, low, value);
}

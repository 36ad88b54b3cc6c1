/* SPDX-License-Identifier: MIT */
/*
 * Defines an event of c_markers.c otherwise, which is a mistake.
 */
#include "c_markers.h"

#include <ust/ust.h>

UST_EVENT(twice, defined, UST_BIT(0), (double, a))

void c_twice_otherwise(void)
{
	UST(twice, defined, 0.5);
}

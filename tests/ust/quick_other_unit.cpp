// SPDX-License-Identifier: MIT
#include "quick.h"

void call_quick_markers_of_other_unit()
{
	call_quick_markers();
}

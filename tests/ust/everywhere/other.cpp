// SPDX-License-Identifier: MIT
#include "everywhere.h"

#include "everywhere.h"

void in_other_file()
{
	UST(everywhere, at, "another file");
	in_inline_function("an inline function, from another file");
}

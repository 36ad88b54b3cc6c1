// SPDX-License-Identifier: MIT
#include "../../events.h"
#include "../../values.h"
#include "emit.h"

void bench::emit(std::int32_t i)
{
	UST(bench, number, i, number(i));
}

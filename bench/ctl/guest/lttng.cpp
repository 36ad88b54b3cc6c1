// SPDX-License-Identifier: MIT
#include "../../lttng_events.h"
#include "../../values.h"
#include "emit.h"

void bench::emit(std::int32_t i)
{
	lttng_ust_tracepoint(bench, on_number, i, number(i));
}

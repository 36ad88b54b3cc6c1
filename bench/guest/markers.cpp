// SPDX-License-Identifier: MIT
//
// Our markers. inside.py has a trace for them, and the host looks into what it recorded.

#include "../events.h"
#include "../values.h"
#include "groups.h"
#include "measure.h"

namespace bench
{

void measure_off()
{
	measure("off", [](std::int32_t i) { UST(bench, off, i, number(i)); });
}

void measure_number()
{
	measure("number", [](std::int32_t i) { UST(bench, number, i, number(i)); });
}

void measure_text()
{
	const char *string = text();
	measure("text", [=](std::int32_t i) { UST(bench, text, i, string); });
}

} // namespace bench

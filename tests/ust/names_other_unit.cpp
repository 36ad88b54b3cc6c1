// SPDX-License-Identifier: MIT
//
// Defines events of names_test.cpp otherwise, which is a mistake.
#include <ust/ust.h>

UST_EVENT(twice, defined, UST_BIT(0), (double, a)(double, b))
UST_EVENT(twice, longer, UST_BIT(0), (int, a))
UST_CLASS(twice, pair, (std::string, a))
UST_CLASS_EVENT(twice, pair, of_class, UST_BIT(0))

void write_otherwise()
{
	UST(twice, defined, 0.5, 0.25);
	UST(twice, longer, 4);
	UST(twice, of_class, "other");
}

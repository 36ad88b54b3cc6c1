// SPDX-License-Identifier: MIT
#pragma once
#include <ust/ust.h>

UST_CATEGORY(kitchen, money, 0, "What guests pay.")

UST_SPAN_EVENT(kitchen, cook, UST_CATEGORY_REQUEST, "One order, from the ticket to the plate.",
	(int, order)(std::string_view, dish))
UST_COUNTER_EVENT(kitchen, waiting, std::size_t, UST_CATEGORY_REQUEST)
UST_EVENT(
	kitchen, served, UST_CATEGORY_REQUEST | UST_IN(kitchen, money), (int, order)(double, price))
UST_EVENT(kitchen, burned, UST_CATEGORY_ERROR, UST_LEVEL_WARNING, (int, order))

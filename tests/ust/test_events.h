// SPDX-License-Identifier: MIT
//
// The events of the unit tests, included by all of their files.
#pragma once

#include <ust/ust.h>

UST_EVENT(test, nothing, UST_BIT(0))
UST_EVENT(test, number, UST_BIT(0), (std::uint64_t, value))
UST_EVENT(test, text, UST_BIT(0), (std::string_view, value))

UST_EVENT(test, low, UST_BIT(0), (int, value))
UST_EVENT(test, second, UST_BIT(1), (int, value))
UST_EVENT(test, eighth, UST_BIT(7), (int, value))
UST_EVENT(test, nineth, UST_BIT(8), (int, value))
UST_EVENT(test, high, UST_BIT(31), (int, value))
UST_EVENT(test, two_bits, UST_BIT(3) | UST_BIT(20), (int, value))

// Bytes in a buffer, header included.
constexpr std::size_t NOTHING_SIZE = 8;
constexpr std::size_t NUMBER_SIZE = 16;

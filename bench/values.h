// SPDX-License-Identifier: MIT
//
// What the events hold that are measured, the same for all tracers.
#pragma once

#include <cstdint>

namespace bench
{

// For (int32, uint64), where the first is the number of the round.
inline std::uint64_t number(std::int32_t round)
{
	return 0x0123456789abcdefu + static_cast<std::uint64_t>(round);
}

// 18 characters. The compiler sees neither their number nor that they do not change.
inline const char *text()
{
	const char *result = "eighteen character";
	asm("" : "+r"(result));
	return result;
}

} // namespace bench

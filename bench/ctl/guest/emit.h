// SPDX-License-Identifier: MIT
//
// One event of (int32, uint64), by the tracer that the program is built with.
#pragma once

#include <cstdint>

namespace bench
{

void emit(std::int32_t number);

} // namespace bench

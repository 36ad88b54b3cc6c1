// SPDX-License-Identifier: MIT
//
// Where program and libraries have their kernel from: a library in a namespace of its
// own can be told of nothing but an address.
#pragma once

#include <cstdint>

using kernel_call = long(long number, long a, long b, long c);

inline kernel_call **kernel_place()
{
	return reinterpret_cast<kernel_call **>(std::uintptr_t{0x20000000});
}

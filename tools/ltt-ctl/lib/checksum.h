// SPDX-License-Identifier: MIT
// What shows that bytes are no longer those that were written.
#ifndef LTT_CTL_CHECKSUM_H
#define LTT_CTL_CHECKSUM_H

#include <cstddef>
#include <cstdint>

namespace ltt
{

// XXH3, 64 bits, without a seed.
uint64_t checksum(const void *data, size_t size);

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
#include "checksum.h"

#define XXH_INLINE_ALL // no library to link
#include <xxhash.h>

namespace ltt
{

uint64_t checksum(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}

} // namespace ltt

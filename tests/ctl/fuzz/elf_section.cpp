// SPDX-License-Identifier: MIT
// Files that say they are ELF files.
#include <cstddef>
#include <cstdint>

#include "lib/elf_section.h"
#include "lib/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try {
		std::string bytes;
		ltt::find_section(std::string(reinterpret_cast<const char *>(data), size),
			"ust_events", bytes);
	} catch (const ltt::BadData &) {
	}
	return 0;
}

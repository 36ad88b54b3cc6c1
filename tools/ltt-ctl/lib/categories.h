// SPDX-License-Identifier: MIT
// Filter bits by the names that programs give them.
#ifndef LTT_CTL_CATEGORIES_H
#define LTT_CTL_CATEGORIES_H

#include <cstdint>
#include <string>
#include <vector>

#include "objects.h"

namespace ltt
{

// A mask as names: the program's own, if it gave it any, before the standard ones.
std::string filter_text(uint32_t filter, const std::vector<Category> &categories);

// The bits that go by this name, "provider:name", in any of the objects. Throws Error(misuse)
// that tells the names there are if none has it; @whose: "./program", for that.
uint32_t category_bits(
	const std::string &name, const std::vector<Object> &objects, const std::string &whose);

// The executable of a command, found in PATH as it is going to be, and the libraries that it
// loads. Throws Error: not found, or no program.
std::vector<Object> objects_of_command(const std::string &command);

} // namespace ltt

#endif

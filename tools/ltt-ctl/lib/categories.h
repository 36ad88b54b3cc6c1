// SPDX-License-Identifier: MIT
// Filter bits by the names that programs give them.
#ifndef LTT_CTL_CATEGORIES_H
#define LTT_CTL_CATEGORIES_H

#include <cstdint>
#include <string>
#include <vector>

#include "definitions.h"

namespace ltt
{

// A mask as names: the program's own, if it gave it any, before the standard ones.
std::string filter_text(uint32_t filter, const std::vector<Category> &categories);

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
// One section of an ELF file.
#ifndef LTT_CTL_ELF_SECTION_H
#define LTT_CTL_ELF_SECTION_H

#include <string>

namespace ltt
{

// The bytes of section @name in @file (the content of a 32- or 64-bit little-endian ELF
// file). Returns false if there is no such section; throws BadData if the file is no ELF
// file or damaged.
bool find_section(const std::string &file, const std::string &name, std::string &bytes);

} // namespace ltt

#endif

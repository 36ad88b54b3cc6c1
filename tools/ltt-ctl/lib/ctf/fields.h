// SPDX-License-Identifier: MIT
// Fields in the metadata of a CTF trace, in TSDL.
#ifndef LTT_CTL_CTF_FIELDS_H
#define LTT_CTL_CTF_FIELDS_H

#include <string>
#include <vector>

#include "../type.h"

namespace ltt::ctf
{

// Declares the types that render_fields() and the rest of the metadata name.
extern const char type_aliases[];

// Appends the declarations of @fields, each on a line of its own with that many tabs.
void render_fields(std::string &s, const std::vector<Field> &fields, unsigned tabs);

// A type without a length of its own; what it has of lines is that many tabs deep.
std::string render_type(const Type &type, unsigned tabs);

std::string quoted(const std::string &s);

} // namespace ltt::ctf

#endif

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

// Sequences and optional values: a field of their length goes before them.
bool has_length(const Type &type);

// What an array or a sequence holds in the metadata for each element that is one itself, or an
// optional value, which can only be declared as a field: a structure with this member.
std::vector<Field> wrapped(const Type &element);

// What readers show the fields by, in the order in which they lie, with those of the lengths.
std::vector<std::string> shown_names(const std::vector<Field> &fields);

std::string quoted(const std::string &s);

} // namespace ltt::ctf

#endif

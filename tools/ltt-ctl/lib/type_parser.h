// SPDX-License-Identifier: MIT
// Types of fields from the bytes of a definition, which are not trusted.
#ifndef LTT_CTL_TYPE_PARSER_H
#define LTT_CTL_TYPE_PARSER_H

#include <string>
#include <vector>

#include "record_reader.h"
#include "type.h"

namespace ltt
{

// The fields of @owner, which is for messages. Throws BadData. What it returns lies no deeper
// than UST_MAX_DEPTH, and holds neither empty structures nor empty arrays, so that each value
// takes at least one byte.
std::vector<Field> parse_fields(RecordReader &in, size_t count, const std::string &owner);

} // namespace ltt

#endif

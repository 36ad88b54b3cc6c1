// SPDX-License-Identifier: MIT
// Types of fields as the bytes of a definition: what type_parser.h reads.
#ifndef LTT_CTL_TYPE_WRITER_H
#define LTT_CTL_TYPE_WRITER_H

#include <string>
#include <vector>

#include "type.h"

namespace ltt
{

void write_fields(std::string &out, const std::vector<Field> &fields);

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
// Fields as readers of a CTF trace see them, by the names that the metadata gives them.
#ifndef LTT_CTL_READER_SHOWN_H
#define LTT_CTL_READER_SHOWN_H

#include <string>
#include <vector>

#include "../type.h"

namespace ltt::reader
{

struct Shown {
	std::string name;
	std::string length_name;  // of a sequence or an optional value: the field before it
	Type type;		  // of which element and members are below
	std::vector<Shown> inner; // members; or one: the element
	// A structure that the metadata needs for a sequence or an array within another.
	bool wrapper = false;
};

std::vector<Shown> shown_fields(const std::vector<Field> &fields);

} // namespace ltt::reader

#endif

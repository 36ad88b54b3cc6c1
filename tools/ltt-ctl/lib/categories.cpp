// SPDX-License-Identifier: MIT
#include "categories.h"

#include "text.h"

namespace ltt
{

std::string filter_text(uint32_t filter, const std::vector<Category> &categories)
{
	std::string s;
	for (const Category &c : categories)
		if (filter & c.filter) {
			s += (s.empty() ? "" : ",") + c.name;
			filter &= ~c.filter;
		}
	if (filter || s.empty())
		s += (s.empty() ? "" : ",") + filter_bits(filter);
	return s;
}

} // namespace ltt

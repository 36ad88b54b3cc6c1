// SPDX-License-Identifier: MIT
#include "categories.h"

#include <algorithm>

#include "error.h"
#include "libraries.h"
#include "search_path.h"
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

uint32_t category_bits(
	const std::string &name, const std::vector<Object> &objects, const std::string &whose)
{
	std::vector<std::string> known;
	uint32_t bits = 0;

	for (const Object &object : objects)
		for (const Category &c : object.definitions.categories) {
			known.push_back(c.name);
			if (c.name == name)
				bits |= c.filter;
		}
	if (bits)
		return bits;
	std::sort(known.begin(), known.end());
	known.erase(std::unique(known.begin(), known.end()), known.end());
	std::string names;
	for (const std::string &k : known)
		names += (names.empty() ? "" : ", ") + k;
	throw Error(Exit::misuse,
		"there is no category " + printable(name) + " in " + whose +
			(names.empty() ? ", which names none" : "; there are " + names));
}

std::vector<Object> objects_of_command(const std::string &command)
{
	const std::string program = find_command(command);
	if (program.empty())
		throw Error(Exit::misuse,
			"cannot look for categories in " + command +
				": there is no such command; --program FILE names another program");
	std::vector<Object> all;
	try {
		all.push_back(object_of_file(program));
	} catch (const Error &e) {
		throw Error(e.code(), std::string(e.what()) +
					      "; --program FILE names the program that has the "
					      "categories");
	}
	for (const std::string &library : libraries_of(program))
		try {
			all.push_back(object_of_file(library));
		} catch (const Error &) {
			// One that is damaged has no names; the program will tell about it.
		}
	return all;
}

} // namespace ltt

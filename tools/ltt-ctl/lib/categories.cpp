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
	std::vector<std::string> names;
	for (const Category &c : categories)
		if (filter & c.filter) {
			names.push_back(c.name);
			filter &= ~c.filter;
		}
	if (filter || names.empty())
		names.push_back(filter_bits(filter));
	return join(names, ",");
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
	throw Error(Exit::misuse,
		"there is no category " + printable(name) + " in " + whose +
			(known.empty() ? ", which names none" : "; there are " + join(known)));
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

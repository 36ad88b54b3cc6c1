// SPDX-License-Identifier: MIT
#include "programs.h"

#include <cstdio>

#include "../lib/categories.h"
#include "../lib/error.h"

namespace ltt
{

namespace
{

std::vector<Object> objects_of_all(const std::vector<std::string> &names)
{
	std::vector<Object> all;
	for (const std::string &name : names)
		for (Object &object : objects_of(name, [](const std::string &line) {
			     std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
		     }))
			all.push_back(std::move(object));
	return all;
}

} // namespace

void Programs::add_to(Arguments &a, bool command)
{
	a.list("--program", "FILE|PID", names_,
		std::string("whose categories are meant by names such as shop:orders: a program, "
			    "a library, or the number of a process") +
			(command ? "; default: the command and its libraries" : ""));
}

CategoryLookup Programs::lookup(const std::string &command) const
{
	std::vector<Object> objects;
	bool looked = false;

	return [names = names_, command, objects, looked](const std::string &name) mutable {
		if (names.empty() && command.empty())
			throw Error(Exit::misuse,
				"\"" + printable(name) +
					"\" is a category of a program's own: say whose by "
					"--program FILE, or PID");
		if (!looked)
			objects =
				names.empty() ? objects_of_command(command) : objects_of_all(names);
		looked = true;
		std::string whose;
		for (const std::string &n : names)
			whose += (whose.empty() ? "" : ", ") + n;
		return category_bits(name, objects, names.empty() ? command : whose);
	};
}

} // namespace ltt

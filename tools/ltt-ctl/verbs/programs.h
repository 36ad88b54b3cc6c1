// SPDX-License-Identifier: MIT
// Whose names of filter bits are meant: create, run and filter have the option.
#ifndef LTT_CTL_PROGRAMS_H
#define LTT_CTL_PROGRAMS_H

#include <string>
#include <vector>

#include "../lib/arguments.h"
#include "../lib/text.h"

namespace ltt
{

class Programs
{
public:
	// @command: there is one whose names are meant without the option.
	void add_to(Arguments &arguments, bool command);
	// Looks only if it is asked, and once. @command: as above, "" for none.
	CategoryLookup lookup(const std::string &command = "") const;

private:
	std::vector<std::string> names_;
};

} // namespace ltt

#endif

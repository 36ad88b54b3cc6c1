// SPDX-License-Identifier: MIT
#include "terminal.h"

#include <cstdlib>

#include <unistd.h>

namespace ltt
{

bool wants_colour(int descriptor)
{
	const char *none = std::getenv("NO_COLOR"), *type = std::getenv("TERM");

	return isatty(descriptor) == 1 && !(none && *none) && type && *type &&
	       std::string(type) != "dumb";
}

std::string coloured(const std::string &text, Colour colour, bool wanted)
{
	static constexpr const char *codes[] = {"32", "33", "31"};

	if (!wanted)
		return text;
	return std::string("\033[") + codes[static_cast<int>(colour)] + "m" + text + "\033[m";
}

} // namespace ltt

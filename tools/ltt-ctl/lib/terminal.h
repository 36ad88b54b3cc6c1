// SPDX-License-Identifier: MIT
// Colour, for people at a terminal.
#ifndef LTT_CTL_TERMINAL_H
#define LTT_CTL_TERMINAL_H

#include <string>

namespace ltt
{

enum class Colour {
	green,
	yellow,
	red,
};

// On a terminal that knows colour, unless the user wants none: NO_COLOR is set and not
// empty, or TERM is "dumb".
bool wants_colour(int descriptor);

std::string coloured(const std::string &text, Colour colour, bool wanted);

} // namespace ltt

#endif

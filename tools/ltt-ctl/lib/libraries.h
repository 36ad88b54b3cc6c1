// SPDX-License-Identifier: MIT
// The libraries that a program is going to load.
#ifndef LTT_CTL_LIBRARIES_H
#define LTT_CTL_LIBRARIES_H

#include <string>
#include <vector>

namespace ltt
{

// Of an executable as it would be started now. Its own dynamic linker says them, so that
// nothing here can differ from it: only for programs that are to be executed anyway. Those of
// dlopen() are not among them, and a static program has none.
std::vector<std::string> libraries_of(const std::string &program);

// The paths in what a dynamic linker says to --list.
std::vector<std::string> parse_library_list(const std::string &text);

} // namespace ltt

#endif

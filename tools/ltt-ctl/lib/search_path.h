// SPDX-License-Identifier: MIT
// Where a shell finds a command.
#ifndef LTT_CTL_SEARCH_PATH_H
#define LTT_CTL_SEARCH_PATH_H

#include <string>

namespace ltt
{

// The variable PATH, or what it is when it is not set.
std::string search_path();
// The file that execvp() would execute; "" if there is none.
std::string find_command(const std::string &command, const std::string &path);
std::string find_command(const std::string &command);

} // namespace ltt

#endif

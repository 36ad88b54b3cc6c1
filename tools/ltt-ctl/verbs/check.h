// SPDX-License-Identifier: MIT
// What check looks at.
#ifndef LTT_CTL_CHECK_H
#define LTT_CTL_CHECK_H

#include <string>

namespace ltt
{

// This machine. Returns the exit status.
int check_this_machine(bool json);
// A session directory. Returns the exit status.
int check_directory(const std::string &directory, bool json, bool repair);

} // namespace ltt

#endif

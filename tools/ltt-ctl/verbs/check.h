// SPDX-License-Identifier: MIT
// What check looks at.
#ifndef LTT_CTL_CHECK_H
#define LTT_CTL_CHECK_H

namespace ltt
{

// This machine. Returns the exit status.
int check_this_machine(bool json);

} // namespace ltt

#endif

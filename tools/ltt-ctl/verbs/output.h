// SPDX-License-Identifier: MIT
// The options that say where and how a session is written.
#ifndef LTT_CTL_OUTPUT_H
#define LTT_CTL_OUTPUT_H

#include <string>

#include "../lib/arguments.h"

namespace ltt
{

// Of record and snapshot, which have no default for it.
void add_output(Arguments &arguments, std::string &directory);
// Of all that write events.
// vpid, vtid and procname, which a recorder may add.
void add_contexts(Arguments &arguments, std::string &contexts);

} // namespace ltt

#endif

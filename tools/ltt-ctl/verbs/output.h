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
void add_event_context(Arguments &arguments, bool &event_context);

} // namespace ltt

#endif

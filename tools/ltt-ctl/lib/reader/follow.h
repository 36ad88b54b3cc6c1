// SPDX-License-Identifier: MIT
// Prints a trace while it goes on.
#ifndef LTT_CTL_READER_FOLLOW_H
#define LTT_CTL_READER_FOLLOW_H

#include <cstdio>
#include <string>

#include "../kernel.h"
#include "live.h"

namespace ltt::reader
{

// Until the trace is destroyed or a signal asks for the end. By snapshots, which take nothing
// away; or, with @take, as a recorder does. Throws Error.
void follow_trace(Kernel &kernel, const std::string &name, const LiveOptions &options, bool take,
	Printer &printer, FILE *out, const Live::Report &report);

} // namespace ltt::reader

#endif

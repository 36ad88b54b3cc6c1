// SPDX-License-Identifier: MIT
// Prints a session directory.
#ifndef LTT_CTL_READER_VIEW_H
#define LTT_CTL_READER_VIEW_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "../error.h"
#include "printer.h"

namespace ltt::reader
{

// Which events; all if nothing is set.
struct ViewOptions {
	std::string rules;   // of parse_rules()
	std::string program; // as its directory is called
	int64_t tid = 0;
	std::string from, to; // for parse_time()
};

// @report gets a line for each thing that cannot be shown. Returns fine or damaged; throws
// Error.
Exit view_session(const std::string &directory, const ViewOptions &options, Printer &printer,
	FILE *out, const std::function<void(const std::string &)> &report);

} // namespace ltt::reader

#endif

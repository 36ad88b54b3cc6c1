// SPDX-License-Identifier: MIT
// Sets aside what check_session() found, so that the rest is a session that every reader opens.
#ifndef LTT_CTL_READER_REPAIR_H
#define LTT_CTL_READER_REPAIR_H

#include <string>
#include <vector>

#include "check.h"

namespace ltt::reader
{

struct Repaired {
	std::vector<std::string> set_aside;    // files in DIR/bad
	std::vector<std::string> not_repaired; // one line each: what could not be, and why
	uint64_t lost = 0;		       // events in what was set aside or is missing
};

// Whatever is taken out of a file goes to DIR/bad first. Nobody else may write to the directory
// meanwhile. Throws Error.
Repaired repair_session(const Checked &checked);

} // namespace ltt::reader

#endif

// SPDX-License-Identifier: MIT
#include "json.h"

#include <cstdio>

namespace ltt
{

void add_json(Arguments &a, bool &json)
{
	a.flag("--json", json, "print JSON, for scripts");
}

void print(const Json &json)
{
	// Labels, documentation and names of files may be any bytes.
	std::printf(
		"%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

} // namespace ltt

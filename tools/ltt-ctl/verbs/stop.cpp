// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_stop(const Words &words)
{
	std::string name;

	Arguments a("stop", describe("stop"));
	a.positional("NAME", name, "the trace");
	a.example("ltt-ctl stop mine");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	open_device()->open(name)->stop();
	return 0;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_filter(const Words &words)
{
	std::string name, text;

	Arguments a("filter", describe("filter"));
	a.positional("NAME", name, "the trace");
	a.positional("FILTER", text, filter_words);
	a.example("ltt-ctl filter mine 0x5");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	uint32_t mask = parse_filter(text);
	open_device()->open(name)->filter(mask);
	return 0;
}

} // namespace ltt

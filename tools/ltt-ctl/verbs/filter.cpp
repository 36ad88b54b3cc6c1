// SPDX-License-Identifier: MIT
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "programs.h"
#include "verbs.h"

namespace ltt
{

int verb_filter(const Words &words)
{
	std::string name, text;
	Programs programs;

	Arguments a("filter", describe("filter"));
	a.positional("NAME", name, "the trace");
	a.positional("FILTER", text,
		std::string(filter_words) + "; bits are bit0 to bit31, or the categories " +
			standard_categories() + ", or a program's own");
	programs.add_to(a, false);
	a.example("ltt-ctl filter mine 0x5");
	a.example("ltt-ctl filter mine net,error,bit3");
	a.example("ltt-ctl filter mine shop:orders --program ./shop");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	uint32_t mask = parse_filter(text, programs.lookup());
	open_device()->open(name)->filter(mask);
	return 0;
}

} // namespace ltt

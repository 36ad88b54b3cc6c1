// SPDX-License-Identifier: MIT
#include "../lib/rules.h"
#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

int verb_rules(const Words &words)
{
	std::string name, text;

	Arguments a("rules", describe("rules"));
	a.positional("NAME", name, "the trace");
	a.positional("RULES", text, std::string(rules_words) + "; '' for all events");
	a.example("ltt-ctl rules mine 'net:*,!net:noise'");
	a.example("ltt-ctl rules mine '*@warning'");
	if (!a.parse(words))
		return 0;

	check_trace_name(name);
	text = parse_rules(text);
	open_device()->open(name)->set_rules(text);
	return 0;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include <cstdio>

#include "../lib/arguments.h"
#include "verbs.h"

namespace ltt
{

int verb_help(const Words &words)
{
	std::string topic;

	Arguments a("help", describe("help"));
	a.positional("VERB", topic, "the verb to explain; without it, all are listed", false);
	if (!a.parse(words))
		return 0;

	if (topic.empty()) {
		std::fputs(usage().c_str(), stdout);
		return 0;
	}
	for (const Verb *v = verbs; v->name; ++v)
		if (topic == v->name)
			return v->function({"--help"});
	refuse_verb(topic);
}

} // namespace ltt

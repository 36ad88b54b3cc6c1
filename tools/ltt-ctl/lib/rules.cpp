// SPDX-License-Identifier: MIT
#include "rules.h"

#include <algorithm>

#include <ust/detail/rules.h>

#include "error.h"

namespace ltt
{

namespace
{

void check_rule(const std::string &rule)
{
	const std::string pattern = rule.substr(rule[0] == '!');
	const size_t at = pattern.rfind('@');

	if (pattern.empty() || at == 0)
		throw Error(
			Exit::misuse, "rule \"" + rule +
					      "\" names no events; write them as provider:name, "
					      "with * for any characters");
	for (char c : rule)
		if (c < ' ' || c > '~')
			throw Error(Exit::misuse,
				"a rule has a character that no name of an event has; names are "
				"of printable ASCII");
	if (at == std::string::npos)
		return;
	const char *const begin = pattern.data() + at + 1;
	if (ust_level_of({begin, pattern.data() + pattern.size()}) > UST_LEVEL_DEBUG)
		throw Error(Exit::misuse,
			"rule \"" + rule +
				"\" has an unknown level; levels are emerg, alert, crit, "
				"err, warning, notice, info and debug");
}

} // namespace

std::string parse_rules(const std::string &text)
{
	std::string all;

	for (size_t at = 0, end; at <= text.size(); at = end + 1) {
		end = std::min(text.find(',', at), text.size());
		const size_t first = text.find_first_not_of(' ', at);
		if (first >= end)
			continue;
		const size_t last = text.find_last_not_of(' ', end - 1);
		const std::string rule = text.substr(first, last - first + 1);
		check_rule(rule);
		all += (all.empty() ? "" : ",") + rule;
	}
	if (all.size() > LTT_MAX_RULES)
		throw Error(Exit::misuse, "rules of " + std::to_string(all.size()) +
						  " characters are too long: a trace may have " +
						  std::to_string(LTT_MAX_RULES));
	return all;
}

} // namespace ltt

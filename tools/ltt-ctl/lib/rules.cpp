// SPDX-License-Identifier: MIT
#include "rules.h"

#include <ust/detail/rules.h>

#include "error.h"

namespace ltt
{

namespace
{

void check_rule(const ust_rule_text &text)
{
	const std::string word(text.at, text.end);
	const ust_rule rule = ust_parts_of(text);

	if (rule.pattern.at == rule.pattern.end)
		throw Error(
			Exit::misuse, "rule \"" + word +
					      "\" names no events; write them as provider:name, "
					      "with * for any characters");
	for (char c : word)
		if (c < ' ' || c > '~')
			throw Error(Exit::misuse,
				"a rule has a character that no name of an event has; names are "
				"of printable ASCII");
	if (rule.level.at && ust_level_of(rule.level) > UST_LEVEL_DEBUG)
		throw Error(Exit::misuse,
			"rule \"" + word +
				"\" has an unknown level; levels are emerg, alert, crit, "
				"err, warning, notice, info and debug");
}

} // namespace

std::string parse_rules(const std::string &text)
{
	ust_rule_text rest = {text.data(), text.data() + text.size()}, rule;
	std::string all;

	while (ust_next_rule(&rest, &rule)) {
		check_rule(rule);
		all += (all.empty() ? "" : ",") + std::string(rule.at, rule.end);
	}
	if (all.size() > LTT_MAX_RULES)
		throw Error(Exit::misuse, "rules of " + std::to_string(all.size()) +
						  " characters are too long: a trace may have " +
						  std::to_string(LTT_MAX_RULES));
	return all;
}

RuleVerdict ask_rules(const std::string &rules, const Definition &event)
{
	const ust_name name = {event.provider.c_str(), event.name.c_str(), event.provider.size()};
	ust_rule_text rest = {rules.data(), rules.data() + rules.size()}, text;
	RuleVerdict verdict;

	verdict.takes = rules.empty() || ust_rules_say(rest, &name, event.level);
	while (ust_next_rule(&rest, &text)) {
		const ust_rule rule = ust_parts_of(text);
		if (ust_rule_means(&rule, &name, event.level))
			verdict.rule.assign(text.at, text.end);
	}
	return verdict;
}

} // namespace ltt

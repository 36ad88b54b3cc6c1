// SPDX-License-Identifier: MIT
// Rules: which events a trace takes, by name and level (format: ust/definition.h).
#ifndef LTT_CTL_RULES_H
#define LTT_CTL_RULES_H

#include <string>

#include "definitions.h"

namespace ltt
{

// What the kernel is to be told, without blanks that mean nothing. Throws Error(misuse) that
// names the rule and the reason. "" is no rules.
std::string parse_rules(const std::string &text);
struct RuleVerdict {
	bool takes = true;
	std::string rule; // that decided; "" if none means the event
};

// What markers find when they ask.
RuleVerdict ask_rules(const std::string &rules, const Definition &event);

// For helps.
constexpr char rules_words[] = "patterns of provider:name, between commas: 'net:*', without "
			       "'!net:noise', 'net:*@warning' and more urgent";

} // namespace ltt

#endif

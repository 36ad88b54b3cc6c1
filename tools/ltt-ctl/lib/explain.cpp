// SPDX-License-Identifier: MIT
#include "explain.h"

#include <algorithm>

#include "categories.h"
#include "rules.h"
#include "text.h"

namespace ltt
{

namespace
{

Explanation no(const char *why, const std::string &text)
{
	return {false, why, text};
}

std::string quoted(const std::string &rule)
{
	return "\"" + rule + "\"";
}

std::string text_of(const RuleVerdict &verdict, const std::string &rules)
{
	if (!verdict.rule.empty())
		return "the rule " + quoted(verdict.rule) + " leaves it out";
	return "no rule of " + quoted(rules) + " takes it";
}

} // namespace

Explanation explain_process(const ltt_trace_info &trace, const TracedProcess &process)
{
	const std::string who = "process " + process.pid;

	if (!trace.active)
		return no("stopped", "the trace is stopped: ltt-ctl start " + trace_name(trace));
	if (process.has_buffer_of(trace))
		return {true, "taken", who + " has a buffer of it"};
	const bool privileged_trace = trace.flags & LTT_TRACE_SYSTEM;
	const bool same_user = std::all_of(process.uids.begin(), process.uids.end(),
		[&](uint32_t uid) { return uid == trace.uid; });
	if (!privileged_trace && !same_user)
		return no("user", "the trace covers processes of user " +
					  std::to_string(trace.uid) + " only, and " + who +
					  " is one of user " +
					  std::to_string(process.uids.front()));
	std::string text = "no thread of " + who + " has a buffer of it: ";
	if (!process.has_signal)
		return no("silent",
			text + "its markers are silent, as the kernel or a seccomp filter refused "
			       "them when it began; ltt-ctl check tells more");
	text += "none met a marker that it takes";
	if (trace.n_targets)
		return no("limits", text + ", or its limits (" + std::to_string(trace.n_targets) +
					    ") leave the process out");
	return {true, "not-reached", text};
}

Explanation explain_event(const ltt_trace_info &trace, const std::string &rules,
	const Definition &event, const std::vector<Category> &categories, const EventCounts *counts)
{
	if (!(event.filter & trace.filter))
		return no("filter", "the trace's filter (" + format_categories(trace.filter) +
					    ") has none of its bits (" +
					    filter_text(event.filter, categories) + ")");
	const RuleVerdict verdict = ask_rules(rules, event);
	if (!verdict.takes)
		return no("rules", text_of(verdict, rules));
	if (!counts)
		return {true, "taken", "its filter and its rules let it through"};
	if (const uint64_t n = counts->of(event.full_name()))
		return {true, "taken", std::to_string(n) + " in the trace now"};
	std::string text = "none in the trace now: not reached, or a recorder took them";
	if (counts->lost)
		text += ", or they are among the " + std::to_string(counts->lost) + " lost";
	return {true, "not-reached", text};
}

} // namespace ltt

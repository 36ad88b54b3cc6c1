// SPDX-License-Identifier: MIT
//
// The rules of a trace: which events it takes, by name and level. The text is described
// in ust/definition.h. It lies in the trace page, and may change while it is read.
#ifndef UST_DETAIL_RULES_H
#define UST_DETAIL_RULES_H

#include "../definition.h"
#include "buffer.h"

UST_DETAIL_C_BEGIN

// A part of a text of rules.
struct ust_rule_text {
	const char *at;
	const char *end;
};

// Character i of "provider:name"; NUL after the last.
struct ust_name {
	const char *provider;
	const char *name;
	size_t provider_length;
};

UST_DETAIL_C_HELPER char ust_name_at(const struct ust_name *name, size_t i)
{
	if (i < name->provider_length)
		return name->provider[i];
	return i == name->provider_length ? ':' : name->name[i - name->provider_length - 1];
}

// Is the name one that the pattern means? '*' stands for any characters, '?' for one.
// Takes at most as many steps as the lengths of both multiplied.
UST_DETAIL_C_HELPER bool ust_matches(struct ust_rule_text pattern, const struct ust_name *name)
{
	const char *star = NULL; // after the last '*' that was met
	size_t i = 0, retry = 0; // retry: of the name, where that one ends

	for (;;) {
		const char c = ust_name_at(name, i);
		const char p = pattern.at != pattern.end ? ust_load(pattern.at) : '\0';
		if (p == '*') {
			star = ++pattern.at;
			retry = i;
		} else if (c && (p == c || p == '?')) {
			++pattern.at;
			++i;
		} else if (!c && !p) {
			return true;
		} else if (c && star) {
			pattern.at = star;
			i = ++retry;
		} else {
			return false;
		}
	}
}

// The number of a level: digits, or a word; UINT_MAX for anything else.
UST_DETAIL_C_HELPER unsigned ust_level_of(struct ust_rule_text text)
{
	static const char words[][8] = {
		"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"};
	const size_t length = (size_t)(text.end - text.at);
	unsigned number = 0;

	for (unsigned i = 0; i < sizeof words / sizeof words[0]; ++i)
		if (length == strlen(words[i]) && memcmp(words[i], text.at, length) == 0)
			return i < UST_LEVEL_INFO + 1u ? i : (unsigned)UST_LEVEL_DEBUG;
	if (!length || length > 2)
		return ~0u;
	for (; text.at != text.end; ++text.at) {
		const char c = ust_load(text.at);
		if (c < '0' || c > '9')
			return ~0u;
		number = 10 * number + (unsigned)(c - '0');
	}
	return number;
}

// The parts of a rule: "pattern", "pattern@level", either with a '!' before it.
struct ust_rule {
	struct ust_rule_text pattern;
	struct ust_rule_text level; // at: null for none
	bool out;		    // leaves out what it means
};

UST_DETAIL_C_HELPER struct ust_rule ust_parts_of(struct ust_rule_text text)
{
	struct ust_rule rule = {text, {NULL, NULL}, ust_load(text.at) == '!'};

	rule.pattern.at += rule.out;
	for (const char *at = text.end; at != rule.pattern.at; --at) {
		if (ust_load(at - 1) != '@')
			continue;
		rule.level.at = at;
		rule.level.end = text.end;
		rule.pattern.end = at - 1;
		break;
	}
	return rule;
}

// Takes the first rule off the front, without the blanks around it; false if there is none
// left.
UST_DETAIL_C_HELPER bool ust_next_rule(struct ust_rule_text *rules, struct ust_rule_text *rule)
{
	while (rules->at != rules->end) {
		rule->at = rule->end = rules->at;
		while (rule->end != rules->end && ust_load(rule->end) != ',')
			++rule->end;
		rules->at = rule->end == rules->end ? rule->end : rule->end + 1;
		while (rule->at != rule->end && ust_load(rule->at) == ' ')
			++rule->at;
		while (rule->at != rule->end && ust_load(rule->end - 1) == ' ')
			--rule->end;
		if (rule->at != rule->end)
			return true;
	}
	return false;
}

UST_DETAIL_C_HELPER bool ust_rule_means(
	const struct ust_rule *rule, const struct ust_name *name, unsigned level)
{
	if (rule->level.at) {
		const unsigned least = ust_level_of(rule->level);
		if (least == ~0u || level > least)
			return false;
	}
	return ust_matches(rule->pattern, name);
}

// What the rules say: the last one that means the event decides.
UST_DETAIL_C_HELPER bool ust_rules_say(
	struct ust_rule_text rules, const struct ust_name *name, unsigned level)
{
	bool take = true, first = true;
	struct ust_rule_text text;

	while (ust_next_rule(&rules, &text)) {
		const struct ust_rule rule = ust_parts_of(text);
		// Who begins with what to take takes nothing else.
		if (first)
			take = rule.out;
		first = false;
		if (ust_rule_means(&rule, name, level))
			take = !rule.out;
	}
	return take;
}

#if defined(__SANITIZE_THREAD__)
// gcc's thread sanitizer does not follow fences; the partner of this one is the kernel.
#pragma GCC diagnostic ignored "-Wtsan"
#endif

// Do the rules of the buffer's trace take the event?
UST_DETAIL_C_HELPER bool ust_rules_take(ust_buffer *b, const struct ust_definition *definition)
{
	struct ust_name name = {definition->strings, NULL, strlen(definition->strings)};
	bool take = true;

	name.name = name.provider + name.provider_length + 1;
	if (ust_load(&b->size) <
		offsetof(struct ltt_trace_page, rules_sequence) + sizeof b->rules_sequence)
		return true; // of a kernel without rules
	// The kernel changes them in a moment, and then once more the generation of the
	// gate: whoever sees half of them asks again.
	for (int tries = 0; tries < 100; ++tries) {
		const uint32_t sequence = __atomic_load_n(&b->rules_sequence, __ATOMIC_ACQUIRE);
		const uint32_t size = ust_load(&b->rules_size);
		if (sequence & 1 || size > LTT_MAX_RULES)
			continue;
		const char *const text = (const char *)b + ust_load(&b->rules_offset);
		const struct ust_rule_text rules = {text, text + size};
		take = !size || ust_rules_say(rules, &name, definition->level);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (ust_load(&b->rules_sequence) == sequence)
			break;
	}
	return take;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_RULES_H

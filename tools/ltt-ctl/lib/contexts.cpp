// SPDX-License-Identifier: MIT
#include "contexts.h"

#include <ust/definition.h>

#include "error.h"
#include "text.h"

namespace ltt
{

// Names are LTTng's where it has the same.
const std::vector<Context> all_contexts = {
	{LTT_CONTEXT_VPID, "vpid", "vpid", UST_TYPE_I32, 4},
	{LTT_CONTEXT_VTID, "vtid", "vtid", UST_TYPE_I32, 4},
	{LTT_CONTEXT_PROCNAME, "procname", "procname", UST_TYPE_CHAR, LTT_COMM_SIZE},
	{LTT_CONTEXT_CPU, "cpu_id", "cpu_id", UST_TYPE_U32, 4},
	{LTT_CONTEXT_IP, "ip", "ip", UST_TYPE_POINTER, 8},
	{LTT_CONTEXT_PTHREAD, "pthread_id", "pthread_id", UST_TYPE_POINTER, 8},
	{LTT_CONTEXT_TASK_CLOCK, "perf:thread:task-clock", "perf_thread_task_clock", UST_TYPE_U64,
		8},
	{LTT_CONTEXT_PAGE_FAULTS, "perf:thread:page-faults", "perf_thread_page_faults",
		UST_TYPE_U64, 8},
	{LTT_CONTEXT_SWITCHES, "perf:thread:context-switches", "perf_thread_context_switches",
		UST_TYPE_U64, 8},
	{LTT_CONTEXT_APP, "app", nullptr, 0, 0},
};

std::vector<std::string> context_names(uint32_t mask)
{
	std::vector<std::string> names;
	for (const Context &c : all_contexts)
		if (mask & c.bit)
			names.emplace_back(c.name);
	return names;
}

std::string context_words(uint32_t allowed)
{
	return join(context_names(allowed));
}

namespace
{

uint32_t parse_context(const std::string &word, uint32_t allowed)
{
	for (const Context &c : all_contexts) {
		if (word != c.name)
			continue;
		if (c.bit & allowed)
			return c.bit;
		throw Error(Exit::misuse,
			"context " + word +
				" is written by the program: a trace has it from the begin "
				"(ltt-ctl create --context) or not; here: " +
				context_words(allowed));
	}
	throw Error(Exit::misuse, (word.empty() ? "a context has no name" : "no context " + word) +
					  "; there are " + context_words(allowed));
}

} // namespace

uint32_t parse_contexts(const std::string &text, uint32_t allowed)
{
	uint32_t mask = 0;
	size_t at = 0;

	while (at < text.size()) {
		size_t comma = std::min(text.find(',', at), text.size());
		mask |= parse_context(text.substr(at, comma - at), allowed);
		at = comma + 1;
	}
	return mask;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "../lib/arguments.h"
#include "../lib/contexts.h"
#include "../lib/error.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

namespace
{

struct Listed {
	ltt_trace_info info;
	std::string rules;
};

// Traces come and go: one that is gone by now is none.
std::vector<Listed> traces_of(Kernel &kernel)
{
	std::vector<Listed> all;
	for (const ltt_trace_info &info : kernel.list())
		try {
			all.push_back({info, kernel.open(trace_name(info))->rules()});
		} catch (const Error &) {
		}
	return all;
}

// The form for scripts: keys are only ever added. Sizes in bytes.
void print_json(const std::vector<Listed> &traces)
{
	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (const auto &[t, rules] : traces)
		all.push_back({
			{"name", trace_name(t)},
			{"active", t.active != 0},
			{"system", (t.flags & LTT_TRACE_SYSTEM) != 0},
			{"boot", (t.flags & LTT_TRACE_BOOT) != 0},
			{"filter", t.filter},
			{"mode", format_mode(t.mode)},
			{"subbuf_size", t.subbuf_size},
			{"n_subbufs", t.n_subbufs},
			{"buffers", t.buffers},
			{"memory", t.memory},
			{"lost", t.lost},
			{"refused", t.refused},
			{"uid", t.uid},
			{"clock", t.clock == LTT_CLOCK_TSC ? "tsc" : "monotonic"},
			{"clock_freq", t.clock_freq},
			{"overwritten", t.overwritten},
			{"pool", t.pool},
			{"max_memory", t.max_memory},
			{"timeout_us", t.timeout_us},
			{"targets", t.n_targets},
			{"rules", rules},
			{"contexts", context_names(t.contexts)},
		});
	std::printf("%s\n", all.dump(2).c_str());
}

std::string coverage(const ltt_trace_info &t)
{
	std::string text = t.flags & LTT_TRACE_BOOT	? "boot"
			   : t.flags & LTT_TRACE_SYSTEM ? "system"
							: "own";
	return t.n_targets ? text + "/" + std::to_string(t.n_targets) : text;
}

std::string memory(const ltt_trace_info &t)
{
	std::string text = format_size(t.memory - t.pool);
	return t.pool ? text + "+" + format_size(t.pool) : text;
}

void print_table(const std::vector<Listed> &traces)
{
	std::vector<std::vector<std::string>> rows = {
		{"NAME", "STATE", "COVERS", "FILTER", "MODE", "SUB-BUFFERS", "BUFFERS", "MEMORY",
			"LOST", "OVERWRITTEN", "REFUSED", "UID", "EVENTS"}};
	for (const auto &[t, rules] : traces)
		rows.push_back({trace_name(t), t.active ? "active" : "stopped", coverage(t),
			format_filter(t.filter), format_mode(t.mode),
			std::to_string(t.n_subbufs) + " x " + format_size(t.subbuf_size),
			std::to_string(t.buffers), memory(t), std::to_string(t.lost),
			std::to_string(t.overwritten), std::to_string(t.refused),
			std::to_string(t.uid), rules.empty() ? "all" : rules});
	std::vector<size_t> widths(rows[0].size());
	for (const auto &row : rows)
		for (size_t i = 0; i < row.size(); ++i)
			widths[i] = std::max(widths[i], row[i].size());
	for (const auto &row : rows) {
		for (size_t i = 0; i + 1 < row.size(); ++i)
			std::printf("%-*s  ", static_cast<int>(widths[i]), row[i].c_str());
		std::printf("%s\n", row.back().c_str());
	}
}

} // namespace

int verb_list(const Words &words)
{
	bool json = false;

	Arguments a("list", describe("list"));
	a.flag("--json", json, "print JSON, for scripts");
	if (!a.parse(words))
		return 0;

	const std::vector<Listed> traces = traces_of(*open_device());
	if (json)
		print_json(traces);
	else
		print_table(traces);
	return 0;
}

} // namespace ltt

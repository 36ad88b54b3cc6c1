// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "../lib/arguments.h"
#include "../lib/text.h"
#include "json.h"
#include "traces.h"
#include "verbs.h"

namespace ltt
{

namespace
{

std::string coverage(const ShownTrace &t)
{
	std::string text = t.covers();
	return t.info.n_targets ? text + "/" + std::to_string(t.info.n_targets) : text;
}

std::string memory(const ltt_trace_info &t)
{
	std::string text = format_size(t.memory - t.pool);
	return t.pool ? text + "+" + format_size(t.pool) : text;
}

void print_table(const std::vector<ShownTrace> &traces)
{
	std::vector<std::vector<std::string>> rows = {
		{"NAME", "STATE", "COVERS", "FILTER", "MODE", "SUB-BUFFERS", "BUFFERS", "MEMORY",
			"LOST", "OVERWRITTEN", "REFUSED", "UID", "EVENTS"}};
	for (const ShownTrace &shown : traces) {
		const ltt_trace_info &t = shown.info;
		rows.push_back({trace_name(t), t.active ? "active" : "stopped", coverage(shown),
			format_filter(t.filter), format_mode(t.mode),
			std::to_string(t.n_subbufs) + " x " + format_size(t.subbuf_size),
			std::to_string(t.buffers), memory(t), std::to_string(t.lost),
			std::to_string(t.overwritten), std::to_string(t.refused),
			std::to_string(t.uid), shown.rules.empty() ? "all" : shown.rules});
	}
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
	add_json(a, json);
	if (!a.parse(words))
		return 0;

	const std::vector<ShownTrace> traces = all_traces(*open_device());
	if (json) {
		Json all = Json::array();
		for (const ShownTrace &t : traces)
			all.push_back(json_of(t));
		print(all);
	} else {
		print_table(traces);
	}
	return 0;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "../lib/arguments.h"
#include "../lib/kernel.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

namespace
{

// The form for scripts: keys are only ever added. Sizes in bytes.
void print_json(const std::vector<ltt_trace_info> &traces)
{
	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (const ltt_trace_info &t : traces)
		all.push_back({
			{"name", trace_name(t)},
			{"active", t.active != 0},
			{"system", (t.flags & LTT_TRACE_SYSTEM) != 0},
			{"boot", (t.flags & LTT_TRACE_BOOT) != 0},
			{"filter", t.filter},
			{"mode", "discard"},
			{"subbuf_size", t.subbuf_size},
			{"n_subbufs", t.n_subbufs},
			{"buffers", t.buffers},
			{"memory", t.memory},
			{"lost", t.lost},
			{"refused", t.refused},
			{"uid", t.uid},
			{"clock", t.clock == LTT_CLOCK_TSC ? "tsc" : "monotonic"},
			{"clock_freq", t.clock_freq},
		});
	std::printf("%s\n", all.dump(2).c_str());
}

void print_table(const std::vector<ltt_trace_info> &traces)
{
	std::vector<std::vector<std::string>> rows = {{"NAME", "STATE", "COVERS", "FILTER",
		"SUB-BUFFERS", "BUFFERS", "MEMORY", "LOST", "REFUSED", "UID"}};
	for (const ltt_trace_info &t : traces)
		rows.push_back({trace_name(t), t.active ? "active" : "stopped",
			t.flags & LTT_TRACE_BOOT     ? "boot"
			: t.flags & LTT_TRACE_SYSTEM ? "system"
						     : "own",
			format_filter(t.filter),
			std::to_string(t.n_subbufs) + " x " + format_size(t.subbuf_size),
			std::to_string(t.buffers), format_size(t.memory), std::to_string(t.lost),
			std::to_string(t.refused), std::to_string(t.uid)});
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

	std::vector<ltt_trace_info> traces = open_device()->list();
	if (json)
		print_json(traces);
	else
		print_table(traces);
	return 0;
}

} // namespace ltt

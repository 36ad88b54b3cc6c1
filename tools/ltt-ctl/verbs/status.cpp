// SPDX-License-Identifier: MIT
#include <cstdio>

#include <unistd.h>

#include "../lib/contexts.h"
#include "../lib/machine.h"
#include "../lib/terminal.h"
#include "../lib/text.h"
#include "json.h"
#include "traces.h"
#include "verbs.h"

namespace ltt
{

namespace
{

// What the traces take together; who may not see all of them sees the sum of his own.
struct Sums {
	uint64_t active = 0, memory = 0;

	explicit Sums(const std::vector<ShownTrace> &traces)
	{
		for (const ShownTrace &t : traces) {
			active += t.info.active != 0;
			memory += t.info.memory;
		}
	}
};

Json number_or_null(const std::optional<uint64_t> &number)
{
	return number ? Json(*number) : Json();
}

// Keys are only ever added. Sizes in bytes; null is what cannot be read.
Json json_of(const Machine &m, uint32_t abi)
{
	return {
		{"host", m.host},
		{"kernel", m.kernel},
		{"abi", abi},
		{"clock", m.clock.empty() ? Json() : Json(m.clock)},
		{"may_trace_system", m.may_trace_system},
		{"max_traces", LTT_MAX_TRACES},
		{"user_traces", number_or_null(m.quotas.user_traces)},
		{"max_memory", number_or_null(m.quotas.memory)},
		{"user_memory", number_or_null(m.quotas.user_memory)},
	};
}

void print_json(const Machine &machine, uint32_t abi, const std::vector<ShownTrace> &traces)
{
	Json shown = Json::array();
	for (const ShownTrace &t : traces)
		shown.push_back(json_of(t));
	print({{"machine", json_of(machine, abi)}, {"traces", shown}});
}

void line(const char *key, const std::string &text)
{
	std::printf("  %-9s %s\n", key, text.c_str());
}

std::string size_or_unknown(const std::optional<uint64_t> &bytes)
{
	return bytes ? format_size(*bytes) : "?";
}

void print_machine(const Machine &m, uint32_t abi, const std::vector<ShownTrace> &traces)
{
	const Sums sums(traces);
	const std::string own = m.may_trace_system ? "" : "yours: ";

	std::printf("%s\n", m.host.c_str());
	line("kernel", m.kernel + ", ltt ABI " + std::to_string(abi));
	line("clock", m.clock.empty() ? "? (/sys is not there)" : m.clock);
	line("you", m.may_trace_system ? "may trace all processes"
				       : "may trace processes of your own; all of them need "
					 "CAP_PERFMON");
	line("traces",
		own + std::to_string(traces.size()) + ", " + std::to_string(sums.active) +
			" of them active; " + std::to_string(LTT_MAX_TRACES) + " there may be, " +
			(m.quotas.user_traces ? std::to_string(*m.quotas.user_traces) : "?") +
			" of a user");
	line("memory", own + format_size(sums.memory) + "; " + size_or_unknown(m.quotas.memory) +
			       " there may be, " + size_or_unknown(m.quotas.user_memory) +
			       " of a user");
}

std::string coverage(const ShownTrace &t)
{
	std::string text = t.info.flags & LTT_TRACE_BOOT ? "all processes, since the machine booted"
			   : t.info.flags & LTT_TRACE_SYSTEM
				   ? "all processes"
				   : "processes of user " + std::to_string(t.info.uid);
	if (t.info.flags & LTT_TRACE_PERSIST)
		text += ", kept over a reboot";
	if (t.info.n_targets)
		text += ", of these what " + std::to_string(t.info.n_targets) +
			(t.info.n_targets == 1 ? " limit chooses" : " limits choose");
	return text;
}

std::string when_full(const ltt_trace_info &t)
{
	switch (t.mode) {
	case LTT_MODE_DISCARD:
		return "discard new events";
	case LTT_MODE_OVERWRITE:
		return "overwrite the oldest";
	case LTT_MODE_BLOCK:
		return "block the writer up to " + format_time_us(t.timeout_us);
	}
	return "mode " + format_mode(t.mode); // of a newer kernel
}

std::string memory(const ltt_trace_info &t)
{
	std::string text = format_size(t.memory);
	if (t.pool)
		text += ", " + format_size(t.pool) + " of it kept for the next threads";
	if (t.max_memory)
		text += "; at most " + format_size(t.max_memory);
	return text;
}

// What somebody should do something about.
void print_notes(const ltt_trace_info &t, bool colour)
{
	const auto note = [colour](const std::string &text) {
		// Behind the colour, as much room as line() leaves.
		std::printf("  %s      %s\n", coloured("note", Colour::yellow, colour).c_str(),
			text.c_str());
	};

	if (!t.filter)
		note("it takes no event, as its filter is none: ltt-ctl filter " + trace_name(t) +
			" all");
	if (t.lost)
		note("events were lost: larger or more sub-buffers, when it is created, "
		     "help; so does a recorder");
	if (t.refused)
		note("the threads of refused buffers are not traced: memory is short, or "
		     "limited by --memory or a quota");
}

void print_trace(const ShownTrace &shown, bool colour)
{
	const ltt_trace_info &t = shown.info;

	std::printf("%s: %s\n", trace_name(t).c_str(),
		t.active ? coloured("active", Colour::green, colour).c_str() : "stopped");
	line("covers", coverage(shown));
	line("filter", format_categories(t.filter));
	line("events", shown.rules.empty() ? "all" : shown.rules);
	line("kernel", shown.kernel.empty() ? "none" : shown.kernel);
	line("contexts", t.contexts ? context_words(t.contexts) : "none");
	line("buffers", std::to_string(t.buffers) + "; of a thread: " +
				std::to_string(t.n_subbufs) + " x " + format_size(t.subbuf_size) +
				"; when they are full: " + when_full(t));
	line("memory", memory(t));
	line("losses", std::to_string(t.lost) + " events lost, " + std::to_string(t.overwritten) +
			       " overwritten, " + std::to_string(t.refused) + " buffers refused");
	line("clock", format_clock(t.clock) + ", " + std::to_string(t.clock_freq) + " Hz");
	line("owner", "user " + std::to_string(t.uid));
	print_notes(t, colour);
}

} // namespace

int verb_status(const Words &words)
{
	std::string name;
	bool json = false;

	Arguments a("status", describe("status"));
	a.positional("NAME", name, "the trace; without it, the machine and all traces", false);
	add_json(a, json);
	a.example("ltt-ctl status");
	a.example("ltt-ctl status mine --json");
	if (!a.parse(words))
		return 0;

	const bool all = !a.given("NAME");
	if (!all)
		check_trace_name(name);
	std::unique_ptr<Kernel> kernel = open_device();
	const uint32_t abi = kernel->version();
	std::vector<ShownTrace> traces;
	if (all)
		traces = all_traces(*kernel);
	else
		traces.push_back(trace_called(*kernel, name));
	const Machine machine = look_at_machine();
	if (json) {
		print_json(machine, abi, traces);
		return 0;
	}
	if (all)
		print_machine(machine, abi, traces);
	const bool colour = wants_colour(STDOUT_FILENO);
	for (const ShownTrace &t : traces) {
		if (all)
			std::printf("\n");
		print_trace(t, colour);
	}
	return 0;
}

} // namespace ltt

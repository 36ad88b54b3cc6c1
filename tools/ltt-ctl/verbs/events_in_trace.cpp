// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <optional>

#include "../lib/explain.h"
#include "../lib/terminal.h"
#include "../lib/text.h"
#include "events.h"
#include "traces.h"

#include <unistd.h>

namespace ltt
{

namespace
{

// What the trace has to do with the events of a process, or of a file.
class Answers
{
public:
	Answers(const std::string &trace, const std::string &file_or_pid) : subject_(file_or_pid)
	{
		std::unique_ptr<Kernel> kernel = open_device();
		std::unique_ptr<KernelTrace> open = kernel->open(trace);
		trace_ = {open->info(), open->rules(), open->kernel_events()};
		if (!is_pid(file_or_pid))
			return;
		const TracedProcess process = look_at_process(file_or_pid);
		process_ = explain_process(trace_.info, process);
		std::unique_ptr<KernelTrace> snapshot = open->snapshot();
		counts_ = count_events(
			*snapshot, [&](const ltt_packet &h) { return process.wrote(h); });
	}

	// The event alone, and with its process.
	Explanation alone(const Definition &event, const std::vector<Category> &categories) const
	{
		return explain_event(trace_.info, trace_.rules, event, categories,
			process_ ? &counts_ : nullptr);
	}
	Explanation whole(const Definition &event, const std::vector<Category> &categories) const
	{
		const Explanation event_alone = alone(event, categories);
		return process_ && !process_->taken && event_alone.taken ? *process_ : event_alone;
	}

	void print_json(const std::vector<Object> &objects) const
	{
		Json all = Json::array();
		for (const Object &object : objects)
			for (const Definition &d : object.definitions.events) {
				const auto &categories = object.definitions.categories;
				const Explanation e = whole(d, categories);
				Json event = json_of(d, categories);
				if (process_)
					event["file"] = object.name;
				event["taken"] = e.taken;
				event["why"] = e.why;
				event["reason"] = e.text;
				if (process_)
					event["in_trace"] = counts_.of(d.full_name());
				all.push_back(event);
			}
		print(all);
	}

	void print_text(const std::vector<Object> &objects) const
	{
		const std::string state = trace_.info.active ? "active" : "stopped";
		std::printf("trace %s: %s, filter %s, rules %s\n", trace_name(trace_.info).c_str(),
			state.c_str(), format_categories(trace_.info.filter).c_str(),
			trace_.rules.empty() ? "none" : trace_.rules.c_str());
		if (process_)
			std::printf("process %s: %s%s\n", subject_.c_str(),
				process_->taken ? "" : "not traced: ", process_->text.c_str());
		for (const Object &object : objects)
			print_text(object);
	}

	void report_damage() const
	{
		if (counts_.bad_packets)
			std::fprintf(stderr,
				"ltt-ctl: %llu packets of process %s in the trace are damaged, and "
				"not counted\n",
				static_cast<unsigned long long>(counts_.bad_packets),
				subject_.c_str());
	}

private:
	void print_text(const Object &object) const
	{
		const bool colour = wants_colour(STDOUT_FILENO);
		size_t width = 0;

		for (const Definition &d : object.definitions.events)
			width = std::max(width, d.full_name().size());
		std::printf("%s:\n", printable(object.name).c_str());
		for (const Definition &d : object.definitions.events) {
			const Explanation e = whole(d, object.definitions.categories);
			// What holds for the whole process has been said.
			const bool said = process_ && e.why == process_->why && !e.taken;
			std::printf("  %s  %-*s%s\n",
				e.taken ? coloured("yes", Colour::green, colour).c_str()
					: coloured("no ", Colour::red, colour).c_str(),
				said ? 0 : static_cast<int>(width) + 2, d.full_name().c_str(),
				said ? "" : e.text.c_str());
		}
	}

	std::string subject_;
	ShownTrace trace_;
	std::optional<Explanation> process_; // none of a file
	EventCounts counts_;
};

} // namespace

int show_events_in_trace(const std::string &trace, const std::string &file_or_pid,
	const std::vector<Object> &objects, bool json)
{
	const Answers answers(trace, file_or_pid);

	if (json)
		answers.print_json(objects);
	else
		answers.print_text(objects);
	answers.report_damage();
	return 0;
}

} // namespace ltt

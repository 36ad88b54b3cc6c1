// SPDX-License-Identifier: MIT
#include <cstdio>

#include "../lib/categories.h"
#include "../lib/error.h"
#include "../lib/objects.h"
#include "../lib/text.h"
#include "events.h"
#include "verbs.h"

namespace ltt
{

namespace
{

void print_json(const std::vector<Object> &all, bool of_process)
{
	Json events = Json::array();
	for (const Object &object : all)
		for (const Definition &d : object.definitions.events) {
			events.push_back(json_of(d, object.definitions.categories));
			if (of_process)
				events.back()["file"] = object.name;
		}
	print(events);
}

void print_text(const Definitions &all)
{
	for (const Category &c : all.categories)
		std::printf("%s is %s%s\n", c.name.c_str(), filter_bits(c.filter).c_str(),
			printable(c.doc.empty() ? "" : ": " + c.doc).c_str());
	for (const Definition &d : all.contexts)
		std::printf("context %s(%s)\n", printable(d.full_name()).c_str(),
			type_text(d.fields[0].type).c_str());
	for (const Definition &d : all.events) {
		std::printf("%s  filter %s, level %s%s%s\n", signature(d).c_str(),
			filter_text(d.filter, all.categories).c_str(), level_name(d.level),
			*role_name(d.role) ? ", " : "", role_name(d.role));
		if (!d.doc.empty())
			std::printf("\t%s\n", printable(d.doc).c_str());
	}
}

void print_text(const std::vector<Object> &all, bool of_process)
{
	for (const Object &object : all) {
		if (of_process)
			std::printf("%s:\n", printable(object.name).c_str());
		print_text(object.definitions);
	}
}

} // namespace

std::string signature(const Definition &d)
{
	std::string line = d.full_name() + "(";
	for (size_t i = 0; i < d.fields.size(); ++i)
		line += std::string(i ? ", " : "") + type_text(d.fields[i].type) + " " +
			d.fields[i].name;
	return printable(line + ")");
}

Json json_fields(const Definition &d)
{
	Json fields = Json::array();
	for (const Field &f : d.fields)
		fields.push_back({{"name", f.name}, {"type", type_text(f.type)}});
	return fields;
}

Json json_of(const Definition &d, const std::vector<Category> &categories)
{
	Json event = {{"name", d.full_name()}, {"level", level_name(d.level)}, {"filter", d.filter},
		{"categories", filter_text(d.filter, categories)}};
	if (*role_name(d.role))
		event["role"] = role_name(d.role);
	if (!d.doc.empty())
		event["doc"] = d.doc;
	event["fields"] = json_fields(d);
	return event;
}

int verb_events(const Words &words)
{
	std::string what;
	std::string trace;
	bool json = false, kernel = false;

	Arguments a("events", describe("events"));
	a.positional("FILE|PID", what,
		"a program or a library; or, as a number, a process: all that it has loaded",
		false);
	a.flag("--kernel", kernel, "in place of a program: what the kernel has, by groups");
	a.option("--trace", "NAME", trace,
		"tell which of them this trace takes, and of the others why it does not");
	add_json(a, json);
	a.example("ltt-ctl events ./program");
	a.example("ltt-ctl events 4711");
	a.example("ltt-ctl events 4711 --trace mine");
	a.example("ltt-ctl events --kernel");
	if (!a.parse(words))
		return 0;
	if (!trace.empty())
		check_trace_name(trace);
	if (kernel != what.empty())
		throw Error(
			Exit::misuse, kernel ? "a program and --kernel exclude each other"
					     : "whose events? Name a file, a process or --kernel");
	if (kernel && !trace.empty())
		throw Error(Exit::misuse, "which events of the kernel trace " + trace +
						  " has is what ltt-ctl status " + trace +
						  " tells");
	if (kernel)
		return show_events_of_kernel(json);

	const bool of_process = is_pid(what);
	const std::vector<Object> all = objects_of(what, [](const std::string &line) {
		std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
	});
	size_t events = 0;
	for (const Object &object : all)
		events += object.definitions.events.size();
	if (!json && !events)
		std::fprintf(stderr, "ltt-ctl: %s%s has no events\n", of_process ? "process " : "",
			what.c_str());
	if (!trace.empty())
		return show_events_in_trace(trace, what, all, json);
	if (json)
		print_json(all, of_process);
	else if (events)
		print_text(all, of_process);
	return 0;
}

} // namespace ltt

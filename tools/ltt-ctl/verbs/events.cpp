// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ust/definition.h>

#include "../lib/arguments.h"
#include "../lib/definitions.h"
#include "../lib/elf_section.h"
#include "../lib/error.h"
#include "../lib/file.h"
#include "../lib/mapped_files.h"
#include "../lib/text.h"
#include "json.h"
#include "verbs.h"

namespace ltt
{

namespace
{

Definitions read_definitions(const std::string &path, const std::string &name)
{
	try {
		std::string section;
		// Without the section it has no events, which is an answer.
		if (find_section(read_file(path), UST_SECTION, section))
			return parse_definitions(
				reinterpret_cast<const uint8_t *>(section.data()), section.size());
	} catch (const BadData &e) {
		throw Error(Exit::damaged, "cannot find the events of " + name + ": " + e.what());
	}
	return {};
}

// A program, a library, or what a process has loaded of them.
struct Object {
	std::string name;
	Definitions definitions;
};

bool is_pid(const std::string &word)
{
	return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<Object> objects_of_process(const std::string &pid)
{
	std::vector<Object> all;
	for (const MappedFile &file : mapped_files(pid)) {
		if (file.path.empty()) {
			std::fprintf(stderr,
				"ltt-ctl: %s of process %s was replaced or removed; its events are "
				"not shown\n",
				printable(file.name).c_str(), pid.c_str());
			continue;
		}
		Definitions definitions = read_definitions(file.path, file.name);
		if (!definitions.events.empty() || !definitions.categories.empty())
			all.push_back({file.name, std::move(definitions)});
	}
	return all;
}

// Bits by name: the program's own, if it gave them any, before the standard ones.
std::string filter_text(uint32_t filter, const std::vector<Category> &categories)
{
	std::string s;
	for (const Category &c : categories)
		if (filter & c.filter) {
			s += (s.empty() ? "" : ",") + c.name;
			filter &= ~c.filter;
		}
	if (filter || s.empty())
		s += (s.empty() ? "" : ",") + filter_bits(filter);
	return s;
}

Json json_of(const Definition &d, const std::vector<Category> &categories)
{
	Json fields = Json::array();
	for (const Field &f : d.fields)
		fields.push_back({{"name", f.name}, {"type", type_text(f.type)}});
	Json event = {{"name", d.full_name()}, {"level", level_name(d.level)}, {"filter", d.filter},
		{"categories", filter_text(d.filter, categories)}};
	if (*role_name(d.role))
		event["role"] = role_name(d.role);
	if (!d.doc.empty())
		event["doc"] = d.doc;
	event["fields"] = fields;
	return event;
}

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
		std::string line = d.full_name() + "(";
		for (size_t i = 0; i < d.fields.size(); ++i)
			line += std::string(i ? ", " : "") + type_text(d.fields[i].type) + " " +
				d.fields[i].name;
		std::printf("%s)  filter %s, level %s%s%s\n", printable(line).c_str(),
			filter_text(d.filter, all.categories).c_str(), level_name(d.level),
			*role_name(d.role) ? ", " : "", role_name(d.role));
		if (!d.doc.empty())
			std::printf("\t%s\n", printable(d.doc).c_str());
	}
}

} // namespace

int verb_events(const Words &words)
{
	std::string what;
	bool json = false;

	Arguments a("events", describe("events"));
	a.positional("FILE|PID", what,
		"a program or a library; or, as a number, a process: all that it has loaded");
	add_json(a, json);
	a.example("ltt-ctl events ./program");
	a.example("ltt-ctl events 4711");
	if (!a.parse(words))
		return 0;

	const bool of_process = is_pid(what);
	std::vector<Object> all;
	if (of_process)
		all = objects_of_process(what);
	else
		all.push_back({what, read_definitions(what, what)});
	size_t events = 0;
	for (const Object &object : all)
		events += object.definitions.events.size();
	if (json) {
		print_json(all, of_process);
	} else if (!events) {
		std::fprintf(stderr, "ltt-ctl: %s%s has no events\n", of_process ? "process " : "",
			what.c_str());
	} else {
		for (const Object &object : all) {
			if (of_process)
				std::printf("%s:\n", printable(object.name).c_str());
			print_text(object.definitions);
		}
	}
	return 0;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include <cstdio>

#include <nlohmann/json.hpp>

#include <ust/definition.h>

#include "../lib/arguments.h"
#include "../lib/definitions.h"
#include "../lib/elf_section.h"
#include "../lib/error.h"
#include "../lib/file.h"
#include "../lib/text.h"
#include "verbs.h"

namespace ltt
{

namespace
{

Definitions read_definitions(const std::string &path)
{
	try {
		std::string section;
		// Without the section it has no events, which is an answer.
		if (find_section(read_file(path), UST_SECTION, section))
			return parse_definitions(
				reinterpret_cast<const uint8_t *>(section.data()), section.size());
	} catch (const BadData &e) {
		throw Error(Exit::damaged, "cannot find the events of " + path + ": " + e.what());
	}
	return {};
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

// Control characters of a program's text do not get to the terminal.
std::string printable(const std::string &text)
{
	std::string s;
	for (char c : text)
		s += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
	return s;
}

void print_json(const Definitions &all)
{
	using Json = nlohmann::ordered_json;

	Json events = Json::array();
	for (const Definition &d : all.events) {
		Json fields = Json::array();
		for (const Field &f : d.fields)
			fields.push_back({{"name", f.name}, {"type", type_text(f.type)}});
		Json event = {{"name", d.full_name()}, {"level", level_name(d.level)},
			{"filter", d.filter},
			{"categories", filter_text(d.filter, all.categories)}};
		if (*role_name(d.role))
			event["role"] = role_name(d.role);
		if (!d.doc.empty())
			event["doc"] = d.doc;
		event["fields"] = fields;
		events.push_back(event);
	}
	// Labels and documentation may be any bytes.
	std::printf("%s\n",
		events.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print_text(const Definitions &all)
{
	for (const Category &c : all.categories)
		std::printf("%s is %s%s\n", c.name.c_str(), filter_bits(c.filter).c_str(),
			printable(c.doc.empty() ? "" : ": " + c.doc).c_str());
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
	std::string path;
	bool json = false;

	Arguments a("events", describe("events"));
	a.positional("FILE", path, "a program or a library");
	a.flag("--json", json, "print JSON, for scripts");
	a.example("ltt-ctl events ./program");
	if (!a.parse(words))
		return 0;

	const Definitions all = read_definitions(path);
	if (json)
		print_json(all);
	else if (all.events.empty())
		std::fprintf(stderr, "ltt-ctl: %s has no events\n", path.c_str());
	else
		print_text(all);
	return 0;
}

} // namespace ltt

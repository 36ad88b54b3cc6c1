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

	std::vector<Definition> events;
	try {
		std::string section;
		// Without the section it has no events, which is an answer.
		if (find_section(read_file(path), UST_SECTION, section))
			events = parse_definitions(
				reinterpret_cast<const uint8_t *>(section.data()), section.size());
	} catch (const BadData &e) {
		throw Error(Exit::damaged, "cannot find the events of " + path + ": " + e.what());
	}

	nlohmann::ordered_json all = nlohmann::ordered_json::array();
	for (const Definition &d : events) {
		if (json) {
			nlohmann::ordered_json fields = nlohmann::ordered_json::array();
			for (const Field &f : d.fields)
				fields.push_back({{"name", f.name}, {"type", type_name(f.type)}});
			all.push_back({{"name", d.full_name()}, {"level", level_name(d.level)},
				{"filter", d.filter}, {"fields", fields}});
			continue;
		}
		std::string line = d.full_name() + "(";
		for (size_t i = 0; i < d.fields.size(); ++i)
			line += std::string(i ? ", " : "") + type_name(d.fields[i].type) + " " +
				d.fields[i].name;
		std::printf("%s)  filter %s, level %s\n", line.c_str(),
			format_filter(d.filter).c_str(), level_name(d.level));
	}
	if (json)
		std::printf("%s\n", all.dump(2).c_str());
	else if (events.empty())
		std::fprintf(stderr, "ltt-ctl: %s has no events\n", path.c_str());
	return 0;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "objects.h"

#include <ust/definition.h>

#include "elf_section.h"
#include "error.h"
#include "file.h"
#include "mapped_files.h"
#include "text.h"

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

} // namespace

bool is_pid(const std::string &word)
{
	return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

Object object_of_file(const std::string &path)
{
	return {path, read_definitions(path, path)};
}

std::vector<Object> objects_of_process(
	const std::string &pid, const std::function<void(const std::string &)> &report)
{
	std::vector<Object> all;
	for (const MappedFile &file : mapped_files(pid)) {
		if (file.path.empty()) {
			report(printable(file.name) + " of process " + pid +
				" was replaced or removed; its events are not shown");
			continue;
		}
		Definitions definitions = read_definitions(file.path, file.name);
		if (!definitions.events.empty() || !definitions.categories.empty() ||
			!definitions.contexts.empty())
			all.push_back({file.name, std::move(definitions)});
	}
	return all;
}

std::vector<Object> objects_of(
	const std::string &file_or_pid, const std::function<void(const std::string &)> &report)
{
	if (is_pid(file_or_pid))
		return objects_of_process(file_or_pid, report);
	return {object_of_file(file_or_pid)};
}

} // namespace ltt

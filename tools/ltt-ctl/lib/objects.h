// SPDX-License-Identifier: MIT
// Programs and libraries, and the events that they define.
#ifndef LTT_CTL_OBJECTS_H
#define LTT_CTL_OBJECTS_H

#include <functional>
#include <string>
#include <vector>

#include "definitions.h"

namespace ltt
{

struct Object {
	std::string name; // of the file, as it was given or as the process knows it
	Definitions definitions;
};

// Digits alone: a process; anything else is a file.
bool is_pid(const std::string &word);

// Of a file without events, none. Throws Error: it cannot be read, or is no ELF file, or is
// damaged.
Object object_of_file(const std::string &path);

// All that a process has loaded by now, if it has events. @report gets a line for each file
// that is not there any more. Throws Error.
std::vector<Object> objects_of_process(
	const std::string &pid, const std::function<void(const std::string &)> &report);

// Of either kind.
std::vector<Object> objects_of(
	const std::string &file_or_pid, const std::function<void(const std::string &)> &report);

} // namespace ltt

#endif

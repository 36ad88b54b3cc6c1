// SPDX-License-Identifier: MIT
// The files that a running process has mapped as code: its program and its libraries.
#ifndef LTT_CTL_MAPPED_FILES_H
#define LTT_CTL_MAPPED_FILES_H

#include <string>
#include <vector>

namespace ltt
{

struct MappedFile {
	std::string name; // as the process knows it
	std::string path; // where this process can open it; "" if nowhere
};

// In the order of their addresses, each once. Throws Error: no such process, no permission.
std::vector<MappedFile> mapped_files(const std::string &pid);

} // namespace ltt

#endif

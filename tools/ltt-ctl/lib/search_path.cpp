// SPDX-License-Identifier: MIT
#include "search_path.h"

#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace ltt
{

namespace
{

bool is_executable(const std::string &file)
{
	struct stat s;
	return stat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode) && access(file.c_str(), X_OK) == 0;
}

} // namespace

std::string find_command(const std::string &command, const std::string &path)
{
	if (command.empty())
		return "";
	if (command.find('/') != std::string::npos)
		return is_executable(command) ? command : "";
	for (size_t at = 0; at <= path.size();) {
		const size_t end = std::min(path.find(':', at), path.size());
		// An empty one is the present directory.
		const std::string directory = path.substr(at, end - at);
		const std::string file = (directory.empty() ? "." : directory) + "/" + command;
		if (is_executable(file))
			return file;
		at = end + 1;
	}
	return "";
}

std::string search_path()
{
	const char *path = std::getenv("PATH");
	return path ? path : "/bin:/usr/bin";
}

std::string find_command(const std::string &command)
{
	return find_command(command, search_path());
}

} // namespace ltt

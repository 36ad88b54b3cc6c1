// SPDX-License-Identifier: MIT
#include "mapped_files.h"

#include <fstream>
#include <set>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

namespace ltt
{

namespace
{

// One line of /proc/PID/maps: proc(5).
struct Mapping {
	std::string range, permissions, offset, device, inode, name;
};

bool parse(const std::string &line, Mapping &m)
{
	std::istringstream in(line);
	if (!(in >> m.range >> m.permissions >> m.offset >> m.device >> m.inode))
		return false;
	std::getline(in >> std::ws, m.name);
	return m.inode != "0" && m.permissions.find('x') != std::string::npos;
}

bool is_same_file(const std::string &path, const Mapping &m)
{
	struct stat s;
	// Not by the device: some file systems have another number in maps.
	return stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) &&
	       std::to_string(s.st_ino) == m.inode;
}

// Its name as the process sees it, or what the kernel keeps of it if it was replaced
// since; that is for those who may look at it.
std::string path_of(const std::string &process, const Mapping &m)
{
	for (const std::string &path :
		{process + "/root" + m.name, process + "/map_files/" + m.range})
		if (is_same_file(path, m))
			return path;
	return "";
}

} // namespace

std::vector<MappedFile> mapped_files(const std::string &pid)
{
	const std::string process = "/proc/" + pid;
	std::vector<MappedFile> all;
	std::set<std::string> seen;
	std::ifstream maps(process + "/maps");
	std::string line;

	if (maps)
		while (std::getline(maps, line)) {
			Mapping m;
			if (parse(line, m) && seen.insert(m.device + " " + m.inode).second)
				all.push_back({m.name, path_of(process, m)});
		}
	if (!all.empty())
		return all;
	if (access(process.c_str(), F_OK) != 0)
		throw Error(Exit::failed,
			"there is no process " + pid + "; for a file of that name, write ./" + pid);
	// A thread of the kernel has no files; the maps of another user's cannot be read.
	if (access((process + "/map_files").c_str(), R_OK) != 0)
		throw Error(Exit::no_permission, "no permission to look into process " + pid +
							 ": only its user and root may");
	throw Error(Exit::failed, "process " + pid + " has no program: it is one of the kernel's");
}

} // namespace ltt

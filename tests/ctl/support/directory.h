// SPDX-License-Identifier: MIT
// A directory of its own for a test, and what is in it.
#ifndef LTT_TESTS_CTL_DIRECTORY_H
#define LTT_TESTS_CTL_DIRECTORY_H

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

class Directory
{
public:
	Directory()
	{
		std::string path =
			(std::filesystem::temp_directory_path() / "ltt-test-XXXXXX").string();
		if (!mkdtemp(path.data()))
			throw std::runtime_error("cannot make " + path);
		path_ = path;
	}
	~Directory()
	{
		std::error_code ignored;
		std::filesystem::remove_all(path_, ignored);
	}
	Directory(const Directory &) = delete;
	const std::string &path() const { return path_; }
	std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
	std::string path_;
};

inline std::string content(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	return {std::istreambuf_iterator<char>(file), {}};
}

// Paths of all files below @directory, sorted; those of what ltt-ctl keeps of a trace for itself
// only if asked for.
inline std::vector<std::string> files_in(const std::string &directory, bool manifests = false)
{
	std::vector<std::string> all;
	if (std::filesystem::exists(directory))
		for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
			if (entry.is_regular_file() &&
				(manifests || entry.path().filename() != ".manifest"))
				all.push_back(std::filesystem::relative(entry.path(), directory)
						      .string());
	std::sort(all.begin(), all.end());
	return all;
}

#endif

// SPDX-License-Identifier: MIT
#include "trace.h"

#include <algorithm>
#include <filesystem>

#include "../error.h"
#include "../file.h"

namespace ltt::reader
{

namespace fs = std::filesystem;

namespace
{

constexpr char stream_prefix[] = "stream_";

bool stream_number(const std::string &name, uint64_t &number)
{
	const size_t prefix = sizeof(stream_prefix) - 1;
	if (name.compare(0, prefix, stream_prefix) != 0)
		return false;
	const std::string digits = name.substr(prefix);
	if (digits.empty() || digits.size() > 9 || (digits[0] == '0' && digits.size() > 1) ||
		digits.find_first_not_of("0123456789") != std::string::npos)
		return false;
	number = std::stoull(digits);
	return true;
}

// As replace_file() names them until they are whole.
bool is_leftover(const std::string &name)
{
	const std::string end = ".new";
	return name[0] == '.' && name.size() > 1 + end.size() &&
	       name.compare(name.size() - end.size(), end.size(), end) == 0;
}

void look_into(const fs::path &directory, bool top, SessionFiles &all)
{
	TraceFiles trace;
	std::vector<fs::path> below;
	bool is_trace = false, is_empty = true;

	for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
		const std::string path = entry.path().string();
		const std::string name = entry.path().filename().string();
		uint64_t number = 0;

		is_empty = false;
		if (entry.is_directory() && !entry.is_symlink()) {
			if (!top || name != bad_name)
				below.push_back(entry.path());
		} else if (is_leftover(name)) {
			all.leftovers.push_back(path);
		} else if (name == "metadata" || name == ctf::manifest_name) {
			is_trace = true;
		} else if (entry.is_regular_file() && stream_number(name, number)) {
			is_trace = true;
			trace.streams.push_back({path, number});
		} else if (name[0] != '.') {
			trace.strays.push_back(path);
		}
	}
	std::sort(trace.strays.begin(), trace.strays.end());
	std::sort(trace.streams.begin(), trace.streams.end(),
		[](const StreamName &a, const StreamName &b) { return a.instance < b.instance; });
	if (is_trace) {
		trace.directory = directory.string();
		trace.program = fs::absolute(directory).lexically_normal().filename().string();
		if (trace.program.empty()) // "DIR/"
			trace.program = fs::absolute(directory)
						.lexically_normal()
						.parent_path()
						.filename()
						.string();
		all.traces.push_back(std::move(trace));
	}
	if (is_empty && !top)
		all.empty.push_back(directory.string());
	std::sort(below.begin(), below.end());
	for (const fs::path &path : below)
		look_into(path, false, all);
}

} // namespace

std::string TraceFiles::manifest() const
{
	return directory + "/" + ctf::manifest_name;
}

std::string TraceFiles::metadata() const
{
	return directory + "/metadata";
}

SessionFiles find_files(const std::string &directory)
{
	SessionFiles all;

	try {
		look_into(directory, true, all);
	} catch (const fs::filesystem_error &e) {
		const bool keeps_out = e.code() == std::errc::permission_denied;
		throw Error(keeps_out ? Exit::no_permission : Exit::failed,
			"cannot read " + e.path1().string() + ": " + e.code().message());
	}
	return all;
}

ctf::Manifest read_manifest(const TraceFiles &trace, std::string &damage)
{
	if (!fs::exists(trace.manifest()))
		throw BadData("is missing");
	return ctf::parse_manifest(read_file(trace.manifest()), damage);
}

} // namespace ltt::reader

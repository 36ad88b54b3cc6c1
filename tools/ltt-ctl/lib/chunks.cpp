// SPDX-License-Identifier: MIT
#include "chunks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "file.h"

namespace ltt
{

namespace
{

constexpr char chunks_name[] = "chunks";

std::string chunk_name(uint64_t number, time_t begun)
{
	tm t{};
	char time[32], name[64];
	gmtime_r(&begun, &t);
	strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &t);
	std::snprintf(
		name, sizeof(name), "%06llu-%s", static_cast<unsigned long long>(number), time);
	return name;
}

} // namespace

Chunks::Chunks(std::string directory, std::vector<std::string> parts, uint64_t keep)
	: directory_(std::move(directory)), parts_(std::move(parts)), keep_(keep)
{
	for (const std::string &name : names())
		last_ = std::max<uint64_t>(last_, std::strtoull(name.c_str(), nullptr, 10));
}

std::vector<std::string> Chunks::names() const
{
	std::vector<std::string> all = names_in(directory_ + "/" + chunks_name);
	// Not those that are on their way.
	all.erase(std::remove_if(all.begin(), all.end(),
			  [](const std::string &name) { return name[0] == '.'; }),
		all.end());
	std::sort(all.begin(), all.end(), [](const std::string &a, const std::string &b) {
		return std::strtoull(a.c_str(), nullptr, 10) <
		       std::strtoull(b.c_str(), nullptr, 10);
	});
	return all;
}

std::string Chunks::finish(time_t begun)
{
	const std::string chunks = directory_ + "/" + chunks_name + "/";
	const std::string name = chunk_name(last_ + 1, begun);
	const std::string unfinished = chunks + "." + name;

	make_directories(unfinished);
	for (const std::string &part : parts_)
		if (std::filesystem::exists(directory_ + "/" + part))
			rename_file(directory_ + "/" + part, unfinished + "/" + part);
	rename_file(unfinished, chunks + name);
	++last_;

	const std::vector<std::string> all = names();
	for (size_t i = 0; keep_ && i + keep_ < all.size(); ++i) {
		// Out of sight before it is half removed.
		rename_file(chunks + all[i], chunks + "." + all[i]);
		remove_all(chunks + "." + all[i]);
	}
	return std::string(chunks_name) + "/" + name;
}

} // namespace ltt

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

uint64_t number_of(const std::string &name)
{
	return std::strtoull(name.c_str() + (name[0] == '.' ? 1 : 0), nullptr, 10);
}

} // namespace

Chunks::Chunks(std::string directory, std::vector<std::string> parts, uint64_t keep)
	: directory_(std::move(directory)), parts_(std::move(parts)), keep_(keep)
{
	for (const std::string &name : names(false))
		last_ = std::max(last_, number_of(name));
}

// Hidden are those on their way: to their name, or to be removed.
std::vector<std::string> Chunks::names(bool hidden) const
{
	std::vector<std::string> all = names_in(directory_ + "/" + chunks_name);
	all.erase(std::remove_if(all.begin(), all.end(),
			  [&](const std::string &name) { return (name[0] == '.') != hidden; }),
		all.end());
	std::sort(all.begin(), all.end(), [](const std::string &a, const std::string &b) {
		return number_of(a) < number_of(b);
	});
	return all;
}

void Chunks::go_on()
{
	for (const std::string &name : names(true)) {
		const std::string path = directory_ + "/" + chunks_name + "/" + name;
		if (number_of(name) <= last_)
			remove_all(path);
		else
			fill(name.substr(1));
	}
}

bool Chunks::anything_left() const
{
	return std::any_of(parts_.begin(), parts_.end(), [&](const std::string &part) {
		return std::filesystem::exists(directory_ + "/" + part);
	});
}

// It is hidden until all is in it.
void Chunks::fill(const std::string &name)
{
	const std::string chunks = directory_ + "/" + chunks_name + "/";
	const std::string unfinished = chunks + "." + name;

	make_directories(unfinished);
	for (const std::string &part : parts_)
		if (std::filesystem::exists(directory_ + "/" + part))
			rename_file(directory_ + "/" + part, unfinished + "/" + part);
	rename_file(unfinished, chunks + name);
	last_ = number_of(name);
}

std::string Chunks::finish(time_t begun)
{
	const std::string chunks = directory_ + "/" + chunks_name + "/";
	const std::string name = chunk_name(last_ + 1, begun);

	fill(name);
	const std::vector<std::string> all = names(false);
	for (size_t i = 0; keep_ && i + keep_ < all.size(); ++i) {
		rename_file(chunks + all[i], chunks + "." + all[i]);
		remove_all(chunks + "." + all[i]);
	}
	return std::string(chunks_name) + "/" + name;
}

} // namespace ltt

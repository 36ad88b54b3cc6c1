// SPDX-License-Identifier: MIT
#include "journal.h"

#include <cstring>

#include <unistd.h>

#include "file.h"

namespace ltt
{

namespace
{

struct FrameHead {
	uint64_t size;
	uint64_t hash;
};

uint64_t hash_of(const char *data, size_t size)
{
	uint64_t hash = 14695981039346656037u; // FNV-1a
	for (size_t i = 0; i < size; ++i)
		hash = (hash ^ static_cast<uint8_t>(data[i])) * 1099511628211u;
	return hash;
}

std::string framed(const std::string &frame)
{
	const FrameHead head{frame.size(), hash_of(frame.data(), frame.size())};
	return std::string(reinterpret_cast<const char *>(&head), sizeof(head)) + frame;
}

} // namespace

std::vector<std::string> Journal::read() const
{
	std::vector<std::string> frames;
	if (access(path_.c_str(), F_OK) != 0)
		return frames;
	const std::string all = read_file(path_);
	for (size_t at = 0; all.size() - at >= sizeof(FrameHead);) {
		FrameHead head;
		std::memcpy(&head, &all[at], sizeof(head));
		at += sizeof(head);
		if (head.size > all.size() - at || hash_of(&all[at], head.size) != head.hash)
			break; // its writer was killed in its midst
		frames.push_back(all.substr(at, head.size));
		at += head.size;
	}
	return frames;
}

void Journal::append(const std::string &frame)
{
	const std::string bytes = framed(frame);
	append_file(path_, size_, bytes.data(), bytes.size());
	size_ += bytes.size();
}

void Journal::replace(const std::string &frame)
{
	const std::string bytes = framed(frame);
	replace_file(path_, bytes.data(), bytes.size());
	size_ = size_after_replace_ = bytes.size();
}

void Journal::remove()
{
	unlink(path_.c_str());
}

} // namespace ltt

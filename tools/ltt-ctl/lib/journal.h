// SPDX-License-Identifier: MIT
// A file of frames, each there as a whole or not at all, however its writer ended.
#ifndef LTT_CTL_JOURNAL_H
#define LTT_CTL_JOURNAL_H

#include <cstdint>
#include <string>
#include <vector>

namespace ltt
{

class Journal
{
public:
	explicit Journal(std::string path) : path_(std::move(path)) {}

	// The frames that are there; none if there is no file.
	std::vector<std::string> read() const;
	void append(const std::string &frame);
	// This frame instead of all that are there.
	void replace(const std::string &frame);
	void remove();

	const std::string &path() const { return path_; }
	// So large that a frame with everything would be smaller by far.
	bool is_long() const { return size_ > long_size && size_ > 4 * size_after_replace_; }

private:
	static constexpr uint64_t long_size = 1024 * 1024;

	std::string path_;
	uint64_t size_ = 0;
	uint64_t size_after_replace_ = 0;
};

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
// The finished parts of a recording, each a recording of its own.
#ifndef LTT_CTL_CHUNKS_H
#define LTT_CTL_CHUNKS_H

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace ltt
{

// DIR/chunks/NUMBER-TIME, of when it began. What is not finished is in DIR itself.
class Chunks
{
public:
	// @parts: the directories below @directory that the recording is in. @keep: how many chunks
	// stay; 0: all.
	Chunks(std::string directory, std::vector<std::string> parts, uint64_t keep);

	// Finishes what one began that was killed in its midst.
	void go_on();

	// Are there any, of this recording or of an earlier one?
	bool any() const { return last_ > 0; }
	uint64_t last() const { return last_; } // its number
	// There were as many, though some are deleted.
	void count_from(uint64_t last) { last_ = std::max(last_, last); }
	// Is there anything that is in no chunk yet?
	bool anything_left() const;
	// Moves what is in the directory into a chunk, which gets its name when it is whole, and
	// removes the oldest of those that are too many. Returns its path below the directory.
	std::string finish(time_t begun);

private:
	std::vector<std::string> names(bool hidden) const; // from the oldest to the newest
	void fill(const std::string &name);

	std::string directory_;
	std::vector<std::string> parts_;
	uint64_t keep_;
	uint64_t last_ = 0; // number
};

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
// The finished parts of a recording, each a recording of its own.
#ifndef LTT_CTL_CHUNKS_H
#define LTT_CTL_CHUNKS_H

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
	// @parts: the directories below @directory that the recording is in. @keep: how many chunks stay; 0: all.
	Chunks(std::string directory, std::vector<std::string> parts, uint64_t keep);

	// Are there any, of this recording or of an earlier one?
	bool any() const { return last_ > 0; }
	// Moves what is in the directory into a chunk, which gets its name when it is whole, and
	// removes the oldest of those that are too many. Returns its path below the directory.
	std::string finish(time_t begun);

private:
	std::vector<std::string> names() const; // from the oldest to the newest

	std::string directory_;
	std::vector<std::string> parts_;
	uint64_t keep_;
	uint64_t last_ = 0; // number
};

} // namespace ltt

#endif

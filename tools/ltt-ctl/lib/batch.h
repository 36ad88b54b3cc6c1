// SPDX-License-Identifier: MIT
// Memory for what read() of a trace gives: one batch of packets at a time.
#ifndef LTT_CTL_BATCH_H
#define LTT_CTL_BATCH_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "file.h"

namespace ltt
{

// In a file, a batch outlives the process: what the kernel gave away and was not written yet is
// found there by the next recorder. The file is as large as it can get, so that the disk that
// fills up does so elsewhere. On a file system that cannot map it, it is in memory alone.
//
//	page 0: number of the batch	then: the packets, as read() put them there
class Batch
{
public:
	Batch(); // in memory alone
	// In the file, which is created, or has what was left in it.
	explicit Batch(const std::string &path);
	~Batch();
	Batch(const Batch &) = delete;

	uint8_t *data() const { return memory_ + head_size; }
	size_t room() const { return room_; }
	// Twice the room. What is there is gone. Throws Error if any packet would fit.
	void grow();
	// Does the next recorder find it?
	bool is_on_disk() const;

	uint64_t number() const;
	// What read() puts there is another batch.
	void next();
	// It has this many bytes.
	void filled(size_t size);
	// All of it is written.
	void done(size_t size);

	// Whole packets that are there.
	size_t packets_size() const;

private:
	static constexpr size_t head_size = 4096;

	void map();
	void unmap();

	FileDescriptor fd_;
	std::string path_;
	uint8_t *memory_ = nullptr;
	size_t room_ = 2 * 1024 * 1024;
};

} // namespace ltt

#endif

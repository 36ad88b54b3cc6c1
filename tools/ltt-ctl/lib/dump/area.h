// SPDX-License-Identifier: MIT
// A stretch of memory whose pages lie anywhere in an image (struct ltt_dump_area).
#ifndef LTT_CTL_DUMP_AREA_H
#define LTT_CTL_DUMP_AREA_H

#include <vector>

#include <linux/ltt_dump.h>

#include "image.h"

namespace ltt::dump
{

class Area
{
public:
	// At most @limit bytes: more is no area. Then, or without its table of pages, size() is 0.
	Area(const Image &image, const ltt_dump_area &area, uint64_t limit);

	uint64_t size() const { return size_; }
	// False if the image does not have all of it.
	bool read(uint64_t offset, void *to, size_t size) const;

private:
	bool read_frames(uint64_t table, uint64_t n);

	const Image &image_;
	uint64_t size_;
	uint64_t start_;
	std::vector<uint64_t> frames_; // none: it is in one piece
};

} // namespace ltt::dump

#endif

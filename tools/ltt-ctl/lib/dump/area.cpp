// SPDX-License-Identifier: MIT
#include "area.h"

#include <algorithm>

namespace ltt::dump
{

namespace
{

constexpr uint64_t page_size = 4096;

} // namespace

Area::Area(const Image &image, const ltt_dump_area &area, uint64_t limit)
	: image_(image), size_(area.size <= limit ? area.size : 0), start_(area.start)
{
	if (!size_ || !area.frames)
		return;
	if (start_ >= page_size ||
		!read_frames(area.frames, (start_ + size_ + page_size - 1) / page_size))
		size_ = 0;
}

bool Area::read_frames(uint64_t table, uint64_t n)
{
	ltt_dump_frames frames;

	while (frames_.size() < n) {
		if (!table || !image_.read(table, frames))
			return false;
		const uint64_t most = sizeof(frames.frame) / sizeof(*frames.frame);
		const uint64_t here = std::min<uint64_t>(frames.n, n - frames_.size());
		if (!here || here > most)
			return false;
		frames_.insert(frames_.end(), frames.frame, frames.frame + here);
		table = frames.next;
	}
	return true;
}

bool Area::read(uint64_t offset, void *to, size_t size) const
{
	auto *out = static_cast<uint8_t *>(to);

	if (offset > size_ || size > size_ - offset)
		return false;
	if (frames_.empty())
		return image_.read(start_ + offset, out, size);
	offset += start_;
	while (size) {
		const uint64_t in_page = offset % page_size;
		const size_t n = std::min<uint64_t>(size, page_size - in_page);
		if (!image_.read(frames_[offset / page_size] + in_page, out, n))
			return false;
		out += n;
		offset += n;
		size -= n;
	}
	return true;
}

} // namespace ltt::dump

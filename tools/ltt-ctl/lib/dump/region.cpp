// SPDX-License-Identifier: MIT
#include "region.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <linux/ltt_dump.h>

#include "../error.h"

namespace ltt::dump
{

namespace
{

class Region : public Image
{
public:
	Region(FileDescriptor fd, const std::string &name) : fd_(std::move(fd))
	{
		ltt_dump_region head;
		if (!read_at(0, &head, sizeof(head)) ||
			std::memcmp(head.root.magic, LTT_DUMP_REGION_MAGIC,
				sizeof(head.root.magic)) != 0)
			throw Error(Exit::damaged, name + " is not the memory of traces");
		address_ = head.root.self;
		size_ = head.size;
	}

	bool read(uint64_t address, void *to, size_t size) const override
	{
		if (!size)
			return true; // wherever nothing is
		const uint64_t offset = address - address_;
		if (address < address_ || offset > size_ || size > size_ - offset)
			return false;
		return read_at(offset, to, size);
	}

	// The one line of it that there would be.
	std::string vmcoreinfo() const override
	{
		return "NUMBER(ltt_dump_root)=" + std::to_string(address_) + "\n";
	}

	std::vector<Part> parts() const override { return {{address_, size_}}; }

private:
	bool read_at(uint64_t offset, void *to, size_t size) const
	{
		auto *out = static_cast<char *>(to);
		while (size) {
			const ssize_t n = pread(fd_.get(), out, size, static_cast<off_t>(offset));
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return false;
			out += n;
			offset += static_cast<uint64_t>(n);
			size -= static_cast<size_t>(n);
		}
		return true;
	}

	FileDescriptor fd_;
	uint64_t address_ = 0;
	uint64_t size_ = 0;
};

} // namespace

std::unique_ptr<Image> open_region(FileDescriptor fd, const std::string &name)
{
	return std::make_unique<Region>(std::move(fd), name);
}

} // namespace ltt::dump

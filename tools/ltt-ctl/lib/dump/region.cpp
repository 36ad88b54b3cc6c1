// SPDX-License-Identifier: MIT
#include "region.h"

#include <cstring>

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
		if (!have(0, &head, sizeof(head)) ||
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
		return have(offset, to, size);
	}

	// The one line of it that there would be.
	std::string vmcoreinfo() const override
	{
		return "NUMBER(ltt_dump_root)=" + std::to_string(address_) + "\n";
	}

	std::vector<Part> parts() const override { return {{address_, size_}}; }

private:
	bool have(uint64_t offset, void *to, size_t size) const
	{
		return read_at(fd_, offset, to, size) == static_cast<ssize_t>(size);
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

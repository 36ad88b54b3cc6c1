// SPDX-License-Identifier: MIT
// The memory of a machine that has died, by physical addresses.
#ifndef LTT_CTL_DUMP_IMAGE_H
#define LTT_CTL_DUMP_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ltt::dump
{

class Image
{
public:
	virtual ~Image() = default;

	// Copies that many bytes. False if the image has not all of them.
	virtual bool read(uint64_t address, void *to, size_t size) const = 0;

	template <class T>
	bool read(uint64_t address, T &value) const
	{
		return read(address, &value, sizeof(value));
	}

	// What the kernel said of itself, as lines of NAME=VALUE; "" if it is not there.
	virtual std::string vmcoreinfo() const = 0;

	struct Part {
		uint64_t address;
		uint64_t size;
	};
	// All that it has.
	virtual std::vector<Part> parts() const = 0;
};

// Throws Error that names the file and says what to do, if it is none that can be read.
std::unique_ptr<Image> open_image(const std::string &path);

} // namespace ltt::dump

#endif

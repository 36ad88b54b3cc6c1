// SPDX-License-Identifier: MIT
// Images of dead machines' memory, of which some bytes are anything at all. Whatever is found in
// them can be written; it comes to an end, and within some memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "lib/ctf/metadata.h"
#include "lib/dump/buffers.h"
#include "lib/dump/image.h"
#include "lib/dump/served_image.h"
#include "lib/error.h"
#include "lib/file.h"
#include "support/region_file.h"

// What is compressed is read by another program.
std::unique_ptr<ltt::dump::Image> ltt::dump::open_served_image(const std::string &path)
{
	throw Error(Exit::failed, path);
}

namespace
{

// The first byte of an input says which image it changes, the second how much is cut off.
constexpr uint8_t elf = 1, in_pages = 2, gone = 4;
constexpr size_t page_size = 4096;

Bytes image(uint8_t kind)
{
	RegionFile region;
	region.in_pages = kind & in_pages;
	region.gone = kind & gone;
	for (uint32_t n = 0; n < 5; ++n)
		region.add_event(n);
	const Bytes memory = region.bytes();
	return kind & elf ? elf_image(memory, RegionFile::address, memory.size()) : memory;
}

// Where, how many, and what they become; again and again. What there is stands at the beginning
// of pages.
void change(Bytes &image, const uint8_t *data, size_t size)
{
	constexpr size_t head = 3, most = 16;
	while (size > head) {
		const size_t where = data[0] | static_cast<size_t>(data[1]) << 8;
		const size_t n = std::min<size_t>(data[2] % most + 1, size - head);
		const size_t at = (where >> 10) * page_size + (where & 1023);
		if (at + n <= image.size())
			std::memcpy(&image[at], data + head, n);
		data += head + n;
		size -= head + n;
	}
}

// What a file in memory is called, with these bytes.
std::string path_of(const Bytes &bytes)
{
	static const int fd = memfd_create("memory", MFD_CLOEXEC);
	if (ftruncate(fd, 0) != 0 ||
		pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
		std::abort();
	return "/proc/self/fd/" + std::to_string(fd);
}

// In memory, too, and gone with this process.
class Output
{
public:
	~Output() { ltt::remove_all(path); }
	const std::string path = "/dev/shm/ltt-fuzz-" + std::to_string(getpid());
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const Output output;
	const auto report = [](const std::string &) {};

	if (size < 2)
		return 0;
	Bytes bytes = image(data[0]);
	change(bytes, data + 2, size - 2);
	bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), data[1] * (page_size / 8)));
	try {
		const auto memory = ltt::dump::open_image(path_of(bytes));
		for (const ltt::dump::Trace &trace :
			ltt::dump::find_traces(*memory, report).traces) {
			const ltt::Clock clock(trace.info);
			ltt::ctf::Environment environment;
			environment.epoch_offset = clock.epoch_offset();
			environment.trace_name = trace.name;
			environment.contexts = trace.info.contexts;
			ltt::Session session(
				output.path + "/" + trace.name, environment, clock,
				[] { return ltt::ctf::Uuid(); }, report);
			ltt::dump::read_buffers(*memory, trace, session, report);
		}
	} catch (const ltt::Error &) {
	}
	ltt::remove_all(output.path);
	return 0;
}

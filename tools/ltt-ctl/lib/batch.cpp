// SPDX-License-Identifier: MIT
#include "batch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "packet.h"
#include "text.h"

namespace ltt
{

namespace
{

constexpr size_t max_room = 32 * 1024 * 1024; // twice the largest sub-buffer

// Its magic.
void spoil(uint8_t *packet)
{
	std::memset(packet, 0, sizeof(ltt_packet::magic));
}

} // namespace

Batch::Batch()
{
	map();
}

Batch::Batch(const std::string &path) : fd_(open_file(path, O_RDWR | O_CREAT)), path_(path)
{
	struct stat s;
	if (fstat(fd_.get(), &s) == 0 && static_cast<size_t>(s.st_size) > head_size + room_)
		room_ = std::min(static_cast<size_t>(s.st_size) - head_size, max_room);
	map();
}

Batch::~Batch()
{
	unmap();
}

void Batch::map()
{
	const size_t size = head_size + room_;
	// A page that has no room on the disk would be a signal, not an error.
	const int error =
		fd_.get() < 0 ? 0 : posix_fallocate(fd_.get(), 0, static_cast<off_t>(size));
	if (error)
		throw Error(Exit::failed, "cannot keep " + std::to_string(size) + " bytes for " +
						  path_ + ": " + std::strerror(error) +
						  "; make room, or record to another file system");
	void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
		fd_.get() < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd_.get(), 0);
	if (at == MAP_FAILED && fd_.get() >= 0 && (errno == EINVAL || errno == ENODEV)) {
		// A file system without shared mappings, as 9p: it is not found again then.
		unlink(path_.c_str());
		fd_ = FileDescriptor();
		return map();
	}
	if (at == MAP_FAILED)
		throw Error(Exit::failed, "cannot map " + (path_.empty() ? "memory" : path_) +
						  ": " + std::strerror(errno));
	memory_ = static_cast<uint8_t *>(at);
}

void Batch::unmap()
{
	if (memory_)
		munmap(memory_, head_size + room_);
	memory_ = nullptr;
}

void Batch::grow()
{
	if (room_ >= max_room)
		throw Error(Exit::failed, "the kernel has a packet of more than " +
						  format_size(max_room) + ", which cannot be");
	unmap();
	room_ *= 2;
	map();
}

bool Batch::is_on_disk() const
{
	struct stat s;
	return fd_.get() >= 0 && fstat(fd_.get(), &s) == 0 && s.st_nlink > 0;
}

uint64_t Batch::number() const
{
	uint64_t n;
	std::memcpy(&n, memory_, sizeof(n));
	return n;
}

void Batch::next()
{
	const uint64_t n = number() + 1;
	std::memcpy(memory_, &n, sizeof(n));
}

void Batch::filled(size_t size)
{
	// A packet that was copied and not given, because it was overwritten meanwhile, would look
	// like the next one.
	if (size + sizeof(ltt_packet::magic) <= room_)
		spoil(data() + size);
}

void Batch::done(size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t step = size - at;
		try {
			step = first_packet(data() + at, size - at).raw_size;
		} catch (const BadData &) {
			// The rest is no packet either.
		}
		spoil(data() + at);
		at += step;
	}
}

size_t Batch::packets_size() const
{
	size_t size = 0;
	try {
		while (size < room_)
			size += first_packet(data() + size, room_ - size).raw_size;
	} catch (const BadData &) {
		// That was all.
	}
	return size;
}

} // namespace ltt

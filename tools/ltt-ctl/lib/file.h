// SPDX-License-Identifier: MIT
// Writing files so that a full disk, a signal or a crash leaves nothing half-written under
// a final name. Every failure is an Error that names the file.
#ifndef LTT_CTL_FILE_H
#define LTT_CTL_FILE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ltt
{

class FileDescriptor
{
public:
	FileDescriptor() = default;
	explicit FileDescriptor(int fd) : fd_(fd) {}
	FileDescriptor(FileDescriptor &&o) noexcept : fd_(o.fd_) { o.fd_ = -1; }
	FileDescriptor &operator=(FileDescriptor &&o) noexcept;
	~FileDescriptor();
	int get() const { return fd_; }

private:
	int fd_ = -1;
};

// open(2) of @path, closed on exec.
FileDescriptor open_file(const std::string &path, int flags);

// Locks one byte of an open file as long as this process lives: 0, or the process that has it
// locked. It also ends when any descriptor of the file is closed here. The byte need not exist.
pid_t lock_byte(const FileDescriptor &fd, off_t byte);

// Opens @path, which is made if need be, and locks its first byte. @refuse is called with the
// process that has it locked, and throws.
FileDescriptor lock_file(const std::string &path, const std::function<void(pid_t owner)> &refuse);

// All of @data at the end of @path, which has @old_size bytes; what was written of it is
// taken back on failure. Creates the file if it has none.
void append_file(const std::string &path, uint64_t old_size, const void *data, size_t size);

// @path has @data as its whole content, or what it had before.
void replace_file(const std::string &path, const void *data, size_t size);

void rename_file(const std::string &from, const std::string &to);

// Makes the directory and those above it. Fine if it exists.
void make_directories(const std::string &path);

// With all that is in it.
void remove_all(const std::string &path);

// The names of what is in it; none if it does not exist.
std::vector<std::string> names_in(const std::string &directory);

std::string read_file(const std::string &path);

uint64_t size_of_file(const std::string &path);
// What there is from @offset on, @size bytes at most. Returns how many, or -1 with errno.
ssize_t read_at(const FileDescriptor &fd, uint64_t offset, void *data, size_t size);
// The same of a file that is not open.
size_t read_file_at(const std::string &path, uint64_t offset, void *data, size_t size);

} // namespace ltt

#endif

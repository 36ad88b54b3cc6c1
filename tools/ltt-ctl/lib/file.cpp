// SPDX-License-Identifier: MIT
#include "file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

namespace ltt
{

namespace
{

[[noreturn]] void fail(const std::string &verb, const std::string &path, int error)
{
	std::string text = "cannot " + verb + " " + path + ": " + std::strerror(error);
	if (error == ENOSPC || error == EDQUOT)
		text += "; make room, or record to another file system";
	throw Error(error == EACCES || error == EPERM ? Exit::no_permission : Exit::failed, text);
}

// Returns 0 or the error that stopped it.
int write_all(int fd, const void *data, size_t size)
{
	const char *at = static_cast<const char *>(data);

	while (size) {
		ssize_t n = write(fd, at, size);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return errno;
		}
		if (n == 0)
			return ENOSPC;
		at += n;
		size -= static_cast<size_t>(n);
	}
	return 0;
}

} // namespace

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&o) noexcept
{
	if (this != &o) {
		if (fd_ >= 0)
			close(fd_);
		fd_ = o.fd_;
		o.fd_ = -1;
	}
	return *this;
}

FileDescriptor::~FileDescriptor()
{
	if (fd_ >= 0)
		close(fd_);
}

FileDescriptor open_file(const std::string &path, int flags)
{
	int fd;
	do
		fd = open(path.c_str(), flags | O_CLOEXEC, 0666);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		fail("open", path, errno);
	return FileDescriptor(fd);
}

pid_t lock_byte(const FileDescriptor &fd, off_t byte)
{
	struct flock lock {
	};
	for (;;) {
		lock.l_type = F_WRLCK;
		lock.l_whence = SEEK_SET;
		lock.l_start = byte;
		lock.l_len = 1;
		if (fcntl(fd.get(), F_SETLK, &lock) == 0)
			return 0;
		if (errno != EACCES && errno != EAGAIN)
			throw Error(Exit::failed,
				std::string("cannot lock a file: ") + std::strerror(errno));
		if (fcntl(fd.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
			return lock.l_pid;
	}
}

FileDescriptor lock_file(const std::string &path, const std::function<void(pid_t owner)> &refuse)
{
	for (;;) {
		FileDescriptor fd = open_file(path, O_RDWR | O_CREAT);
		if (const pid_t owner = lock_byte(fd, 0))
			refuse(owner);
		struct stat s;
		if (fstat(fd.get(), &s) == 0 && s.st_nlink > 0)
			return fd; // not one that its owner has removed meanwhile
	}
}

void append_file(const std::string &path, uint64_t old_size, const void *data, size_t size)
{
	// One that was removed meanwhile would come back with a hole for a beginning.
	FileDescriptor fd = open_file(path, O_WRONLY | (old_size ? 0 : O_CREAT));
	const off_t end = lseek(fd.get(), 0, SEEK_END);

	if (end < 0)
		fail("seek in", path, errno);
	if (static_cast<uint64_t>(end) != old_size)
		throw Error(Exit::failed,
			"cannot write " + path + ": somebody else has written to it, or cut it");
	int error = write_all(fd.get(), data, size);
	if (error) {
		// Half a packet would make the whole file unreadable.
		bool back = ftruncate(fd.get(), static_cast<off_t>(old_size)) == 0;
		fail(back ? "write" : "write, nor cut half a packet from the end of,", path, error);
	}
}

void replace_file(const std::string &path, const void *data, size_t size)
{
	std::filesystem::path p(path);
	// A leading dot: readers of traces skip such files.
	std::string temporary = (p.parent_path() / ("." + p.filename().string() + ".new")).string();
	int error;
	{
		FileDescriptor fd = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
		error = write_all(fd.get(), data, size);
	}
	if (error) {
		unlink(temporary.c_str());
		fail("write", path, error);
	}
	rename_file(temporary, path);
}

void rename_file(const std::string &from, const std::string &to)
{
	if (rename(from.c_str(), to.c_str()) < 0)
		fail("create", to, errno);
}

void make_directories(const std::string &path)
{
	std::error_code error;
	std::filesystem::create_directories(path, error);
	if (error)
		fail("create directory", path, error.value());
}

void remove_all(const std::string &path)
{
	std::error_code error;
	std::filesystem::remove_all(path, error);
	if (error)
		fail("remove", path, error.value());
}

std::vector<std::string> names_in(const std::string &directory)
{
	std::vector<std::string> names;
	std::error_code error;
	std::filesystem::directory_iterator it(directory, error), end;
	for (; !error && it != end; it.increment(error))
		names.push_back(it->path().filename().string());
	if (error && error != std::errc::no_such_file_or_directory)
		fail("read directory", directory, error.value());
	return names;
}

std::string read_file(const std::string &path)
{
	FileDescriptor fd = open_file(path, O_RDONLY);
	std::string all;
	char buffer[65536];

	for (;;) {
		ssize_t n = read(fd.get(), buffer, sizeof(buffer));
		if (n < 0) {
			if (errno == EINTR)
				continue;
			fail("read", path, errno);
		}
		if (n == 0)
			return all;
		all.append(buffer, static_cast<size_t>(n));
	}
}

uint64_t size_of_file(const std::string &path)
{
	struct stat status;
	if (stat(path.c_str(), &status) < 0)
		fail("read", path, errno);
	return static_cast<uint64_t>(status.st_size);
}

ssize_t read_at(const FileDescriptor &fd, uint64_t offset, void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd.get(), static_cast<char *>(data) + done, size - done,
			static_cast<off_t>(offset + done));
		if (n < 0 && errno != EINTR)
			return -1;
		if (n == 0)
			break;
		if (n > 0)
			done += static_cast<size_t>(n);
	}
	return static_cast<ssize_t>(done);
}

size_t read_file_at(const std::string &path, uint64_t offset, void *data, size_t size)
{
	const FileDescriptor fd = open_file(path, O_RDONLY);
	const ssize_t n = read_at(fd, offset, data, size);
	if (n < 0)
		fail("read", path, errno);
	return static_cast<size_t>(n);
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "served_image.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../error.h"
#include "../file.h"
#include "served.h"

namespace ltt::dump
{

namespace
{

constexpr size_t most = 1 << 20;
constexpr int not_found = 127;

// Beside this program, or in PATH.
std::string program()
{
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
	if (n <= 0 || n == static_cast<ssize_t>(sizeof(path)))
		return "ltt-kdump";
	std::string beside(path, static_cast<size_t>(n));
	beside.replace(beside.rfind('/') + 1, std::string::npos, "ltt-kdump");
	return access(beside.c_str(), X_OK) == 0 ? beside : "ltt-kdump";
}

class ServedImage : public Image
{
public:
	explicit ServedImage(const std::string &path)
	{
		start(path);
		Greeting greeting;
		if (!take(&greeting, sizeof(greeting)) || greeting.size > most)
			throw Error(Exit::failed, why_silent(path));
		vmcoreinfo_.resize(greeting.size);
		if (!take(vmcoreinfo_.data(), greeting.size))
			throw Error(Exit::failed, why_silent(path));
		if (!greeting.good)
			throw Error(Exit::failed,
				path +
					" is a compressed dump that libkdumpfile does "
					"not read: " +
					vmcoreinfo_);
		top_ = greeting.top;
	}
	~ServedImage() override
	{
		to_ = FileDescriptor(); // its end
		wait();
	}
	ServedImage(const ServedImage &) = delete;
	ServedImage &operator=(const ServedImage &) = delete;

	bool read(uint64_t address, void *to, size_t size) const override
	{
		auto *out = static_cast<uint8_t *>(to);
		for (size_t done = 0; done < size;) {
			const size_t n = std::min(size - done, most);
			const Request request = {address + done, n};
			uint64_t good = 0;
			if (!give(&request, sizeof(request)) || !take(&good, sizeof(good)))
				throw Error(Exit::damaged, "ltt-kdump has died of the dump");
			if (!good || !take(out + done, n))
				return false;
			done += n;
		}
		return true;
	}
	std::string vmcoreinfo() const override { return vmcoreinfo_; }
	std::vector<Part> parts() const override { return {{0, top_}}; }

private:
	void start(const std::string &path)
	{
		int requests[2], answers[2];
		if (pipe2(requests, O_CLOEXEC) < 0)
			throw Error(Exit::failed, std::string("pipe: ") + std::strerror(errno));
		from_ = FileDescriptor(requests[0]); // closes it
		to_ = FileDescriptor(requests[1]);
		if (pipe2(answers, O_CLOEXEC) < 0)
			throw Error(Exit::failed, std::string("pipe: ") + std::strerror(errno));
		FileDescriptor to_us(answers[1]), from_us = std::move(from_);
		from_ = FileDescriptor(answers[0]);
		const std::string name = program();
		// A reader that dies is an error of read().
		std::signal(SIGPIPE, SIG_IGN);
		child_ = fork();
		if (child_ < 0)
			throw Error(Exit::failed, std::string("fork: ") + std::strerror(errno));
		if (child_)
			return;
		if (dup2(from_us.get(), 0) == 0 && dup2(to_us.get(), 1) == 1)
			execlp(name.c_str(), name.c_str(), path.c_str(), nullptr);
		_exit(not_found);
	}

	std::string why_silent(const std::string &path)
	{
		const int status = wait();
		if (WIFEXITED(status) && WEXITSTATUS(status) == not_found)
			return path + " is compressed by makedumpfile, and ltt-kdump, which reads "
				      "that, is not installed; makedumpfile -E saves a dump that "
				      "ltt-ctl reads alone";
		return path + ": ltt-kdump cannot read it";
	}

	int wait()
	{
		int status = 0;
		if (child_ > 0)
			while (waitpid(child_, &status, 0) < 0 && errno == EINTR)
				;
		child_ = -1;
		return status;
	}

	bool give(const void *data, size_t size) const
	{
		auto *at = static_cast<const uint8_t *>(data);
		return whole(size,
			[&](size_t done) { return ::write(to_.get(), at + done, size - done); });
	}
	bool take(void *data, size_t size) const
	{
		auto *at = static_cast<uint8_t *>(data);
		return whole(size,
			[&](size_t done) { return ::read(from_.get(), at + done, size - done); });
	}
	// Goes on until all is done; false if that cannot be.
	template <class Step>
	static bool whole(size_t size, Step step)
	{
		for (size_t done = 0; done < size;) {
			const ssize_t n = step(done);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return false;
			done += static_cast<size_t>(n);
		}
		return true;
	}

	FileDescriptor to_, from_;
	pid_t child_ = -1;
	std::string vmcoreinfo_;
	uint64_t top_ = 0;
};

} // namespace

std::unique_ptr<Image> open_served_image(const std::string &path)
{
	return std::make_unique<ServedImage>(path);
}

} // namespace ltt::dump

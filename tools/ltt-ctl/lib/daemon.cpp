// SPDX-License-Identifier: MIT
#include "daemon.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "log.h"

namespace ltt
{

namespace
{

void leave_terminal()
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		throw Error(Exit::failed,
			std::string("cannot open /dev/null: ") + std::strerror(errno));
	std::fflush(nullptr);
	for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

} // namespace

int as_daemon(const std::function<int(const std::function<void()> &ready)> &work)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		throw Error(
			Exit::failed, std::string("cannot make a pipe: ") + std::strerror(errno));
	FileDescriptor from_child(ends[0]), to_parent(ends[1]);

	std::fflush(nullptr);
	const pid_t child = fork();
	if (child < 0)
		throw Error(
			Exit::failed, std::string("cannot make a daemon: ") + std::strerror(errno));
	if (child > 0) {
		to_parent = FileDescriptor();
		char byte;
		ssize_t n;
		do
			n = read(from_child.get(), &byte, 1);
		while (n < 0 && errno == EINTR);
		if (n == 1)
			return 0;
		int status = 0;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}

	from_child = FileDescriptor();
	setsid();
	Exit code = Exit::failed;
	try {
		const int status = work([&] {
			log_to_syslog();
			leave_terminal();
			// No file system is kept from being unmounted.
			if (chdir("/") < 0 || write(to_parent.get(), "", 1) != 1)
				throw Error(Exit::failed, "the shell did not wait");
			to_parent = FileDescriptor();
		});
		std::fflush(nullptr);
		_exit(status);
	} catch (const Error &e) {
		log_line(Level::error, e.what());
		code = e.code();
	} catch (const std::exception &e) {
		log_line(Level::error, e.what());
	}
	_exit(static_cast<int>(code));
}

PidFile::PidFile(std::string path) : path_(std::move(path))
{
	fd_ = lock_file(path_, [&](pid_t owner) {
		throw Error(Exit::failed,
			"pid file " + path_ + " is that of process " + std::to_string(owner) +
				", which is alive: end that one, or name another file");
	});
	// Whatever else it is, it is not ours to write over.
	char text[32] = "";
	const ssize_t n = pread(fd_.get(), text, sizeof(text) - 1, 0);
	const size_t digits = std::strspn(text, "0123456789");
	if (n != 0 && (digits == 0 || std::strcmp(text + digits, "\n") != 0))
		throw Error(Exit::failed, path_ + " is not a pid file: name another file");
	const std::string own = std::to_string(getpid()) + "\n";
	if (ftruncate(fd_.get(), 0) < 0 ||
		pwrite(fd_.get(), own.data(), own.size(), 0) != static_cast<ssize_t>(own.size()))
		throw Error(Exit::failed, "cannot write " + path_ + ": " + std::strerror(errno));
}

PidFile::~PidFile()
{
	unlink(path_.c_str());
}

void notify_manager(const std::string &state)
{
	const char *path = std::getenv("NOTIFY_SOCKET");
	sockaddr_un address{};
	address.sun_family = AF_UNIX;
	if (!path || !*path || std::strlen(path) >= sizeof(address.sun_path))
		return;
	std::strcpy(address.sun_path, path);
	if (path[0] == '@') // an abstract one
		address.sun_path[0] = '\0';
	const socklen_t size =
		static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
	FileDescriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	if (sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
		    reinterpret_cast<const sockaddr *>(&address), size) < 0)
		log_line(Level::warning,
			std::string("cannot tell the service manager: ") + std::strerror(errno));
}

} // namespace ltt

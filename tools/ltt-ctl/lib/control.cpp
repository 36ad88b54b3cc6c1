// SPDX-License-Identifier: MIT
#include "control.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "error.h"

namespace ltt
{

namespace
{

constexpr char lock_name[] = ".recorder";

struct Address {
	sockaddr_un name{};
	socklen_t size;
};

// Begins with a NUL: it is abstract.
Address socket_address(const std::string &directory)
{
	struct stat s;
	if (stat(directory.c_str(), &s) < 0)
		throw Error(Exit::failed, directory + ": " + std::strerror(errno));
	const std::string text = "ltt-record/" + std::to_string(s.st_dev) + "/" +
				 std::to_string(s.st_ino) + "/" + std::to_string(s.st_uid);
	Address address;
	address.name.sun_family = AF_UNIX;
	std::memcpy(address.name.sun_path + 1, text.data(), text.size());
	address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
	return address;
}

FileDescriptor make_socket()
{
	FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (fd.get() < 0)
		throw Error(
			Exit::failed, std::string("cannot make a socket: ") + std::strerror(errno));
	return fd;
}

} // namespace

DirectoryLock::DirectoryLock(const std::string &directory, const std::string &advice)
	: path_(directory + "/" + lock_name), fd_(lock_file(path_, [&](pid_t owner) {
		  throw Error(Exit::failed, "process " + std::to_string(owner) + " records into " +
						    directory + ": end that one first" + advice);
	  }))
{
}

DirectoryLock::~DirectoryLock()
{
	unlink(path_.c_str());
}

Control::Control(const std::string &directory) : lock_(directory, ", or -o DIR names another")
{
	const Address address = socket_address(directory);
	listener_ = make_socket();
	fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
	if (bind(listener_.get(), reinterpret_cast<const sockaddr *>(&address.name), address.size) <
			0 ||
		listen(listener_.get(), SOMAXCONN) < 0)
		throw Error(Exit::failed, "cannot make the socket for ltt-ctl rotate " + directory +
						  ": " + std::strerror(errno));
}

bool Control::is_own(const std::string &name)
{
	return name == lock_name;
}

// Abstract names have no permissions.
static bool may_ask(int fd)
{
	ucred who{};
	socklen_t size = sizeof(who);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

bool Control::asked()
{
	for (;;) {
		const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
		if (fd >= 0 && may_ask(fd))
			waiting_.emplace_back(fd);
		else if (fd >= 0)
			close(fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			return !waiting_.empty();
	}
}

void Control::answer(const std::string &text)
{
	// Short, so that it fits into the socket of one who does not read. Who went away is gone.
	for (const FileDescriptor &fd : waiting_)
		send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
	waiting_.clear();
}

FileDescriptor connect_to_recorder(const std::string &directory)
{
	const Address address = socket_address(directory);
	const std::string lock = directory + "/" + lock_name;
	if (access(lock.c_str(), W_OK) < 0 && (errno == EACCES || errno == EPERM))
		throw Error(Exit::no_permission, "no permission to ask the recorder of " +
							 directory +
							 ": only its user and root may");
	FileDescriptor fd = make_socket();
	if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&address.name), address.size) <
		0) {
		if (errno == ECONNREFUSED)
			throw Error(Exit::failed, "no recorder is at work in " + directory);
		throw Error(Exit::failed,
			"cannot ask the recorder of " + directory + ": " + std::strerror(errno));
	}
	return fd;
}

std::string ask_for_chunk(const std::string &directory)
{
	const FileDescriptor fd = connect_to_recorder(directory);
	std::string name;
	char text[256];
	for (;;) {
		const ssize_t n = recv(fd.get(), text, sizeof(text), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		name.append(text, static_cast<size_t>(n));
	}
	if (name.empty())
		throw Error(
			Exit::failed, "the recorder of " + directory +
					      " has ended before the chunk was complete; what it "
					      "wrote is in the directory");
	return directory + "/" + name;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "control.h"

#include <cerrno>
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
constexpr char socket_name[] = ".control";

// A path of any length would not fit into an address: by the descriptor of its directory it does.
sockaddr_un socket_address(const FileDescriptor &directory)
{
	sockaddr_un address{};
	address.sun_family = AF_UNIX;
	const std::string path =
		"/proc/self/fd/" + std::to_string(directory.get()) + "/" + socket_name;
	std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
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

FileDescriptor lock_directory(const std::string &directory)
{
	const std::string path = directory + "/" + lock_name;
	for (;;) {
		FileDescriptor fd = open_file(path, O_RDWR | O_CREAT);
		if (pid_t owner = lock_byte(fd, 0))
			throw Error(Exit::failed,
				"process " + std::to_string(owner) + " records into " + directory +
					": end that one first, or -o DIR names another");
		struct stat s;
		if (fstat(fd.get(), &s) == 0 && s.st_nlink > 0)
			return fd; // not one that its owner has removed meanwhile
	}
}

} // namespace

Control::Control(const std::string &directory)
	: directory_(directory), lock_(lock_directory(directory))
{
	const FileDescriptor at = open_file(directory, O_PATH | O_DIRECTORY);
	const sockaddr_un address = socket_address(at);
	unlink(address.sun_path); // of one that was killed
	listener_ = make_socket();
	fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
	if (bind(listener_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) <
			0 ||
		listen(listener_.get(), SOMAXCONN) < 0)
		throw Error(Exit::failed, "cannot make the socket " + directory + "/" +
						  socket_name + ": " + std::strerror(errno));
}

Control::~Control()
{
	unlink((directory_ + "/" + socket_name).c_str());
	unlink((directory_ + "/" + lock_name).c_str());
}

bool Control::is_own(const std::string &name)
{
	return name == lock_name || name == socket_name;
}

bool Control::asked()
{
	for (;;) {
		int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
		if (fd >= 0)
			waiting_.emplace_back(fd);
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

std::string ask_for_chunk(const std::string &directory)
{
	const FileDescriptor at = open_file(directory, O_PATH | O_DIRECTORY);
	const sockaddr_un address = socket_address(at);
	FileDescriptor fd = make_socket();
	if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) < 0) {
		if (errno == EACCES || errno == EPERM)
			throw Error(Exit::no_permission, "no permission to ask the recorder of " +
								 directory +
								 ": only its user and root may");
		if (errno == ENOENT || errno == ECONNREFUSED)
			throw Error(Exit::failed, "no recorder is at work in " + directory);
		throw Error(Exit::failed,
			"cannot ask the recorder of " + directory + ": " + std::strerror(errno));
	}
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

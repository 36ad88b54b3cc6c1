// SPDX-License-Identifier: MIT

#include "job.h"

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

namespace vm
{

Job parse_job(const std::string &data)
{
	Job job;
	for (size_t at = 0; at < data.size();) {
		std::string key = data.c_str() + at;
		at += key.size() + 1;
		std::string value = data.c_str() + at;
		at += value.size() + 1;
		auto number = [&] {
			return static_cast<unsigned>(strtoul(value.c_str(), nullptr, 10));
		};
		if (key == "argument")
			job.arguments.push_back(value);
		else if (key == "environment")
			job.environment.push_back(value);
		else if (key == "overlay")
			job.overlays.push_back(value);
		else if (key == "share")
			job.shares.push_back(value);
		else if (key == "tool")
			job.tools.push_back(value);
		else if (key == "group")
			job.groups.push_back(number());
		else if (key == "directory")
			job.directory = value;
		else if (key == "uid")
			job.uid = number();
		else if (key == "gid")
			job.gid = number();
		else if (key == "terminal")
			job.terminal = true;
		else if (key == "columns")
			job.columns = static_cast<unsigned short>(number());
		else if (key == "rows")
			job.rows = static_cast<unsigned short>(number());
	}
	return job;
}

namespace
{

std::vector<char *> pointers(const std::vector<std::string> &strings)
{
	std::vector<char *> list;
	for (const std::string &s : strings)
		list.push_back(const_cast<char *>(s.c_str()));
	list.push_back(nullptr);
	return list;
}

// In the child: becomes the program. What fails is said on its standard error.
[[noreturn]] void become(const Job &job)
{
	std::vector<gid_t> groups(job.groups.begin(), job.groups.end());
	const char *failed = nullptr;
	if (chdir(job.directory.c_str()) < 0)
		failed = job.directory.c_str();
	else if (setgroups(groups.size(), groups.data()) < 0 || setgid(job.gid) < 0 ||
		 setuid(job.uid) < 0)
		failed = "changing the user";
	if (failed) {
		dprintf(STDERR_FILENO, "vm: %s: %s\n", failed, strerror(errno));
		_exit(126);
	}
	clearenv();
	for (const std::string &variable : job.environment)
		putenv(const_cast<char *>(variable.c_str()));
	execvp(job.arguments[0].c_str(), pointers(job.arguments).data());
	int error = errno;
	dprintf(STDERR_FILENO, "vm: %s: %s\n", job.arguments[0].c_str(), strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

// The running program and the ends of its descriptors that are ours; -1: closed.
class Session
{
public:
	Session(const Job &job, int port, Receiver &receiver) : port(port), receiver(receiver)
	{
		job.terminal ? start_with_terminal(job) : start_with_pipes(job);
	}

	int run()
	{
		want_input();
		int status;
		while (waitpid(child, &status, WNOHANG) != child) {
			serve(50);
			handle_frames();
		}
		// What it left in its pipes still counts; what its own children
		// may say later does not.
		while (serve(0))
			;
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}

private:
	void start_with_pipes(const Job &job)
	{
		int in[2], out[2], err[2];
		if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
			pipe2(err, O_CLOEXEC) < 0)
			give_up(port, "pipe");
		start(
			[&] {
				setsid();
				dup2(in[0], STDIN_FILENO);
				dup2(out[1], STDOUT_FILENO);
				dup2(err[1], STDERR_FILENO);
			},
			job);
		close(in[0]);
		close(out[1]);
		close(err[1]);
		input = in[1];
		output = out[0];
		error = err[0];
		for (int fd : {input, output, error})
			fcntl(fd, F_SETFL, O_NONBLOCK);
	}

	void start_with_terminal(const Job &job)
	{
		int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
			give_up(port, "opening a terminal");
		std::string name = ptsname(master);
		int slave = open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (slave < 0 || fchown(slave, job.uid, job.gid) < 0)
			give_up(port, name);
		input = output = master;
		resize(job.columns, job.rows);
		start(
			[&] {
				setsid();
				ioctl(slave, TIOCSCTTY, 0);
				for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
					dup2(slave, fd);
			},
			job);
		close(slave);
		fcntl(master, F_SETFL, O_NONBLOCK);
		terminal = true;
	}

	template <class Prepare>
	void start(Prepare prepare, const Job &job)
	{
		child = fork();
		if (child < 0)
			give_up(port, "fork");
		if (child == 0) {
			prepare();
			become(job);
		}
	}

	void want_input()
	{
		if (input >= 0 && pending.empty())
			send(port, 'N');
	}

	void handle_frames()
	{
		char type;
		std::string data;
		while (receiver.next(type, data)) {
			uint16_t size[2];
			if (type == 'I' && data.empty())
				end_input();
			else if (type == 'I')
				pending += data;
			else if (type == 'S' && data.size() == 1)
				kill(-child, data[0]);
			else if (type == 'W' && data.size() == sizeof(size)) {
				memcpy(size, data.data(), sizeof(size));
				resize(size[0], size[1]);
			}
		}
		feed();
	}

	void end_input()
	{
		if (input < 0)
			return;
		if (terminal) {
			// A terminal has no end; its user types this character.
			pending += '\4';
			return;
		}
		close(input);
		input = -1;
	}

	void feed()
	{
		if (input < 0 || pending.empty())
			return;
		ssize_t n = write(input, pending.data(), pending.size());
		if (n > 0)
			pending.erase(0, static_cast<size_t>(n));
		else if (errno != EAGAIN && errno != EINTR) {
			pending.clear(); // it does not read any more
			if (!terminal) {
				close(input);
				input = -1;
			}
		}
		want_input();
	}

	void resize(unsigned short columns, unsigned short rows)
	{
		winsize size = {};
		size.ws_col = columns;
		size.ws_row = rows;
		ioctl(output, TIOCSWINSZ, &size);
	}

	// Passes on what is there; true if it was anything.
	bool serve(int milliseconds)
	{
		pollfd fds[] = {
			{output, POLLIN, 0},
			{error, POLLIN, 0},
			{port, POLLIN, 0},
			{pending.empty() ? -1 : input, POLLOUT, 0},
		};
		if (poll(fds, 4, milliseconds) <= 0)
			return false;
		bool any = false;
		if (fds[0].revents)
			any |= pass_on(output, 'O');
		if (fds[1].revents)
			any |= pass_on(error, 'R');
		if (fds[2].revents && !receiver.read_some(port))
			guest::power_off();
		return any;
	}

	bool pass_on(int &fd, char type)
	{
		static char chunk[65536];
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			send(port, type, chunk, static_cast<size_t>(n));
		else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			if (terminal)
				input = -1; // the same descriptor
			close(fd);
			fd = -1;
		}
		return n > 0;
	}

	int port;
	Receiver &receiver;
	pid_t child = -1;
	int input = -1, output = -1, error = -1;
	bool terminal = false;
	std::string pending; // standard input on its way
};

} // namespace

int run_job(const Job &job, int port, Receiver &receiver)
{
	return Session(job, port, receiver).run();
}

} // namespace vm

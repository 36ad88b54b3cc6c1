// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/error.h"
#include "../lib/recorder.h"
#include "../lib/signals.h"
#include "geometry.h"
#include "report.h"
#include "verbs.h"

namespace ltt {

namespace {

// Exit statuses of the shell for a command that could not be run.
constexpr int not_executable = 126;
constexpr int not_found = 127;

// The command, as a child.
class Child {
      public:
	explicit Child(const Words &words)
	{
		std::vector<char *> argv;
		for (const std::string &w : words)
			argv.push_back(const_cast<char *>(w.c_str()));
		argv.push_back(nullptr);
		pid_ = fork();
		if (pid_ < 0)
			throw Error(Exit::failed, "cannot run " + words[0] + ": " + std::strerror(errno));
		if (pid_ == 0) {
			Signals::restore_in_child();
			execvp(argv[0], argv.data());
			int error = errno;
			std::fprintf(stderr, "ltt-ctl: cannot run %s: %s\n", argv[0], std::strerror(error));
			_exit(error == ENOENT ? not_found : not_executable);
		}
	}

	bool ended()
	{
		if (!over_ && waitpid(pid_, &status_, WNOHANG) == pid_)
			over_ = true;
		return over_;
	}
	void signal(int number)
	{
		if (!over_)
			kill(pid_, number);
	}
	// As the shell has it.
	int exit_status() const
	{
		return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
	}

      private:
	pid_t pid_;
	int status_ = 0;
	bool over_ = false;
};

// Destroys the trace however the command ends.
class Guard {
      public:
	explicit Guard(KernelTrace &trace) : trace_(trace) {}
	~Guard()
	{
		try {
			if (armed_)
				trace_.destroy();
		} catch (const Error &) {
			// On the way out of another error, which is the one to show.
		}
	}
	void destroy()
	{
		armed_ = false;
		trace_.destroy();
	}

      private:
	KernelTrace &trace_;
	bool armed_ = true;
};

std::string default_directory()
{
	char text[64];
	time_t t = time(nullptr);
	tm parts{};
	localtime_r(&t, &parts);
	strftime(text, sizeof(text), "ltt-%Y%m%d-%H%M%S", &parts);
	return std::string(text) + "-" + std::to_string(getpid());
}

} // namespace

int verb_run(const Words &words)
{
	TraceParams params;
	Geometry geometry;
	std::string directory;
	bool event_context = false;
	Words command;

	Arguments a("run", describe("run"));
	a.option("-o,--output", directory,
		 "directory to write to, new or empty; default ltt-DATE-TIME-PID here");
	geometry.add_to(a);
	a.flag("--event-context", event_context,
	       "write vpid, vtid and procname with each event, for views of Trace Compass; 24 bytes more");
	a.command(command, "the command to run, found in PATH, with its arguments");
	a.example("ltt-ctl run -o /tmp/out -- ./program --its-option");
	if (!a.parse(words))
		return 0;
	geometry.apply(params);
	if (directory.empty())
		directory = default_directory();
	params.name = "run-" + std::to_string(getpid());

	std::unique_ptr<Kernel> kernel = open_device();
	std::unique_ptr<KernelTrace> trace = kernel->create(params);
	Guard guard(*trace);
	Progress progress;
	std::unique_ptr<Session> session =
		open_session(*trace, directory, event_context, reporter(progress));
	Recorder recorder(*trace, *session);
	Signals signals;

	trace->start();
	Child child(command);
	recorder.follow([&] {
		progress.show(session->totals());
		// The command decides when to end.
		if (int number = Signals::take_for_child())
			child.signal(number);
		return child.ended();
	});
	trace->stop();
	recorder.drain(true);
	guard.destroy();
	progress.clear();
	std::fprintf(stderr, "%s\n", summary(session->totals(), directory).c_str());
	return child.exit_status();
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "runner.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "log.h"
#include "progress.h"
#include "recorder.h"
#include "signals.h"

namespace ltt
{

namespace
{

// Exit statuses of the shell for a command that could not be run.
constexpr int not_executable = 126;
constexpr int not_found = 127;

// The command, as a child.
class Child
{
public:
	explicit Child(const std::vector<std::string> &words)
	{
		std::vector<char *> argv;
		for (const std::string &w : words)
			argv.push_back(const_cast<char *>(w.c_str()));
		argv.push_back(nullptr);
		pid_ = fork();
		if (pid_ < 0)
			throw Error(Exit::failed,
				"cannot run " + words[0] + ": " + std::strerror(errno));
		if (pid_ == 0) {
			Signals::restore_in_child();
			execvp(argv[0], argv.data());
			int error = errno;
			std::fprintf(stderr, "ltt-ctl: cannot run %s: %s\n", argv[0],
				std::strerror(error));
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
class Guard
{
public:
	explicit Guard(KernelTrace &trace) : trace_(trace) {}
	~Guard() { destroy(); }
	void destroy()
	{
		try {
			if (armed_)
				trace_.destroy();
		} catch (const Error &) {
			// Someone else was faster.
		}
		armed_ = false;
	}

private:
	KernelTrace &trace_;
	bool armed_ = true;
};

// Readers of traces take a directory without any for an error.
void explain_emptiness(const Totals &totals)
{
	if (totals.events == 0 && exit_code(totals) == Exit::fine)
		log_line(Level::warning,
			"there is no trace to read: no program with markers wrote an event; "
			"\"ltt-ctl events FILE\" shows what a program has");
}

template <class Condition>
void wait_until(Condition condition)
{
	while (!condition())
		wait_for(nullptr, 0, -1);
}

} // namespace

int take_snapshot(Kernel &kernel, const SnapshotOptions &options)
{
	std::unique_ptr<KernelTrace> snapshot = kernel.open(options.name)->snapshot();
	require_empty_directory(options.directory);
	Progress progress;
	Workers workers;
	std::unique_ptr<Session> session =
		open_session(snapshot->info(), boot_id(), options.directory, options.contexts,
			reporter(progress), &workers, Session::From::snapshot);
	Recorder recorder(*snapshot, *session);

	recorder.follow([&] {
		progress.show(session->totals());
		return false;
	});
	recorder.drain(true);
	progress.clear();
	const Totals &totals = session->totals();
	std::printf("%s\n", summary(totals, options.directory).c_str());
	const Exit code = exit_code(totals);
	return static_cast<int>(code == Exit::lost ? Exit::fine : code);
}

int run_traced(Kernel &kernel, const RunOptions &options)
{
	std::unique_ptr<KernelTrace> trace = kernel.create(options.trace);
	Guard guard(*trace);
	trace->lock();
	require_empty_directory(options.directory);
	Progress progress;
	Workers workers; // no thread is there yet when the child is forked
	std::unique_ptr<Session> session = open_session(
		trace->info(), boot_id(), options.directory, 0, reporter(progress), &workers);
	Recorder recorder(*trace, *session);
	Signals signals;

	trace->start();
	Child child(options.command);
	auto child_ended = [&] {
		// The command decides when to end.
		if (int number = Signals::take_for_child())
			child.signal(number);
		return child.ended();
	};
	try {
		recorder.follow([&] {
			progress.show(session->totals());
			return child_ended();
		});
	} catch (const Error &) {
		// The disk is full, say. The command goes on, untraced, and is not left alone.
		guard.destroy();
		wait_until(child_ended);
		throw;
	}
	wait_until(child_ended); // someone else may have destroyed the trace
	// First destroyed, then read to the end: only so each thread's stream ends with a packet
	// that has its last counts.
	guard.destroy();
	recorder.drain(true);
	progress.clear();
	std::fprintf(stderr, "%s\n", summary(session->totals(), options.directory).c_str());
	advise_on_losses(session->totals());
	const int status = child.exit_status();
	if (status != not_found && status != not_executable)
		explain_emptiness(session->totals());
	return status ? status : static_cast<int>(exit_code(session->totals()));
}

} // namespace ltt

// SPDX-License-Identifier: MIT
//
// PID 1 of the test guest: runs the programs that /plan names, one after
// the other, and passes their KTAP on to the host as subtests of its own.
//
// A line of the plan: PROGRAM ARGUMENT…, separated by blanks.

#include "guest.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace
{

int port;

void say(const std::string &text)
{
	GUEST_NEED(guest::write_all(port, text.data(), text.size()), "port for results");
}

using Words = std::vector<std::string>;

std::vector<Words> read_plan()
{
	std::vector<Words> plan;
	std::ifstream file("/plan");
	for (std::string line; std::getline(file, line);) {
		std::istringstream in(line);
		Words words;
		for (std::string word; in >> word;)
			words.push_back(word);
		if (!words.empty())
			plan.push_back(words);
	}
	return plan;
}

// Passes on what comes out of fd, each line indented.
void pass_on(int fd)
{
	std::string rest;
	char chunk[4096];
	for (ssize_t n; (n = read(fd, chunk, sizeof(chunk))) != 0;) {
		if (n < 0 && errno != EINTR)
			break;
		if (n < 0)
			continue;
		rest.append(chunk, static_cast<size_t>(n));
		std::string out;
		for (size_t end; (end = rest.find('\n')) != std::string::npos;
			rest.erase(0, end + 1))
			out += "  " + rest.substr(0, end + 1);
		if (!out.empty())
			say(out);
	}
	if (!rest.empty())
		say("  " + rest + "\n");
}

// "" if the program ended with exit status 0, else what became of it.
std::string run(const Words &words)
{
	int output[2];
	GUEST_NEED(pipe2(output, O_CLOEXEC) == 0, "pipe");
	pid_t child = fork();
	GUEST_NEED(child >= 0, "fork");
	if (child == 0) {
		std::vector<char *> argv;
		for (const std::string &word : words)
			argv.push_back(const_cast<char *>(word.c_str()));
		argv.push_back(nullptr);
		std::string path = "/tests/" + words[0];
		setsid();
		dup2(output[1], STDOUT_FILENO);
		execv(path.c_str(), argv.data());
		guest::log("%s: %s", path.c_str(), strerror(errno));
		_exit(127);
	}
	close(output[1]);
	pass_on(output[0]);
	close(output[0]);
	int status = 0;
	for (pid_t ended; (ended = wait(&status)) != child;)
		if (ended < 0 && errno != EINTR)
			return "was lost";
	if (WIFSIGNALED(status))
		return "killed by signal " + std::to_string(WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return "exit status " + std::to_string(WEXITSTATUS(status));
	return "";
}

} // namespace

int main()
{
	guest::mount_kernel_file_systems("");
	guest::mount_at("tmp", "/tmp", "tmpfs", 0, "mode=1777");
	setenv("PATH", "/bin:/tests", 1);
	setenv("HOME", "/tmp", 1);

	port = guest::open_port("ltt.ktap");
	GUEST_NEED(port >= 0, "no port for results"); // the trial of KVM ends here
	// With the default action, the kernel would not let PID 1 get these.
	// One of the harness's own tests kills the kernel through this one.
	signal(SIGABRT, [](int) { _exit(1); });

	std::vector<Words> plan = read_plan();
	say("KTAP version 1\n1.." + std::to_string(plan.size()) + "\n");
	for (size_t i = 0; i < plan.size(); ++i) {
		std::string failure = run(plan[i]);
		say((failure.empty() ? "ok " : "not ok ") + std::to_string(i + 1) + " " +
			plan[i][0] + (failure.empty() ? "" : " # " + failure) + "\n");
	}
	guest::power_off();
}

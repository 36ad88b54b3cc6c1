// SPDX-License-Identifier: MIT
//
// PID 1 of the test guest: runs the programs that /plan names, one after
// the other; their KTAP is that of subtests of its own.
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

// "" if the program ended with exit status 0, else what became of it. Its results go
// straight to the host: what it reported is there, should the kernel crash next.
std::string run(const Words &words)
{
	pid_t child = fork();
	GUEST_NEED(child >= 0, "fork");
	if (child == 0) {
		std::vector<char *> argv;
		for (const std::string &word : words)
			argv.push_back(const_cast<char *>(word.c_str()));
		argv.push_back(nullptr);
		std::string path = "/tests/" + words[0];
		setsid();
		dup2(port, STDOUT_FILENO);
		execv(path.c_str(), argv.data());
		guest::log("%s: %s", path.c_str(), strerror(errno));
		_exit(127);
	}
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
	setenv("KTAP_INDENT", "  ", 1);

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

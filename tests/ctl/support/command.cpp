// SPDX-License-Identifier: MIT
#include "command.h"

#include <cstdio>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "directory.h"

CommandResult run_command(const std::vector<std::string> &words)
{
	Directory scratch;
	std::string out = scratch / "out", err = scratch / "err";
	std::vector<char *> argv;
	for (const std::string &w : words)
		argv.push_back(const_cast<char *>(w.c_str()));
	argv.push_back(nullptr);

	pid_t pid = fork();
	if (pid < 0)
		throw std::runtime_error("cannot fork");
	if (pid == 0) {
		int o = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int e = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (o < 0 || e < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0)
			_exit(125);
		execvp(argv[0], argv.data());
		_exit(127);
	}
	int status;
	waitpid(pid, &status, 0);
	return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), content(out),
		content(err)};
}

CommandResult babeltrace(const std::string &directory)
{
	return run_command({"babeltrace2", "--clock-gmt", "--clock-date", "--no-delta",
		"--fields=loglevel,trace:hostname", directory});
}

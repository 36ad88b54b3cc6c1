// SPDX-License-Identifier: MIT
// Processes beside the test.
#ifndef LTT_TESTS_CTL_CHILD_H
#define LTT_TESTS_CTL_CHILD_H

#include <catch2/catch.hpp>

#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "directory.h"

// A child that does this and then waits to be killed.
template <class F>
pid_t child_that_stays(F f)
{
	int ends[2];
	REQUIRE(pipe(ends) == 0);
	const pid_t child = fork();
	if (child == 0) {
		f();
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	char byte;
	REQUIRE(read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	return child;
}

// As /proc has it: 'S' is a process that waits for something; 0 is none.
inline char state_of(pid_t pid)
{
	const std::string stat = content("/proc/" + std::to_string(pid) + "/stat");
	const size_t name_end = stat.rfind(") ");
	return name_end == std::string::npos ? 0 : stat[name_end + 2];
}

// All that a child of forkpty() shows until it is gone.
inline std::string shown_on(int terminal)
{
	std::string shown;
	char text[256];
	for (ssize_t n; (n = read(terminal, text, sizeof(text))) > 0;)
		shown.append(text, static_cast<size_t>(n));
	return shown;
}

inline void kill_and_reap(pid_t child)
{
	kill(child, SIGKILL);
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
}

#endif

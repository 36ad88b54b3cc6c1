// SPDX-License-Identifier: MIT
// Runs a program to its end.
#ifndef LTT_TESTS_CTL_COMMAND_H
#define LTT_TESTS_CTL_COMMAND_H

#include <string>
#include <vector>

struct CommandResult {
	int status; // exit status, or 128 + signal
	std::string out;
	std::string err;
};

CommandResult run_command(const std::vector<std::string> &words);

// What babeltrace2 prints of a trace.
CommandResult babeltrace(const std::string &directory);

#endif

// SPDX-License-Identifier: MIT
// Runs ltt-ctl, and knows its verbs.
#ifndef LTT_TESTS_CTL_TOOL_H
#define LTT_TESTS_CTL_TOOL_H

#include <sstream>
#include <string>
#include <vector>

#include "support/command.h"

inline CommandResult ltt_ctl(std::vector<std::string> words)
{
	words.insert(words.begin(), LTT_CTL);
	return run_command(words);
}

// As the tool tells them to the shells.
inline std::vector<std::string> read_verbs()
{
	std::istringstream lines(ltt_ctl({"--complete", ""}).out);
	std::vector<std::string> all;
	for (std::string line; std::getline(lines, line);)
		all.push_back(line.substr(0, line.find('\t')));
	return all;
}

inline const std::vector<std::string> &verbs()
{
	static const std::vector<std::string> all = read_verbs();
	return all;
}

#endif

// SPDX-License-Identifier: MIT
// What an independent reader finds in a trace.
#ifndef LTT_TESTS_CTL_FOUND_H
#define LTT_TESTS_CTL_FOUND_H

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "command.h"

// What babeltrace2 finds in it, after a check that it complains of nothing but losses.
struct Found {
	size_t events = 0, lost = 0;
	std::vector<uint64_t> numbers; // in fields called n
};

inline Found found(const std::string &directory)
{
	CommandResult r = babeltrace(directory);
	INFO(r.err);
	CHECK(r.status == 0);
	Found f;
	f.events = static_cast<size_t>(std::count(r.out.begin(), r.out.end(), '\n'));
	const std::regex told("WARNING: Tracer discarded ([0-9]+) (event|packet)s? .*\n");
	for (std::sregex_iterator it(r.err.begin(), r.err.end(), told), end; it != end; ++it)
		if ((*it)[2] == "event")
			f.lost += std::stoul((*it)[1]);
	for (size_t at = 0; (at = r.out.find(" n = ", at)) != std::string::npos; ++at)
		f.numbers.push_back(std::stoull(r.out.substr(at + 5, 20)));
	CHECK(std::regex_replace(r.err, told, "") == "");
	return f;
}

#endif

// SPDX-License-Identifier: MIT
#include <cstdio>

#include "../lib/arguments.h"
#include "../lib/control.h"
#include "verbs.h"

namespace ltt
{

int verb_rotate(const Words &words)
{
	std::string directory;

	Arguments a("rotate", describe("rotate"));
	a.positional("DIR", directory, "the directory of the recording: what record has as -o");
	a.example("ltt-ctl rotate /tmp/mine");
	if (!a.parse(words))
		return 0;

	std::printf("%s\n", ask_for_chunk(directory).c_str());
	return 0;
}

} // namespace ltt

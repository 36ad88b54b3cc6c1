// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ust/detail/abi.h>

#include "../lib/arguments.h"
#include "verbs.h"

namespace ltt
{

int verb_version(const Words &words)
{
	Arguments a("version", describe("version"));
	if (!a.parse(words))
		return 0;

	std::printf("ltt-ctl %s, kernel ABI %d\n", LTT_CTL_VERSION, LTT_ABI_VERSION);
	return 0;
}

} // namespace ltt

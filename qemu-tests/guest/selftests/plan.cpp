// SPDX-License-Identifier: MIT
// For the harness's own tests: one result of two never arrives.
#include "../ktap.h"

#include <csignal>

TEST("the runner dies after this", seconds(5))
{
	kill(getppid(), SIGKILL);
	pause();
}

TEST("so that this has no result") {}

// SPDX-License-Identifier: MIT
// For the harness's own tests: a machine that says nothing more.
#include "../ktap.h"

#include <csignal>

// qemu: timeout=4

TEST("the runner itself hangs", seconds(1))
{
	kill(getppid(), SIGSTOP);
	pause();
}

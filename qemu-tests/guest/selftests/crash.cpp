// SPDX-License-Identifier: MIT
// For the harness's own tests: the kernel panics in the second of three.
#include "../ktap.h"

#include <csignal>

TEST("before the crash") {}

TEST("the kernel crashes")
{
	kill(1, SIGABRT); // init ends, and the kernel with it
	pause();
}

TEST("after the crash") {}

// SPDX-License-Identifier: MIT
// For the harness's own tests.
#include "../ktap.h"

TEST("a test that hangs is killed at its limit", seconds(1))
{
	for (;;)
		pause();
}

TEST("and the next one runs") {}

// SPDX-License-Identifier: MIT
//
// ltt.boot= with a name that could not be a file's.

// qemu: append="ltt.boot=a/b"

#include "../boot_log.h"

TEST("a name that no trace may have leaves no trace, and a line in the log that says so")
{
	ltt::expect_refused_boot({"a/b", "refused"});
}

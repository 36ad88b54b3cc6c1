// SPDX-License-Identifier: MIT
//
// ltt.boot= with an option that nobody knows, behind good ones.

// qemu: append="ltt.boot=early,filter=0xff,speed=9,n=8"

#include "../boot_log.h"

TEST("an unknown option leaves no trace, and a line in the log that names it")
{
	ltt::expect_refused_boot({"bad option", "speed"});
}

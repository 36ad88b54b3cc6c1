// SPDX-License-Identifier: MIT
//
// ltt.boot= that is too long: a trace of the part that fits would be another
// one than was asked for.

// A directive is one line:
// clang-format off
// qemu: append="ltt.boot=early,filter=7,filter=8,filter=9,filter=0,filter=1,filter=2,filter=3,filter=4,filter=5,filter=6,filter=7,filter=8,filter=9,filter=0,filter=1,filter=2,filter=3,filter=4,filter=5,filter=6,filter=7,filter=8,filter=9,filter=0,filter=1,filter=2,filter=3,filter=4,filter=5,filter=6,n=8"
// clang-format on

#include "../boot_log.h"

TEST("more than 255 bytes leave no trace, and a line in the log that says so")
{
	ltt::expect_refused_boot({"longer than"});
}

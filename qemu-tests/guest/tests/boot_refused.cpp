// SPDX-License-Identifier: MIT
//
// ltt.boot= with rubbish: the machine boots, without the trace.

// qemu: append="ltt.boot=early,subbuf=5000"

#include "../boot_log.h"

TEST("a geometry that cannot be leaves no trace, and a line in the log that says so")
{
	ltt::expect_refused_boot({"early", "refused"});
}

// SPDX-License-Identifier: MIT
// For the harness's own tests: these pass.
#include "../ktap.h"

#include <sys/mman.h>

TEST("checks that hold let a test pass")
{
	CHECK(true);
	CHECK_EQ(1u, 1);
	CHECK_LT(-1, 1u);
	CHECK_EQ(std::string("a"), "a");
	CHECK_ERRNO(close(-1), EBADF);
	REQUIRE_OK(getpid());
	WAIT_UNTIL(true);
}

TEST("memory of a process that ended is no leak")
{
	void *p =
		mmap(nullptr, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	memset(p, 1, 8 << 20);
}

TEST("a test may skip if it says so", may_skip)
{
	SKIP("to show it");
}

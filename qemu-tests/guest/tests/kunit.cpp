// SPDX-License-Identifier: MIT
//
// The tests in the kernel itself, kernel/ltt/*_kunit.c. They ran at boot; their
// results are files, which are held against their own plan.

#include "../ktap.h"

#include <sstream>

#include <unistd.h>

namespace
{

const std::string suites = "/sys/kernel/debug/kunit/";

bool begins_with(const std::string &text, const char *beginning)
{
	return text.rfind(beginning, 0) == 0;
}

// Every test that the suite has passed, and so did the suite.
void check_suite(const char *name)
{
	if (access(suites.c_str(), F_OK) != 0)
		SKIP("the kernel has no KUnit (CONFIG_LTT_KUNIT_TEST)");
	std::istringstream results(ktap::read_file(suites + name + "/results"));
	int planned = 0, passed = 0, failed = 0;
	bool whole = false;
	for (std::string line; std::getline(results, line);) {
		printf("%s\n", line.c_str());
		if (begins_with(line, "    1.."))
			planned = atoi(line.c_str() + strlen("    1.."));
		else if (begins_with(line, "    ok "))
			++passed;
		else if (line.find("not ok ") != std::string::npos)
			++failed;
		else if (begins_with(line, "ok 1 "))
			whole = true;
	}
	CHECK_GT(planned, 0);
	CHECK_EQ(passed, planned);
	CHECK_EQ(failed, 0);
	CHECK(whole);
}

} // namespace

TEST("KUnit: who may be traced, and what parameters a trace may have", may_skip)
{
	check_suite("ltt_trace");
}

TEST("KUnit: positions in a buffer, whatever its control page says", may_skip)
{
	check_suite("ltt_position");
}

TEST("KUnit: positions in the buffer of a processor", may_skip)
{
	check_suite("ltt_cpu");
}

TEST("KUnit: writing there, with interrupts and NMIs at any instruction", may_skip)
{
	check_suite("ltt_cpu_interrupt");
}

TEST("KUnit: a counter that begins anew, and a time that goes on", may_skip)
{
	check_suite("ltt_clock");
}

TEST("KUnit: quotas, to the byte", may_skip)
{
	check_suite("ltt_quota");
}

TEST("KUnit: what the targets of a trace match", may_skip)
{
	check_suite("ltt_target");
}

TEST("KUnit: memory that outlives a reboot", may_skip)
{
	check_suite("ltt_region");
	check_suite("ltt_persist");
}

TEST("KUnit: options of ltt.boot=", may_skip)
{
	check_suite("ltt_boot");
}

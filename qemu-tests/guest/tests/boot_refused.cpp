// SPDX-License-Identifier: MIT
//
// ltt.boot= with rubbish: the machine boots, without the trace.

// qemu: append="ltt.boot=early,subbuf=5000"

#include "../ltt.h"

TEST("a geometry that cannot be leaves no trace, and a line in the log that says so")
{
	ltt_trace_info info = {};
	info.size = sizeof(info);
	CHECK_ERRNO(ioctl(ltt::open_device(), LTT_IOC_INFO, &info), ENOENT);
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	REQUIRE(log >= 0);
	bool told = false;
	char record[1024];
	for (ssize_t n; (n = read(log, record, sizeof(record) - 1)) > 0;) {
		record[n] = 0;
		told = told || (strstr(record, "ltt.boot") && strstr(record, "early") &&
				       strstr(record, "refused"));
	}
	CHECK(told);
}

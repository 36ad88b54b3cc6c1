/* SPDX-License-Identifier: MIT */
/* For tests of ltt.boot= with rubbish: what is missing, and a word of why. */
#ifndef GUEST_BOOT_LOG_H
#define GUEST_BOOT_LOG_H

#include "ltt.h"

namespace ltt
{

/* One line about it in the kernel's log holds all these words. */
inline void expect_boot_log(const std::vector<const char *> &words)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	REQUIRE(log >= 0);
	bool told = false;
	char record[2048];
	for (ssize_t n; (n = read(log, record, sizeof(record) - 1)) > 0;) {
		record[n] = 0;
		bool all = strstr(record, "ltt: ltt.boot");
		for (const char *word : words)
			all = all && strstr(record, word);
		told = told || all;
	}
	CHECK(told);
}

/* And there is no trace. */
inline void expect_refused_boot(const std::vector<const char *> &words)
{
	ltt_trace_info info = {};
	info.size = sizeof(info);
	CHECK_ERRNO(ioctl(open_device(), LTT_IOC_INFO, &info), ENOENT);
	expect_boot_log(words);
}

} // namespace ltt

#endif /* GUEST_BOOT_LOG_H */

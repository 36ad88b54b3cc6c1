// SPDX-License-Identifier: MIT
#include "log.h"

#include <cstdio>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace ltt
{

namespace
{

bool syslog_opened;

// The variable names the journal's end of a pipe; a shell between may have sent standard error
// elsewhere.
bool journal_reads_stderr()
{
	const char *stream = std::getenv("JOURNAL_STREAM");
	struct stat s;
	return stream && fstat(STDERR_FILENO, &s) == 0 &&
	       std::to_string(s.st_dev) + ":" + std::to_string(s.st_ino) == stream;
}

} // namespace

void log_line(Level level, const std::string &line)
{
	const int number = static_cast<int>(level);
	if (syslog_opened)
		syslog(number, "%s", line.c_str());
	else if (journal_reads_stderr())
		std::fprintf(stderr, "<%d>%s\n", number, line.c_str());
	else
		std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
}

void log_to_syslog()
{
	openlog("ltt-ctl", LOG_PID, LOG_DAEMON);
	syslog_opened = true;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
// Lines for whoever looks after this process: on a terminal, in the journal, in syslog.
#ifndef LTT_CTL_LOG_H
#define LTT_CTL_LOG_H

#include <string>

#include <syslog.h>

namespace ltt
{

enum class Level {
	error = LOG_ERR,
	warning = LOG_WARNING,
	info = LOG_INFO
};

// One line on standard error, headed by "ltt-ctl: "; by its level, as sd-daemon(3) has it, where
// the journal reads it.
void log_line(Level level, const std::string &line);

// From now on lines go to syslog(3): a daemon has no standard error.
void log_to_syslog();

} // namespace ltt

#endif

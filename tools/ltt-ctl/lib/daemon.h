// SPDX-License-Identifier: MIT
// Work in the background: a process of its own, its pid file, and the service manager.
#ifndef LTT_CTL_DAEMON_H
#define LTT_CTL_DAEMON_H

#include <functional>
#include <string>

#include "file.h"

namespace ltt
{

// Does @work in a process of its own, in a session of its own, and returns its exit status, or 0
// once @work calls ready(): from then on it has no terminal, and its lines go to syslog. Until
// then they show here. @work runs in the child, which never returns from here.
int as_daemon(const std::function<int(const std::function<void()> &ready)> &work);

// A file that holds the number of this process while it lives. Locked, so that one that a killed
// process left behind is known for what it is. Throws Error if a living one has it.
class PidFile
{
public:
	explicit PidFile(std::string path);
	~PidFile();
	PidFile(const PidFile &) = delete;

private:
	std::string path_;
	FileDescriptor fd_;
};

// Tells the service manager, if there is one: sd_notify(3).
void notify_manager(const std::string &state);

} // namespace ltt

#endif

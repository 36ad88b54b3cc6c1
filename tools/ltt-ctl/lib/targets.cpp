// SPDX-License-Identifier: MIT
#include "targets.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "error.h"

namespace ltt
{

namespace
{

// Digits alone, @most at most; else -1.
int64_t number(const std::string &text, int64_t most)
{
	if (text.empty() || text.size() > 10 ||
		text.find_first_not_of("0123456789") != std::string::npos)
		return -1;
	const int64_t value = std::stoll(text);
	return value <= most ? value : -1;
}

Target file_target(ltt_target_kind kind, const std::string &path, const char *what)
{
	int fd;
	do // A FIFO, refused below, must not make it wait.
		fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		throw Error(errno == EACCES ? Exit::no_permission : Exit::misuse,
			std::string("cannot open ") + what + " " + path + ": " +
				std::strerror(errno));
	return {{kind, 0, fd}, path, std::make_shared<FileDescriptor>(fd)};
}

struct CloseFile {
	void operator()(FILE *file) const { std::fclose(file); }
};

// getpwnam() would look for shared libraries, which a static program cannot load.
int64_t uid_of(const std::string &name, const std::string &passwd)
{
	std::unique_ptr<FILE, CloseFile> file(std::fopen(passwd.c_str(), "re"));
	while (const struct passwd *user = file ? fgetpwent(file.get()) : nullptr)
		if (name == user->pw_name)
			return user->pw_uid;
	throw Error(Exit::misuse,
		"there is no user " + name + " in " + passwd + "; give the user's number");
}

} // namespace

Target pid_target(const std::string &text, bool follow)
{
	const int64_t pid = number(text, INT32_MAX);
	if (pid <= 0)
		throw Error(Exit::misuse, "\"" + text + "\" is not the number of a process");
	return {{LTT_TARGET_PID, follow ? LTT_TARGET_FOLLOW : 0U, pid}, text};
}

Target own_children()
{
	return pid_target(std::to_string(getpid()), true);
}

Target uid_target(const std::string &text, const std::string &passwd)
{
	const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
	// The last one is none: what calls take for "leave it as it is".
	const int64_t uid = digits ? number(text, UINT32_MAX - 1) : uid_of(text, passwd);
	if (uid < 0)
		throw Error(Exit::misuse, "\"" + text + "\" is not the number of a user");
	return {{LTT_TARGET_UID, 0, uid}, text};
}

Target exe_target(const std::string &path)
{
	Target t = file_target(LTT_TARGET_EXE, path, "executable");
	struct stat status;
	if (fstat(t.file->get(), &status) < 0 || !S_ISREG(status.st_mode))
		throw Error(Exit::misuse, path + " is not an ordinary file, as executables are");
	return t;
}

Target cgroup_target(const std::string &path)
{
	Target t = file_target(LTT_TARGET_CGROUP, path, "control group");
	struct stat status;
	struct statfs fs;
	if (fstat(t.file->get(), &status) < 0 || fstatfs(t.file->get(), &fs) < 0 ||
		!S_ISDIR(status.st_mode) || fs.f_type != CGROUP2_SUPER_MAGIC)
		throw Error(Exit::misuse,
			path + " is not the directory of a control group of version 2; those are "
			       "where cgroup2 is mounted, as a rule at /sys/fs/cgroup");
	return t;
}

std::string missing_process(const std::vector<Target> &targets)
{
	for (const Target &t : targets) {
		if (t.target.kind != LTT_TARGET_PID)
			continue;
		const pid_t pid = static_cast<pid_t>(t.target.id);
		// Not in glibc before 2.36.
		FileDescriptor fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
		if (fd.get() >= 0)
			continue;
		if (kill(pid, 0) == 0 || errno == EPERM)
			return t.name +
			       " is a thread; give the number of its process, Tgid in /proc/" +
			       t.name + "/status";
		return "there is no process " + t.name + "; ps -e shows those there are";
	}
	return "a process that it is to be limited to has just ended";
}

} // namespace ltt

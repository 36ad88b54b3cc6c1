/* SPDX-License-Identifier: MIT */
/* A control group (version 2) of a test's own. */
#ifndef GUEST_CGROUP_H
#define GUEST_CGROUP_H

#include "ktap.h"

#include <sys/stat.h>

namespace ktap
{

class Cgroup
{
public:
	explicit Cgroup(const std::string &name) : path(root + ("/" + name))
	{
		write_to(std::string(root) + "/cgroup.subtree_control", "+memory");
		REQUIRE_OK(mkdir(path.c_str(), 0755));
	}

	Cgroup(const Cgroup &) = delete;
	Cgroup &operator=(const Cgroup &) = delete;

	/* Its members must be gone; the kernel may need a moment to see that. */
	~Cgroup()
	{
		if (owner == getpid())
			WAIT_UNTIL(rmdir(path.c_str()) == 0);
	}

	/* The calling process becomes a member, its children are born as such. */
	void enter() const { add(getpid()); }
	void add(pid_t pid) const { set("cgroup.procs", std::to_string(pid)); }

	void set(const char *file, const std::string &value) const
	{
		write_to(path + "/" + file, value);
	}

	/* The number behind this word in a file of such lines. */
	long event(const char *file, const std::string &word) const
	{
		std::string text = "\n" + read_file(path + "/" + file);
		size_t at = text.find("\n" + word + " ");
		REQUIRE(at != std::string::npos);
		return atol(text.c_str() + at + word.size() + 2);
	}

	/* Stops all members, wherever they are, or lets them go on. */
	void freeze(bool frozen) const
	{
		set("cgroup.freeze", frozen ? "1" : "0");
		WAIT_UNTIL(event("cgroup.events", "frozen") == frozen);
	}

private:
	static constexpr const char *root = "/sys/fs/cgroup";

	static void write_to(const std::string &file, const std::string &value)
	{
		int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
		REQUIRE(fd >= 0);
		REQUIRE_EQ(
			write(fd, value.data(), value.size()), static_cast<ssize_t>(value.size()));
		close(fd);
	}

	std::string path;
	pid_t owner = getpid();
};

} // namespace ktap

#endif /* GUEST_CGROUP_H */

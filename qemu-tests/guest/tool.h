/* SPDX-License-Identifier: MIT */
/* Running ltt-ctl, and what it said; for tests with "// qemu: tool=ltt-ctl". */
#ifndef GUEST_TOOL_H
#define GUEST_TOOL_H

#include "process.h"
#include "streams.h"

#include <cstring>
#include <string>
#include <vector>

#include <climits>
#include <sys/wait.h>

namespace tool
{

struct Result {
	int status; /* of wait() */
	std::string out, err;

	int exit() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
	/* The number before this word in the summary. */
	size_t count(const std::string &word) const
	{
		const std::string &text = out.empty() ? err : out;
		size_t at = text.find(" " + word);
		if (at == std::string::npos)
			return SIZE_MAX;
		size_t from = text.find_last_of(" \n", at - 1);
		return strtoul(
			text.c_str() + (from == std::string::npos ? 0 : from + 1), nullptr, 10);
	}
	bool says(const std::string &text) const
	{
		return (out + err).find(text) != std::string::npos;
	}
};

inline Result run(std::vector<std::string> words)
{
	std::string out = "/tmp/out." + std::to_string(getpid());
	std::string err = "/tmp/err." + std::to_string(getpid());
	std::vector<char *> argv;
	for (std::string &word : words)
		argv.push_back(word.data());
	argv.push_back(nullptr);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		for (const auto &[fd, path] : {std::pair(1, out), std::pair(2, err)})
			dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), fd);
		execvp(argv[0], argv.data());
		_exit(127);
	}
	Result r;
	REQUIRE_EQ(waitpid(child, &r.status, 0), child);
	r.out = ktap::read_file(out);
	r.err = ktap::read_file(err);
	unlink(out.c_str());
	unlink(err.c_str());
	return r;
}

inline Result ltt_ctl(std::vector<std::string> words)
{
	words.insert(words.begin(), "/bin/ltt-ctl");
	return run(words);
}

inline void succeed(const std::vector<std::string> &words)
{
	Result r = ltt_ctl(words);
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.err, "");
}

/* What is missing is shown. */
#define CHECK_SAYS(result, text)                                                                   \
	do {                                                                                       \
		const tool::Result &says_result = (result);                                        \
		const std::string says_text = (text);                                              \
		if (!says_result.says(says_text))                                                  \
			ktap::fail(__FILE__, __LINE__, "no \"%s\" in: %s%s", says_text.c_str(),    \
				says_result.out.c_str(), says_result.err.c_str());                 \
	} while (0)

/* The number behind a key, where it comes first in what was printed as JSON. */
inline uint64_t number_in(const std::string &json, const std::string &key)
{
	size_t at = json.find("\"" + key + "\": ");
	REQUIRE(at != std::string::npos);
	return strtoull(json.c_str() + at + key.size() + 4, nullptr, 10);
}

inline std::string own_path()
{
	char path[PATH_MAX] = "";
	REQUIRE(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return path;
}

inline std::string copy_self(const std::string &to)
{
	std::string self = ktap::read_file("/proc/self/exe");
	int fd = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	REQUIRE_EQ(write(fd, self.data(), self.size()), static_cast<ssize_t>(self.size()));
	close(fd);
	return to;
}

/* A child that does this, and stops itself in it. */
template <class F>
pid_t stopped(F f)
{
	pid_t child = ktap::spawn(f);
	int status;
	REQUIRE_EQ(waitpid(child, &status, WUNTRACED), child);
	REQUIRE(WIFSTOPPED(status));
	return child;
}

} // namespace tool

#endif /* GUEST_TOOL_H */

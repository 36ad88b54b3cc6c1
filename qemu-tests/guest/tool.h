/* SPDX-License-Identifier: MIT */
/* Running ltt-ctl, and what it said; for tests with "// qemu: tool=ltt-ctl". */
#ifndef GUEST_TOOL_H
#define GUEST_TOOL_H

#include "process.h"
#include "streams.h"

#include <cstring>
#include <string>
#include <utility>
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

/* A command that runs, found in PATH. */
class Command
{
public:
	/* @prepare: what the child does before it executes. */
	template <class Prepare>
	Command(std::vector<std::string> words, Prepare prepare)
	{
		static int n;
		const std::string own = std::to_string(getpid()) + "." + std::to_string(++n);
		out_ = "/tmp/out." + own;
		err_ = "/tmp/err." + own;
		std::vector<char *> argv;
		for (std::string &word : words)
			argv.push_back(word.data());
		argv.push_back(nullptr);
		pid = fork();
		REQUIRE(pid >= 0);
		if (pid == 0) {
			for (const auto &[fd, path] : {std::pair(1, out_), std::pair(2, err_)})
				dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), fd);
			prepare();
			execvp(argv[0], argv.data());
			_exit(127);
		}
	}
	explicit Command(std::vector<std::string> words) : Command(std::move(words), [] {}) {}

	/* What it has printed so far. */
	std::string so_far() const { return ktap::read_file(out_); }

	Result finish()
	{
		Result r;
		REQUIRE_EQ(waitpid(pid, &r.status, 0), pid);
		r.out = ktap::read_file(out_);
		r.err = ktap::read_file(err_);
		unlink(out_.c_str());
		unlink(err_.c_str());
		return r;
	}

	pid_t pid;

private:
	std::string out_, err_;
};

inline Result run(std::vector<std::string> words)
{
	return Command(std::move(words)).finish();
}

inline std::vector<std::string> with_tool(std::vector<std::string> words)
{
	words.insert(words.begin(), "/bin/ltt-ctl");
	return words;
}

inline Result ltt_ctl(std::vector<std::string> words)
{
	return run(with_tool(std::move(words)));
}

inline Result succeed(const std::vector<std::string> &words)
{
	Result r = ltt_ctl(words);
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.err, "");
	return r;
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

/*
 * A CTF stream file, read as its metadata says: header and context of a packet, then events of a
 * compact or an extended header and a number.
 */
struct StreamFile {
	std::string bytes;
	std::vector<uint64_t> values;
	uint64_t lost = 0; /* events, as the last packet has them */

	template <class T>
	T at(size_t offset) const
	{
		T value = {};
		REQUIRE(offset + sizeof(value) <= bytes.size());
		memcpy(&value, &bytes[offset], sizeof(value));
		return value;
	}

	explicit StreamFile(const std::string &path) : bytes(ktap::read_file(path))
	{
		constexpr size_t context_at = 32, content_at = context_at + 16;
		constexpr size_t context_size = 6 * 8 + 4 * 4 + 2 * 4 + 16;

		REQUIRE(!bytes.empty());
		for (size_t packet = 0; packet < bytes.size();) {
			REQUIRE_EQ(at<uint32_t>(packet), 0xc1fc1fc1);
			size_t end = packet + at<uint64_t>(packet + content_at) / 8;
			REQUIRE(end > packet && end <= bytes.size());
			lost = at<uint64_t>(packet + content_at + 24);
			for (size_t i = packet + context_at + context_size; i < end;) {
				i += (at<uint8_t>(i) & 31) == 31 ? 1 + 4 + 8 : 4;
				values.push_back(at<uint64_t>(i));
				i += sizeof(uint64_t);
			}
			packet += at<uint64_t>(packet + content_at + 8) / 8;
		}
	}
};

} // namespace tool

#endif /* GUEST_TOOL_H */

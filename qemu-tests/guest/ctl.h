/* SPDX-License-Identifier: MIT */
/* ltt-ctl as tests run it, and what it wrote. */
#ifndef GUEST_CTL_H
#define GUEST_CTL_H

#include "process.h"
#include "streams.h"

#include <utility>
#include <vector>

namespace ctl
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
};

/* A command that runs. */
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
		words.insert(words.begin(), "/bin/ltt-ctl");
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
			execv(argv[0], argv.data());
			_exit(127);
		}
	}
	explicit Command(std::vector<std::string> words) : Command(std::move(words), [] {}) {}

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

inline Result ltt_ctl(std::vector<std::string> words)
{
	return Command(std::move(words)).finish();
}

inline void succeed(const std::vector<std::string> &words)
{
	Result r = ltt_ctl(words);
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.err, "");
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
		constexpr size_t context_at = 32, size_at = context_at + 24;
		constexpr size_t context_size = 6 * 8 + 4 * 4 + 2 * 4 + 16;

		REQUIRE(!bytes.empty());
		for (size_t packet = 0; packet < bytes.size();) {
			REQUIRE_EQ(at<uint32_t>(packet), 0xc1fc1fc1);
			size_t end = packet + at<uint64_t>(packet + size_at) / 8;
			REQUIRE(end > packet && end <= bytes.size());
			lost = at<uint64_t>(packet + size_at + 16);
			for (size_t i = packet + context_at + context_size; i < end;) {
				i += (at<uint8_t>(i) & 31) == 31 ? 1 + 4 + 8 : 4;
				values.push_back(at<uint64_t>(i));
				i += sizeof(uint64_t);
			}
			packet = end;
		}
	}
};

} // namespace ctl

#endif /* GUEST_CTL_H */

// SPDX-License-Identifier: MIT
//
// The commands in the EXAMPLES of ltt-ctl's manual pages do what the pages say. The build
// takes them out of the pages: a line that begins with "$ " is a command, and what follows is
// what it prints, with numbers of its own, and "..." for any text.

// qemu: tool=ltt-ctl

#include "../streams.h"
#include "../tool.h"

#include "manual-commands.h"

#include <ust/ust.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include <sys/stat.h>

UST_CATEGORY(shop, orders, 3, "What is bought.")
UST_EVENT(shop, order, UST_IN(shop, orders), (std::uint64_t, number))
UST_EVENT(shop, visit, UST_BIT(0) | UST_CATEGORY_NET, (std::uint64_t, number))
UST_EVENT(shop, failure, UST_CATEGORY_ERROR, UST_LEVEL_ERR, (std::uint64_t, number))

namespace
{

using namespace ktap;
using namespace tool;

void work()
{
	for (uint64_t i = 0; i < 10; ++i) {
		UST(shop, order, i);
		UST(shop, visit, i);
		UST(shop, failure, i);
	}
}

// What the pages call ./program.
[[gnu::constructor]] void be_the_program(int, char **argv, char **)
{
	const std::string name = argv[0];
	if (name.size() < 9 || name.compare(name.size() - 9, 9, "./program"))
		return;
	work();
	_exit(0);
}

// Blanks part words, but between single quotes.
std::vector<std::string> split(const std::string &line)
{
	std::vector<std::string> words;
	bool quoted = false, in_word = false;
	for (char c : line) {
		if (c == '\'') {
			quoted = !quoted;
		} else if (c == ' ' && !quoted) {
			in_word = false;
			continue;
		}
		if (!in_word)
			words.emplace_back();
		in_word = true;
		if (c != '\'')
			words.back() += c;
	}
	return words;
}

// Without what may differ: numbers, and the room they take.
std::string masked(const std::string &text)
{
	std::string s;
	for (char c : text) {
		if (c >= '0' && c <= '9')
			c = '0';
		if ((c == '0' || c == ' ') && !s.empty() && s.back() == c)
			continue;
		s += c;
	}
	return s;
}

bool is_like(const std::string &expected, const std::string &printed)
{
	const std::string pattern = masked(expected), text = masked(printed);
	size_t at = 0, from = 0;
	for (;;) {
		const size_t dots = pattern.find("...", from);
		const std::string part = pattern.substr(from, dots - from);
		const size_t found = text.find(part, at);
		if (found == std::string::npos || (from == 0 && found != 0))
			return false;
		at = found + part.size();
		if (dots == std::string::npos)
			return part.empty() || at == text.size();
		from = dots + 3;
	}
}

// A page's commands, one after the other, in a directory of their own.
class Session
{
public:
	explicit Session(const ManualPage &page) : page_(page)
	{
		const std::string directory = "/tmp/" + std::string(page.name);
		REQUIRE_OK(mkdir(directory.c_str(), 0755));
		REQUIRE_OK(chdir(directory.c_str()));
		copy_self("./program");
		process_ = stopped([] {
			kill(getpid(), SIGSTOP);
			work();
		});
	}

	void run_all()
	{
		std::istringstream lines(page_.examples);
		for (std::string line; std::getline(lines, line);) {
			if (line.compare(0, 2, "$ ") == 0)
				run_line(line.substr(2));
			else if (!line.empty())
				expect(line);
		}
		for (Command &command : background_)
			CHECK_EQ(command.finish().exit(), 0);
		kill(process_, SIGKILL);
		waitpid(process_, nullptr, 0);
		CHECK_GT(commands_, 1u);
	}

private:
	void fail(const std::string &what)
	{
		ktap::fail(__FILE__, __LINE__, "%s(1): %s: %s", page_.name, command_.c_str(),
			what.c_str());
	}

	void run_line(const std::string &line)
	{
		command_ = line;
		output_.clear();
		++commands_;
		std::vector<std::string> words = split(line);
		for (std::string &word : words)
			if (word == "4711")
				word = std::to_string(process_);
		if (words[0] == "babeltrace2") { // not here; but there is a trace for it
			if (access((words[1] + "/ust").c_str(), F_OK) != 0)
				fail("no trace");
		} else if (words.back() == "&") {
			words.pop_back();
			run_in_background(words);
		} else {
			run_now(words);
		}
	}

	void run_now(const std::vector<std::string> &words)
	{
		Result r = run(words);
		take_lines(r.out + r.err);
		// Misuse is for pages that show what is said about it.
		if (r.exit() != 0 && r.exit() != 2)
			fail("exit status " + std::to_string(r.exit()) + ", " + r.err);
	}

	// It has begun when its directory is there, or else when it has printed something.
	void run_in_background(const std::vector<std::string> &words)
	{
		const Command &command = background_.emplace_back(words);
		const auto option = std::find(words.begin(), words.end(), "-o");
		if (option != words.end()) {
			WAIT_UNTIL(access(option[1].c_str(), F_OK) == 0);
			return;
		}
		WAIT_UNTIL(!command.so_far().empty() && command.so_far().back() == '\n');
		take_lines(command.so_far());
	}

	void take_lines(const std::string &text)
	{
		std::istringstream printed(text);
		for (std::string line; std::getline(printed, line);)
			output_.push_back(line);
	}

	// In any order: that of definitions is the linker's choice.
	void expect(const std::string &line)
	{
		for (auto printed = output_.begin(); printed != output_.end(); ++printed)
			if (is_like(line, *printed)) {
				output_.erase(printed);
				return;
			}
		std::string rest;
		for (const std::string &printed : output_)
			rest += "\n    " + printed;
		fail("does not print: " + line + "; but" + rest);
	}

	const ManualPage &page_;
	pid_t process_;
	std::string command_;
	std::vector<std::string> output_;
	std::vector<Command> background_;
	size_t commands_ = 0;
};

void destroy_all()
{
	std::istringstream lines(ltt_ctl({"--complete", "destroy", ""}).out);
	for (std::string line; std::getline(lines, line);)
		succeed({"destroy", line.substr(0, line.find('\t'))});
}

} // namespace

TEST("the test itself tells what a command prints from what it does not")
{
	CHECK(is_like("12 events, ... lost", "7 events, 1 processes, 0 lost"));
	CHECK(is_like("mine  stopped", "mine stopped"));
	CHECK(is_like("...", "anything"));
	CHECK(is_like("a ...", "a b"));
	CHECK(!is_like("mine", "mines"));
	CHECK(!is_like("events", "12 events"));
	CHECK(!is_like("12 events, ... lost", "12 events, 3 found"));
	CHECK(split("a 'b c'  ''") == (std::vector<std::string>{"a", "b c", ""}));
}

TEST("the commands of each manual page of ltt-ctl do what it says", seconds(120))
{
	for (const ManualPage &page : manual_pages) {
		// Its examples go on for long, and recording.cpp runs them.
		if (!strcmp(page.name, "ltt-ctl-record"))
			continue;
		printf("%s\n", page.name);
		CHECK_EQ(wait_for(spawn([&] { Session(page).run_all(); })), 0);
		destroy_all();
	}
}

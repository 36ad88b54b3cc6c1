// SPDX-License-Identifier: MIT
// What may stand where the cursor is: for the shells' completion, which is not to know the
// verbs and their options a second time.
#ifndef LTT_CTL_COMPLETION_H
#define LTT_CTL_COMPLETION_H

#include <functional>
#include <string>
#include <vector>

namespace ltt
{

// A verb's command line, as Arguments knows it.
struct CommandLine {
	struct Option {
		std::vector<std::string> names; // "-o", "--output"
		std::string value;		// "DIR"; "" for a flag
		std::string help;
		bool list = false; // several values, between commas
	};
	std::vector<Option> options;
	std::vector<std::string> positionals; // "NAME"
	bool command = false;		      // the rest is another command line
};

struct Candidate {
	std::string word;
	std::string description;
};

// Instead of words: what the shell finds by itself.
constexpr char complete_files[] = ":files";
constexpr char complete_directories[] = ":directories";
constexpr char complete_command[] = ":command"; // its description: which word it begins at

struct CompletionSources {
	std::function<std::vector<std::string>()> traces;
	std::string proc = "/proc";
	std::string passwd = "/etc/passwd";
};

// @words are those behind the verb; the last one is the one that is being typed. What does
// not begin with it is not among the candidates.
std::vector<Candidate> complete(const std::string &verb, const CommandLine &line,
	const std::vector<std::string> &words, const CompletionSources &sources);

// Of words with these descriptions, those that begin as the one that is typed.
std::vector<Candidate> matching(const std::vector<Candidate> &all, const std::string &typed);

// Whether it is known what stands for such a value, be it nothing that can be told.
bool completes(const std::string &value);

// "word<tab>description", each on its line.
void print_candidates(const std::vector<Candidate> &candidates);

} // namespace ltt

#endif

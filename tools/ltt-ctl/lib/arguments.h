// SPDX-License-Identifier: MIT
// The command line of one verb. Keeps the parser library in one file.
#ifndef LTT_CTL_ARGUMENTS_H
#define LTT_CTL_ARGUMENTS_H

#include <memory>
#include <string>
#include <vector>

namespace ltt
{

// The first word where a shell asks for completion.
constexpr char complete_word[] = "--complete";

class Arguments
{
public:
	Arguments(const std::string &verb, const std::string &description);
	~Arguments();

	// @names as "-o,--output", @value_name as "DIR"; @help states unit, default and
	// maximum. An empty value is refused.
	void option(const std::string &names, const std::string &value_name, std::string &value,
		const std::string &help, bool required = false);
	// May be given again, and with several values, between commas.
	void list(const std::string &names, const std::string &value_name,
		std::vector<std::string> &values, const std::string &help);
	void flag(const std::string &names, bool &value, const std::string &help);
	void positional(const std::string &name, std::string &value, const std::string &help,
		bool required = true);
	// One or more.
	void positionals(
		const std::string &name, std::vector<std::string> &values, const std::string &help);
	// All that follows "--", or the first word that is no option.
	void command(std::vector<std::string> &words, const std::string &help);
	void example(const std::string &line);

	// False if help was asked for and printed, or, with complete_word in front, what may
	// stand where the cursor is. Throws Error(misuse).
	bool parse(const std::vector<std::string> &words);
	// After parse(): whether the option or the word was there.
	bool given(const std::string &name) const;
	std::string help() const;

private:
	struct Impl;
	std::unique_ptr<Impl> impl_;
};

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
#include "completion.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "contexts.h"
#include "objects.h"
#include "text.h"

namespace ltt
{

namespace
{

using Words = std::vector<std::string>;

std::vector<Candidate> plain(const Words &words)
{
	std::vector<Candidate> all;
	for (const std::string &word : words)
		all.push_back({word, ""});
	return all;
}

std::vector<Candidate> processes(const CompletionSources &sources)
{
	std::vector<Candidate> all;
	std::error_code error;
	for (const auto &entry : std::filesystem::directory_iterator(sources.proc, error)) {
		const std::string pid = entry.path().filename().string();
		std::string name;
		if (is_pid(pid) && std::getline(std::ifstream(entry.path() / "comm"), name))
			all.push_back({pid, printable(name)});
	}
	return all;
}

std::vector<Candidate> users(const CompletionSources &sources)
{
	std::vector<Candidate> all;
	std::ifstream file(sources.passwd);
	std::string line;
	while (std::getline(file, line))
		all.push_back({line.substr(0, line.find(':')), ""});
	return all;
}

std::vector<Candidate> filters(const CompletionSources &)
{
	Words words = {"all", "none"};
	for (unsigned bit = 0; bit < 32; ++bit)
		words.push_back(filter_bits(uint32_t{1} << bit));
	return plain(words);
}

std::vector<Candidate> contexts(const CompletionSources &)
{
	return plain(context_names(LTT_CONTEXTS_KNOWN));
}

std::vector<Candidate> traces(const CompletionSources &sources)
{
	return plain(sources.traces());
}

std::vector<Candidate> modes(const CompletionSources &)
{
	return plain({format_mode(LTT_MODE_DISCARD), format_mode(LTT_MODE_OVERWRITE),
		format_mode(LTT_MODE_BLOCK)});
}

std::vector<Candidate> sizes(const CompletionSources &)
{
	return plain({"4k", "64k", "1M", "16M"});
}

std::vector<Candidate> files(const CompletionSources &)
{
	return plain({complete_files});
}

std::vector<Candidate> directories(const CompletionSources &)
{
	return plain({complete_directories});
}

std::vector<Candidate> files_and_processes(const CompletionSources &sources)
{
	std::vector<Candidate> all = processes(sources);
	all.push_back({complete_files, ""});
	return all;
}

std::vector<Candidate> directories_and_traces(const CompletionSources &sources)
{
	std::vector<Candidate> all = traces(sources);
	all.push_back({complete_directories, ""});
	return all;
}

std::vector<Candidate> nothing(const CompletionSources &)
{
	return {};
}

// What stands for the values that options and words of verbs have in their helps.
const std::map<std::string, std::vector<Candidate> (*)(const CompletionSources &)> kinds = {
	{"CONTEXTS", contexts}, {"DIR", directories}, {"DIR|NAME", directories_and_traces},
	{"DUMP", files}, {"EVENTS", nothing}, {"FILE", files}, {"FILE|PID", files_and_processes},
	{"FILTER", filters}, {"MODE", modes}, {"N", nothing}, {"NAME", traces}, {"PID", processes},
	{"RULES", nothing}, {"SIZE", sizes}, {"TIME", nothing}, {"UID", users},
	{"VERB", nothing}, // main.cpp knows them
};

const CommandLine::Option *find_option(const CommandLine &line, const std::string &name)
{
	for (const CommandLine::Option &option : line.options)
		if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
			return &option;
	return nullptr;
}

// The directives are for what is typed, whatever that is.
bool is_directive(const Candidate &candidate)
{
	return candidate.word[0] == ':';
}

// Of several values between commas the last one is typed.
std::vector<Candidate> values(const std::string &value, bool several, const std::string &typed,
	const CompletionSources &sources)
{
	const auto kind = kinds.find(value);
	if (kind == kinds.end())
		return {};
	const size_t comma = several ? typed.rfind(',') : std::string::npos;
	const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
	std::vector<Candidate> all;
	for (Candidate &c : matching(kind->second(sources), typed.substr(before.size()))) {
		if (!is_directive(c))
			c.word = before + c.word;
		if (!is_directive(c) || before.empty())
			all.push_back(c);
	}
	return all;
}

bool takes_several(const std::string &value)
{
	return value == "FILTER" || value == "CONTEXTS";
}

std::vector<Candidate> options(const CommandLine &line, const std::string &typed)
{
	std::vector<Candidate> all;
	for (const CommandLine::Option &option : line.options)
		for (const std::string &name : option.names)
			all.push_back({name, option.help});
	return matching(all, typed);
}

} // namespace

std::vector<Candidate> matching(const std::vector<Candidate> &all, const std::string &typed)
{
	std::vector<Candidate> some;
	for (const Candidate &c : all)
		if (is_directive(c) || c.word.compare(0, typed.size(), typed) == 0)
			some.push_back(c);
	return some;
}

bool completes(const std::string &value)
{
	return kinds.count(value) > 0;
}

std::vector<Candidate> complete(const std::string &verb, const CommandLine &line,
	const Words &words, const CompletionSources &sources)
{
	const CommandLine::Option *open = nullptr; // whose value comes next
	size_t positional = 0;
	bool only_words = false; // after "--"

	for (size_t i = 0; i + 1 < words.size(); ++i) {
		const std::string &word = words[i];
		if (open) {
			open = nullptr;
		} else if (!only_words && word == "--") {
			if (line.command)
				return {{complete_command, std::to_string(i + 1)}};
			only_words = true;
		} else if (!only_words && word.size() > 1 && word[0] == '-') {
			const CommandLine::Option *option = find_option(line, word);
			open = option && !option->value.empty() ? option : nullptr;
		} else if (line.command) {
			return {{complete_command, std::to_string(i)}};
		} else {
			++positional;
		}
	}
	const std::string &typed = words.back();
	if (open)
		return values(
			open->value, open->list || takes_several(open->value), typed, sources);
	const size_t equals = typed.find('=');
	if (!only_words && typed.size() > 1 && typed[0] == '-' && equals != std::string::npos) {
		const std::string name = typed.substr(0, equals);
		const CommandLine::Option *option = find_option(line, name);
		std::vector<Candidate> all;
		if (option)
			all = values(option->value, option->list || takes_several(option->value),
				typed.substr(equals + 1), sources);
		for (Candidate &c : all)
			if (!is_directive(c))
				c.word = name + "=" + c.word;
		return all;
	}
	if (!only_words && !typed.empty() && typed[0] == '-')
		return options(line, typed);
	if (line.command)
		return {{complete_command, std::to_string(words.size() - 1)}};
	if (positional >= line.positionals.size())
		return only_words ? std::vector<Candidate>{} : options(line, typed);
	const std::string &value = line.positionals[positional];
	// The name of a trace that is to be made is not one that is there.
	if (verb == "create")
		return {};
	return values(value, takes_several(value), typed, sources);
}

void print_candidates(const std::vector<Candidate> &candidates)
{
	for (const Candidate &c : candidates)
		std::printf("%s\t%s\n", c.word.c_str(), c.description.c_str());
}

} // namespace ltt

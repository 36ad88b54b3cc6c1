// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <CLI/CLI.hpp>

#include "completion.h"
#include "error.h"
#include "kernel.h"
#include "similar.h"
#include "text.h"

namespace ltt
{

struct Arguments::Impl {
	CLI::App app;
	std::string verb;
	std::string examples;
	std::vector<CLI::Option *> options; // that take a value
	std::vector<std::string> *command = nullptr;
	std::string command_help;
	CommandLine line; // for completion

	Impl(const std::string &v, const std::string &description)
		: app(description, "ltt-ctl " + v), verb(v)
	{
	}

	[[noreturn]] void refuse(const CLI::ParseError &e) const;
	[[noreturn]] void refuse_unknown(
		const std::string &word, const std::string &more = "") const;
	void refuse_extra_words() const;
	void refuse_empty_values() const;
	void add(const std::string &names, const std::string &value, const std::string &help,
		bool list = false);
};

// The library's own words are those of someone who wrote a parser.
void Arguments::Impl::refuse(const CLI::ParseError &e) const
{
	const std::string text = e.what();

	// A mistyped option goes first: it may be why something else is missing.
	if (e.get_name() == "RequiredError")
		refuse_extra_words();
	if (e.get_name() == "ArgumentMismatch") {
		const std::string name = text.substr(0, text.find(':'));
		const CLI::Option *option = app.get_option_no_throw(name);
		if (option)
			throw Error(Exit::misuse,
				name + (option->count() > 1 ? " is given more than once"
							    : " needs a value"));
	}
	if (e.get_name() == "RequiredError") {
		const std::string name = text.substr(0, text.find(' '));
		const CLI::Option *option = app.get_option_no_throw(name);
		if (option)
			throw Error(
				Exit::misuse, name + " is missing: " + option->get_description());
	}
	throw Error(Exit::misuse, text);
}

void Arguments::Impl::refuse_unknown(const std::string &word, const std::string &more) const
{
	std::vector<std::string> known;
	for (const CommandLine::Option &option : line.options)
		known.insert(known.end(), option.names.begin(), option.names.end());
	throw Error(Exit::misuse, "there is no option " + printable(word) + more +
					  suggestion(word.substr(0, word.find('=')), known));
}

void Arguments::Impl::refuse_extra_words() const
{
	std::vector<std::string> words = app.remaining();

	words.erase(std::remove(words.begin(), words.end(), "--"), words.end());
	for (const std::string &word : words)
		if (word.size() > 1 && word[0] == '-')
			refuse_unknown(word);
	if (!words.empty())
		throw Error(
			Exit::misuse, "\"" + printable(words.front()) + "\" is one word too many");
}

void Arguments::Impl::refuse_empty_values() const
{
	for (const CLI::Option *option : options)
		for (const std::string &value : option->results())
			if (value.empty())
				throw Error(Exit::misuse,
					option->get_name() + " needs a value that is not empty");
}

void Arguments::Impl::add(
	const std::string &names, const std::string &value, const std::string &help, bool list)
{
	CommandLine::Option option;
	std::istringstream in(names);
	for (std::string name; std::getline(in, name, ',');)
		option.names.push_back(name);
	option.value = value;
	option.help = help;
	option.list = list;
	line.options.push_back(option);
}

namespace
{

std::vector<std::string> names_of_traces()
{
	std::vector<std::string> names;
	try {
		for (const ltt_trace_info &info : open_device()->list())
			names.push_back(trace_name(info));
	} catch (const Error &) {
		// Nobody wants to hear of it before the command is complete.
	}
	return names;
}

} // namespace

Arguments::Arguments(const std::string &verb, const std::string &description)
	: impl_(std::make_unique<Impl>(verb, description))
{
	impl_->app.set_help_flag("-h,--help", "Print this help");
	impl_->add("-h,--help", "", "Print this help");
	impl_->app.get_formatter()->column_width(30);
	impl_->app.allow_extras(); // refused here, in order, where it is not a command
}

Arguments::~Arguments() = default;

void Arguments::option(const std::string &names, const std::string &value_name, std::string &value,
	const std::string &help, bool required)
{
	impl_->options.push_back(impl_->app.add_option(names, value, help)
					 ->required(required)
					 ->type_name(value_name));
	impl_->add(names, value_name, help);
}

void Arguments::list(const std::string &names, const std::string &value_name,
	std::vector<std::string> &values, const std::string &help)
{
	impl_->options.push_back(impl_->app.add_option(names, values, help)
					 ->delimiter(',')
					 ->allow_extra_args(false)
					 ->type_name(value_name));
	impl_->add(names, value_name, help, true);
}

void Arguments::flag(const std::string &names, bool &value, const std::string &help)
{
	impl_->app.add_flag(names, value, help);
	impl_->add(names, "", help);
}

void Arguments::positional(
	const std::string &name, std::string &value, const std::string &help, bool required)
{
	impl_->app.add_option(name, value, help)->required(required)->type_name("");
	impl_->line.positionals.push_back(name);
}

void Arguments::positionals(
	const std::string &name, std::vector<std::string> &values, const std::string &help)
{
	impl_->app.add_option(name, values, help)->required()->type_name("");
}

void Arguments::command(std::vector<std::string> &words, const std::string &help)
{
	impl_->command = &words;
	impl_->line.command = true;
	impl_->command_help = help;
	impl_->app.prefix_command();
}

void Arguments::example(const std::string &line)
{
	impl_->examples += "  " + line + "\n";
}

bool Arguments::given(const std::string &name) const
{
	return impl_->app.get_option(name)->count() > 0;
}

std::string Arguments::help() const
{
	std::string text = impl_->app.help();
	if (impl_->command) {
		text.insert(text.find('\n', text.find("Usage: ")), " -- COMMAND...");
		text += "\n-- COMMAND...\n  " + impl_->command_help + "\n";
	}
	if (!impl_->examples.empty())
		text += "\nExamples:\n" + impl_->examples;
	return text;
}

bool Arguments::parse(const std::vector<std::string> &words)
{
	if (!words.empty() && words[0] == complete_word) {
		CompletionSources sources;
		sources.traces = names_of_traces;
		print_candidates(complete(impl_->verb, impl_->line,
			std::vector<std::string>(words.begin() + 1, words.end()), sources));
		return false;
	}
	std::vector<std::string> backwards(words.rbegin(), words.rend());
	try {
		impl_->app.parse(backwards);
	} catch (const CLI::CallForHelp &) {
		std::fputs(help().c_str(), stdout);
		return false;
	} catch (const CLI::ParseError &e) {
		impl_->refuse(e);
	}
	impl_->refuse_empty_values();
	if (!impl_->command) {
		impl_->refuse_extra_words();
	} else {
		*impl_->command = impl_->app.remaining();
		std::vector<std::string> &command = *impl_->command;
		const bool marked = !command.empty() && command.front() == "--";
		if (marked)
			command.erase(command.begin());
		if (command.empty())
			throw Error(Exit::misuse, "no command to run");
		if (command.front().empty())
			throw Error(Exit::misuse, "the command to run has no name");
		if (!marked && command.front()[0] == '-')
			impl_->refuse_unknown(command.front(),
				"; put -- before a command that begins with a dash");
	}
	return true;
}

} // namespace ltt

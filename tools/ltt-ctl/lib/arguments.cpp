// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "error.h"

namespace ltt
{

struct Arguments::Impl {
	CLI::App app;
	std::string verb;
	std::string examples;
	std::vector<std::string> *command = nullptr;
	std::string command_help;

	Impl(const std::string &v, const std::string &description)
		: app(description, "ltt-ctl " + v), verb(v)
	{
	}
};

Arguments::Arguments(const std::string &verb, const std::string &description)
	: impl_(std::make_unique<Impl>(verb, description))
{
	impl_->app.set_help_flag("-h,--help", "Print this help");
	impl_->app.get_formatter()->column_width(30);
}

Arguments::~Arguments() = default;

void Arguments::option(
	const std::string &names, std::string &value, const std::string &help, bool required)
{
	impl_->app.add_option(names, value, help)->required(required)->type_name("");
}

void Arguments::flag(const std::string &names, bool &value, const std::string &help)
{
	impl_->app.add_flag(names, value, help);
}

void Arguments::positional(
	const std::string &name, std::string &value, const std::string &help, bool required)
{
	impl_->app.add_option(name, value, help)->required(required)->type_name("");
}

void Arguments::command(std::vector<std::string> &words, const std::string &help)
{
	impl_->command = &words;
	impl_->command_help = help;
	impl_->app.prefix_command();
}

void Arguments::example(const std::string &line)
{
	impl_->examples += "  " + line + "\n";
}

std::string Arguments::help() const
{
	std::string text = impl_->app.help();
	if (impl_->command)
		text += "\n-- COMMAND ...\n  " + impl_->command_help + "\n";
	if (!impl_->examples.empty())
		text += "\nExamples:\n" + impl_->examples;
	return text;
}

bool Arguments::parse(const std::vector<std::string> &words)
{
	std::vector<std::string> backwards(words.rbegin(), words.rend());
	try {
		impl_->app.parse(backwards);
	} catch (const CLI::CallForHelp &) {
		std::fputs(help().c_str(), stdout);
		return false;
	} catch (const CLI::ParseError &e) {
		throw Error(Exit::misuse, e.what());
	}
	if (impl_->command) {
		*impl_->command = impl_->app.remaining();
		if (!impl_->command->empty() && impl_->command->front() == "--")
			impl_->command->erase(impl_->command->begin());
		if (impl_->command->empty())
			throw Error(Exit::misuse, "no command to run");
		if (impl_->command->front().empty() || impl_->command->front()[0] == '-')
			throw Error(Exit::misuse,
				"there is no option " + impl_->command->front() +
					"; put -- before a command that begins with a dash");
	}
	return true;
}

} // namespace ltt

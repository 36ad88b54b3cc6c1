// SPDX-License-Identifier: MIT
#include <cstdio>

#include <unistd.h>

#include "../lib/machine_check.h"
#include "../lib/terminal.h"
#include "check.h"
#include "json.h"

namespace ltt
{

namespace
{

// Keys and names are only ever added.
void print_json(const std::vector<Finding> &findings)
{
	Json all = Json::array();
	for (const Finding &f : findings)
		all.push_back(
			{{"name", f.name}, {"verdict", verdict_name(f.verdict)}, {"text", f.text}});
	print(all);
}

void print_text(const std::vector<Finding> &findings)
{
	static constexpr Colour colours[] = {Colour::green, Colour::yellow, Colour::red};
	const bool colour = wants_colour(STDOUT_FILENO);

	for (const Finding &f : findings) {
		std::string verdict = verdict_name(f.verdict);
		verdict.resize(4, ' ');
		std::printf("%s  %-11s  %s\n",
			coloured(verdict, colours[static_cast<int>(f.verdict)], colour).c_str(),
			f.name.c_str(), f.text.c_str());
	}
}

} // namespace

int check_this_machine(bool json)
{
	const std::vector<Finding> findings = check_machine(this_machine());

	if (json)
		print_json(findings);
	else
		print_text(findings);
	return static_cast<int>(exit_code(findings));
}

} // namespace ltt

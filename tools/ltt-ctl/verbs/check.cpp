// SPDX-License-Identifier: MIT
#include "check.h"

#include "../lib/error.h"
#include "json.h"
#include "verbs.h"

namespace ltt
{

int verb_check(const Words &words)
{
	std::string directory;
	bool json = false, repair = false;

	Arguments a("check", describe("check"));
	a.positional("DIR", directory,
		"what record, run or snapshot wrote, or a part of it; without it, this machine",
		false);
	a.flag("--repair", repair,
		"set what is damaged aside, into DIR/bad, so that every reader opens the rest");
	add_json(a, json);
	a.example("ltt-ctl check");
	a.example("ltt-ctl check /tmp/out");
	a.example("ltt-ctl check --repair /tmp/out");
	if (!a.parse(words))
		return 0;

	if (!directory.empty())
		return check_directory(directory, json, repair);
	if (repair)
		throw Error(Exit::misuse, "--repair needs a DIR");
	return check_this_machine(json);
}

} // namespace ltt

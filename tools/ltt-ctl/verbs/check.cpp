// SPDX-License-Identifier: MIT
#include "check.h"

#include "json.h"
#include "verbs.h"

namespace ltt
{

int verb_check(const Words &words)
{
	bool json = false;

	Arguments a("check", describe("check"));
	add_json(a, json);
	a.example("ltt-ctl check");
	if (!a.parse(words))
		return 0;

	return check_this_machine(json);
}

} // namespace ltt

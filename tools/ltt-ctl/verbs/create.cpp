// SPDX-License-Identifier: MIT
#include <cstdio>

#include "../lib/error.h"
#include "../lib/text.h"
#include "geometry.h"
#include "limits.h"
#include "verbs.h"

namespace ltt
{

int verb_create(const Words &words)
{
	TraceParams params;
	Geometry geometry;
	Limits limits(false);
	bool system = false, own = false;

	Arguments a("create", describe("create"));
	a.positional(
		"NAME", params.name, "what to call the trace: letters, digits, _.-, at most 63");
	geometry.add_to(a);
	a.flag("--system", system, "trace all processes; default for those who may (CAP_PERFMON)");
	a.flag("--own", own, "trace only the processes of this user; default for all others");
	limits.add_to(a);
	a.flag("--persist", params.persist,
		"keep it in reserved memory: after a warm reboot ltt-ctl extract --previous-boot "
		"has "
		"its events; needs CAP_PERFMON and a kernel with ltt.persist=");
	a.example("ltt-ctl create mine --subbuf-size 1M --filter bit0,bit2");
	a.example("ltt-ctl create flight --mode overwrite --pid 4711 --follow");
	a.example("ltt-ctl create last --mode overwrite --persist");
	if (!a.parse(words))
		return 0;

	if (system && own)
		throw Error(Exit::misuse, "--system and --own exclude each other");
	check_trace_name(params.name);
	geometry.apply(params);
	params.system = system || (!own && may_trace_system());
	limits.apply(params);
	open_device()->create(params);
	return 0;
}

} // namespace ltt

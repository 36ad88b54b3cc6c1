// SPDX-License-Identifier: MIT
//
// System calls in a storm of traces: each ends as it does for a twin that was
// never registered, a thousand changes a second or not.

#include "../storm.h"
#include "../sleeps.h"

namespace
{

// One call, again and again, of a registered process and of its twin by turns.
void compare_twins(const ltt::Storm &storm, const sleeps::Case &c, bool stop, int rounds)
{
	for (int round = 0; round < rounds; ++round) {
		sleeps::Report reports[2];
		for (bool registered : {false, true}) {
			sleeps::Sleeper sleeper(c, registered);
			// At least one change while it sleeps; some calls end at SIGCONT.
			uint64_t seen = storm.traces();
			WAIT_UNTIL(storm.traces() > seen + 1);
			for (int i = 0; stop && i < 5 && !sleeper.done(); ++i)
				sleeper.stop_and_continue([] {});
			reports[registered] = sleeper.finish();
		}
		if (!CHECK_EQ(reports[true].result, reports[false].result))
			ktap::fail(__FILE__, __LINE__, "that was %s", c.name);
		if (!stop)
			CHECK_GE(reports[true].result, 0);
		CHECK_EQ(reports[false].handled_after, 0);
		CHECK_GE(reports[true].handled_after, 1);
	}
}

// All calls at once: each has a process that holds it up.
void compare_all(bool stop, int rounds)
{
	ltt::Storm storm;
	std::vector<pid_t> drivers;
	for (const sleeps::Case &c : sleeps::cases())
		drivers.push_back(ktap::spawn([&] { compare_twins(storm, c, stop, rounds); }));
	for (pid_t driver : drivers) {
		int status = -1;
		WAIT_UNTIL_FOR(100, waitpid(driver, &status, WNOHANG) == driver);
		CHECK_EQ(status, 0);
	}
}

} // namespace

TEST("in a storm of traces, calls that sleep end as those of an unregistered twin do",
	seconds(110, 600))
{
	compare_all(false, ktap::in_full(50, 5));
}

TEST("in a storm of traces, with SIGSTOP and SIGCONT: not one EINTR more", seconds(110, 600))
{
	compare_all(true, ktap::in_full(50, 3));
}

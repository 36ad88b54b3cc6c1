/* SPDX-License-Identifier: MIT */
/*
 * Another process creates, starts, filters, stops and destroys a trace of the
 * whole system, a thousand times a second: whatever can be disturbed by it is.
 */
#ifndef GUEST_STORM_H
#define GUEST_STORM_H

#include "streams.h"

#include <atomic>
#include <sched.h>

namespace ltt
{

class Storm
{
public:
	Storm() : pid(ktap::spawn([this] { run(); })) { WAIT_UNTIL(traces() >= 1); }

	Storm(const Storm &) = delete;
	Storm &operator=(const Storm &) = delete;

	~Storm()
	{
		double rate = per_second();
		shared->end = true;
		CHECK_EQ(ktap::wait_for(pid), 0);
		printf("storm: %.0f traces a second\n", rate);
		/* A busy host makes it slower; at some point the test is none. */
		if (!slow)
			CHECK_GE(rate * ktap::patience(), 20);
	}

	/* Created, and destroyed again, so far. */
	uint64_t traces() const { return shared->traces; }

	double per_second() const { return static_cast<double>(traces()) / (ktap::now() - begun); }

	pid_t process() const { return pid; }

	/* The test itself holds it up. */
	void may_be_slow() { slow = true; }

private:
	struct Shared {
		std::atomic<uint64_t> traces;
		std::atomic<bool> end;
	};

	void run()
	{
		/* It has little to do; those whom it disturbs shall not keep it from it. */
		sched_param first_of_all = {1};
		REQUIRE_OK(sched_setscheduler(0, SCHED_FIFO, &first_of_all));
		timespec next;
		clock_gettime(CLOCK_MONOTONIC, &next);
		while (!shared->end) {
			{
				Trace trace(params("storm"));
				trace.start();
				trace.filter(0x1);
				trace.stop();
			}
			++shared->traces;
			next.tv_nsec += 1000000;
			next.tv_sec += next.tv_nsec / 1000000000;
			next.tv_nsec %= 1000000000;
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
		}
	}

	Shared *shared = ktap::shared<Shared>();
	double begun = ktap::now();
	bool slow = false;
	pid_t pid;
};

} // namespace ltt

#endif /* GUEST_STORM_H */

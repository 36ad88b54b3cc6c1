// SPDX-License-Identifier: MIT
//
// Children: what a fork of a registered process takes more than that of another,
// and fork, exec and exit of a program that has nothing to do with tracing.

#include "samples.h"

#include <sys/wait.h>

namespace bench
{

namespace
{

// The smallest of programs: it would be unfair to hide behind one that works.
constexpr const char *nothing = "/tests/nothing";

template <class Child>
void fork_and_wait(Child child)
{
	pid_t pid = fork();
	if (pid == 0)
		child();
	int status = -1;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		ktap::end_test(ktap::exit_failed);
}

void end_at_once()
{
	_exit(0);
}

void run_nothing()
{
	char *const argv[] = {const_cast<char *>("nothing"), nullptr};
	char *const environment[] = {nullptr};
	execve(nothing, argv, environment);
	_exit(127);
}

void measure_forks(const char *key)
{
	report(key, sample(2000, 200, [] { fork_and_wait(end_at_once); }));
}

void be_registered()
{
	ltt::handle_signal();
	register_process();
}

} // namespace

void measure_fork()
{
	// Each in a process of its own, so that nothing but the registration makes the
	// difference: a fork takes more for each page that its parent has.
	auto in_a_process = [](auto work) { REQUIRE_EQ(ktap::wait_for(ktap::spawn(work)), 0); };

	in_a_process([] { measure_forks("fork_unregistered"); });
	in_a_process([] {
		be_registered();
		measure_forks("fork_registered");
	});
	in_a_process([] {
		be_registered();
		ltt::Trace trace(ltt::params("fork"));
		trace.start();
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t(1));
		measure_forks("fork_traced");
	});
}

void measure_exec()
{
	report("exec", sample(2000, 200, [] { fork_and_wait(run_nothing); }));
}

} // namespace bench

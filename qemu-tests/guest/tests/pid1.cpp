// SPDX-License-Identifier: MIT
//
// A PID 1 that takes signal 37 for an order, as systemd does, and programs that
// count signals as another C library does.

#include "../storm.h"

#include <csignal>
#include <sys/signalfd.h>

namespace
{

using ktap::spawn;
using ktap::wait_for;

constexpr int halt = LTT_SIGNAL_DEFAULT; // what systemd takes it for

void register_with(int signal)
{
	ltt_registration r = {};
	r.signal = static_cast<__u32>(signal);
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
}

void execute(const char *what)
{
	execl("/proc/self/exe", "pid1-program", what, nullptr);
	_exit(99);
}

// Everything blocked, orders come by a descriptor; ends with the order's number.
[[noreturn]] void be_like_systemd()
{
	sigset_t all, orders;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, nullptr);
	sigemptyset(&orders);
	sigaddset(&orders, halt);
	sigaddset(&orders, SIGTERM);
	int fd = signalfd(-1, &orders, SFD_CLOEXEC);
	signalfd_siginfo order;
	for (;;)
		if (read(fd, &order, sizeof(order)) == sizeof(order))
			_exit(static_cast<int>(order.ssi_signo));
}

// With the default action for it, as systemd has for a moment when it begins.
[[noreturn]] void wait_for_death()
{
	for (;;)
		pause();
}

// The first process of a pid namespace: like systemd, or without a handler.
pid_t begin_pid_1(const char *what, bool registers_before)
{
	return spawn([=] {
		REQUIRE_OK(unshare(CLONE_NEWPID));
		pid_t inner = spawn([=] {
			REQUIRE_EQ(getpid(), 1);
			if (registers_before) {
				// An initramfs's init with markers that executes the real one.
				ltt::handle_signal();
				register_with(LTT_SIGNAL_DEFAULT);
			}
			execute(what);
		});
		int status;
		REQUIRE_EQ(waitpid(inner, &status, 0), inner);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100);
	});
}

pid_t child_of(pid_t parent)
{
	std::vector<pid_t> children;
	WAIT_UNTIL((children = ktap::children_of(parent)).size() == 1);
	return children[0];
}

// It waits in this system call, and does so after a storm of traces.
void check_storm_leaves(pid_t pid1, long call)
{
	WAIT_UNTIL(ktap::blocked_in(pid1) == call);
	{
		ltt::Storm storm;
		WAIT_UNTIL(storm.traces() > 300);
	}
	CHECK_EQ(ktap::blocked_in(pid1), call);
}

} // namespace

// Before main(), so that the harness does not take the arguments for its own.
[[gnu::constructor]] static void program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[0], "pid1-program") != 0)
		return;
	if (!strcmp(argv[1], "systemd"))
		be_like_systemd();
	wait_for_death();
}

TEST("a PID 1 that takes 37 as an order to halt gets none in a storm, though it can get it")
{
	for (bool registers_before : {false, true}) {
		pid_t outer = begin_pid_1("systemd", registers_before);
		pid_t pid1 = child_of(outer);
		check_storm_leaves(pid1, SYS_read);
		REQUIRE_OK(kill(pid1, halt));
		CHECK_EQ(WEXITSTATUS(wait_for(outer)), halt);
	}
}

TEST("a PID 1 with no handler for 37 is not killed by the storm either")
{
	pid_t outer = begin_pid_1("no handler", true);
	pid_t pid1 = child_of(outer);
	check_storm_leaves(pid1, SYS_pause);
	REQUIRE_OK(kill(pid1, SIGKILL));
	wait_for(outer);
}

TEST("registered with 38, as musl counts SIGRTMIN+3, a program gets 38 and never 37")
{
	static volatile int got[65];
	for (int number : {37, 38}) {
		struct sigaction action = {};
		action.sa_handler = [](int n) { got[n] = got[n] + 1; };
		action.sa_flags = SA_RESTART;
		REQUIRE_OK(sigaction(number, &action, nullptr));
	}
	register_with(38);
	{
		ltt::Storm storm;
		WAIT_UNTIL(got[38] > 100);
	}
	CHECK_EQ(got[37], 0);
	// Threads and children inherit the choice.
	CHECK_EQ(wait_for(spawn([] {
		got[38] = 0;
		ltt::Trace trace(ltt::params());
		trace.start();
		CHECK_EQ(got[38], 2);
		CHECK_EQ(got[37], 0);
	})),
		0);
}

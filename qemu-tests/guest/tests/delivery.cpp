// SPDX-License-Identifier: MIT
//
// The notification never disturbs: a thread that sleeps in a system call is not
// woken and sees no EINTR that it would not see untraced, and its handler has
// run before its next instruction.

#include "../sleeps.h"
#include "../storm.h"

#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>

namespace
{

constexpr int notification = LTT_SIGNAL_DEFAULT;

using sleeps::Case;
using sleeps::handled;
using sleeps::Report;
using sleeps::Sleeper;

ltt_gate gate;

void install_handler(int flags = SA_RESTART | SA_ONSTACK)
{
	struct sigaction action = {};
	action.sa_handler = sleeps::on_notification;
	action.sa_flags = flags;
	REQUIRE_OK(sigaction(notification, &action, nullptr));
}

void register_process()
{
	ltt_registration r = {};
	r.signal = notification;
	r.gate = reinterpret_cast<unsigned long>(&gate);
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
}

struct Treatment {
	bool notify; // a trace starts and stops meanwhile
	bool stop;   // SIGSTOP and SIGCONT meanwhile
};

Report sleep_through(const Case &c, Treatment treatment)
{
	Sleeper sleeper(c, true);
	{
		ltt::Trace trace(ltt::params());
		auto notify = [&] {
			if (!treatment.notify)
				return;
			trace.start();
			trace.stop();
		};
		long switches = ktap::switches_of(sleeper.pid());
		for (int i = 0; i < 5 && !sleeper.done(); ++i) {
			notify();
			if (treatment.stop)
				sleeper.stop_and_continue(notify);
		}
		if (!treatment.stop) {
			CHECK(sleeper.asleep());
			CHECK_EQ(ktap::switches_of(sleeper.pid()), switches);
		}
	}
	return sleeper.finish();
}

void compare_with_untraced(bool stop)
{
	for (const Case &c : sleeps::cases()) {
		Report plain = sleep_through(c, {false, stop});
		Report traced = sleep_through(c, {true, stop});
		bool same = CHECK_EQ(traced.result, plain.result);
		bool seen = CHECK_GE(traced.handled_after, 1);
		if (!stop)
			CHECK_GE(plain.result, 0);
		if (!same || !seen)
			printf("that was %s\n", c.name);
	}
}

} // namespace

TEST("a sleeping thread is not woken, and its handler ran before its next instruction",
	seconds(120))
{
	compare_with_untraced(false);
}

TEST("SIGSTOP and SIGCONT in between: the same result as untraced", seconds(120))
{
	compare_with_untraced(true);
}

TEST("a running thread is told within a moment")
{
	install_handler();
	register_process();
	ltt::Trace trace(ltt::params());
	pid_t starter = fork();
	if (starter == 0) {
		ltt::Trace::open("test").start();
		_exit(0);
	}
	double limit = ktap::now() + 10 * ktap::patience();
	while (handled == 0 && ktap::now() < limit)
		;
	CHECK_GE(handled, 1);
	waitpid(starter, nullptr, 0);
}

TEST("the caller itself is told before the call that changed the trace returns")
{
	install_handler();
	register_process();
	int before = handled;
	ltt::Trace trace(ltt::params());
	CHECK_GT(handled, before);
	before = handled;
	trace.start();
	CHECK_GT(handled, before);
}

TEST("while the signal is blocked it is not pending; unblocked, the handler runs at once")
{
	install_handler();
	register_process();
	sigset_t set, pending;
	sigemptyset(&set);
	sigaddset(&set, notification);
	REQUIRE_OK(sigprocmask(SIG_BLOCK, &set, nullptr));
	int before = handled;
	ltt::Trace trace(ltt::params());
	trace.start();
	REQUIRE_OK(sigpending(&pending));
	CHECK(!sigismember(&pending, notification));
	CHECK_EQ(handled, before);
	REQUIRE_OK(sigprocmask(SIG_UNBLOCK, &set, nullptr));
	CHECK_EQ(handled, before + 1);
}

TEST("ppoll with a mask that unblocks the signal sleeps on")
{
	install_handler();
	register_process();
	sigset_t set, empty;
	sigemptyset(&set);
	sigemptyset(&empty);
	sigaddset(&set, notification);
	REQUIRE_OK(sigprocmask(SIG_BLOCK, &set, nullptr));
	ltt::Trace trace(ltt::params());
	trace.start();
	timespec limit = {0, 200000000};
	double begin = ktap::now();
	CHECK_EQ(ppoll(nullptr, 0, &limit, &empty), 0);
	CHECK_GE(ktap::now() - begin, 0.19);
}

TEST("sigwait and signalfd never see the signal")
{
	install_handler();
	register_process();
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, notification);
	REQUIRE_OK(sigprocmask(SIG_BLOCK, &set, nullptr));
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	ltt::Trace trace(ltt::params());
	trace.start();
	signalfd_siginfo info;
	CHECK_ERRNO(read(fd, &info, sizeof(info)), EAGAIN);
	timespec none = {};
	CHECK_ERRNO(sigtimedwait(&set, nullptr, &none), EAGAIN);
}

TEST("without a handler, with SIG_IGN, and after the handler is removed nobody dies")
{
	for (auto disposition : {SIG_DFL, SIG_IGN}) {
		pid_t child = fork();
		if (child == 0) {
			register_process();
			signal(notification, disposition);
			{
				ltt::Trace trace(ltt::params());
				for (int i = 0; i < 100; ++i) {
					install_handler();
					trace.start();
					signal(notification, disposition);
					trace.stop();
				}
			}
			_exit(0);
		}
		int status;
		waitpid(child, &status, 0);
		CHECK_EQ(status, 0);
	}
}

TEST("a program that never registered gets no signal")
{
	static volatile int received;
	signal(notification, [](int) { received = 1; });
	ltt::Trace trace(ltt::params());
	trace.start();
	trace.stop();
	CHECK_EQ(received, 0);
}

TEST("the handler runs on the alternate stack if it asks for it")
{
	static char stack[65536];
	static volatile bool inside;
	stack_t alternate = {};
	alternate.ss_sp = stack;
	alternate.ss_size = sizeof(stack);
	REQUIRE_OK(sigaltstack(&alternate, nullptr));
	struct sigaction action = {};
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	action.sa_handler = [](int) {
		char here;
		inside = &here >= stack && &here < stack + sizeof(stack);
	};
	REQUIRE_OK(sigaction(notification, &action, nullptr));
	register_process();
	ltt::Trace trace(ltt::params());
	CHECK(inside);
}

TEST("programs run one after the other in a storm of traces: nobody dies", seconds(60))
{
	ltt::Storm storm;
	for (int i = 0; i < 50; ++i) {
		// What it executes has never heard of traces.
		pid_t child = ktap::spawn([] {
			install_handler();
			register_process();
			int nowhere = open("/dev/null", O_WRONLY);
			dup2(nowhere, STDOUT_FILENO);
			execl("/proc/self/exe", "delivery", "--list", nullptr);
		});
		CHECK_EQ(ktap::wait_for(child), 0);
	}
}

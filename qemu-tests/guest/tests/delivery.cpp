// SPDX-License-Identifier: MIT
//
// The notification never disturbs: a thread that sleeps in a system call is not
// woken and sees no EINTR that it would not see untraced, and its handler has
// run before its next instruction.

#include "../ltt.h"

#include <csignal>
#include <functional>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace
{

constexpr int notification = LTT_SIGNAL_DEFAULT;

// Counted by the handler, read by the instruction after a system call.
volatile int handled;
ltt_gate gate;

void on_notification(int)
{
	handled = handled + 1;
}

void install_handler(int flags = SA_RESTART | SA_ONSTACK)
{
	struct sigaction action = {};
	action.sa_handler = on_notification;
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

// What the sleeping child reports.
struct Report {
	long result;
	int handled_after; // by the first instruction after the call
	int word;	   // for the futex
	bool done;
};

Report *share_report()
{
	void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	return static_cast<Report *>(p);
}

template <class A>
long word(A a)
{
	return (long)a;
}

// A system call, and a look at the handler's count right behind it.
template <class... Arguments>
void call(Report *report, long number, Arguments... arguments)
{
	long a[6] = {word(arguments)...};
	register long r10 asm("r10") = a[3];
	register long r8 asm("r8") = a[4];
	register long r9 asm("r9") = a[5];
	int seen;
	asm volatile("syscall\n\tmovl %[handled], %[seen]"
		     : "+a"(number), [seen] "=&r"(seen)
		     : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
		     "r"(r9), [handled] "m"(handled)
		     : "rcx", "r11", "memory");
	report->result = number;
	report->handled_after = seen;
}

// Two ends to hold a call up with, and to release it.
struct Ends {
	int in, out;
	Report *report;
	pid_t child;
};

struct Case {
	const char *name;
	long number;
	std::function<void(Ends &)> sleep;   // in the child; one system call
	std::function<void(Ends &)> release; // in the parent
};

void write_byte(Ends &ends)
{
	CHECK_EQ(write(ends.in, "x", 1), 1);
}

void nothing(Ends &) {}

timespec long_enough()
{
	double seconds = 2 * ktap::patience();
	return {static_cast<time_t>(seconds),
		static_cast<long>((seconds - static_cast<long>(seconds)) * 1e9)};
}

char buffer_of_read;
pollfd poll_set;
epoll_event epoll_set;
timespec duration;
sigset_t wanted;

const std::vector<Case> &cases()
{
	static const std::vector<Case> list = {
		{"read", SYS_read,
			[](Ends &e) { call(e.report, SYS_read, e.out, &buffer_of_read, 1); },
			write_byte},
		{"poll", SYS_poll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_poll, &poll_set, 1, -1);
			},
			write_byte},
		{"poll with a timeout", SYS_poll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_poll, &poll_set, 1, 60000);
			},
			write_byte},
		{"ppoll", SYS_ppoll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_ppoll, &poll_set, 1, nullptr, nullptr, 8);
			},
			write_byte},
		{"epoll_wait", SYS_epoll_wait,
			[](Ends &e) {
				int fd = epoll_create1(0);
				epoll_set.events = EPOLLIN;
				epoll_ctl(fd, EPOLL_CTL_ADD, e.out, &epoll_set);
				call(e.report, SYS_epoll_wait, fd, &epoll_set, 1, -1);
			},
			write_byte},
		{"nanosleep", SYS_nanosleep,
			[](Ends &e) {
				duration = long_enough();
				call(e.report, SYS_nanosleep, &duration, nullptr);
			},
			nothing},
		{"clock_nanosleep", SYS_clock_nanosleep,
			[](Ends &e) {
				duration = long_enough();
				call(e.report, SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &duration,
					nullptr);
			},
			nothing},
		{"futex", SYS_futex,
			[](Ends &e) {
				call(e.report, SYS_futex, &e.report->word, FUTEX_WAIT, 0, nullptr);
			},
			[](Ends &e) { syscall(SYS_futex, &e.report->word, FUTEX_WAKE, 1); }},
		{"futex with a timeout", SYS_futex,
			[](Ends &e) {
				duration = {60, 0};
				call(e.report, SYS_futex, &e.report->word, FUTEX_WAIT, 0,
					&duration);
			},
			[](Ends &e) { syscall(SYS_futex, &e.report->word, FUTEX_WAKE, 1); }},
		{"recv with SO_RCVTIMEO", SYS_recvfrom,
			[](Ends &e) {
				timeval limit = {60, 0};
				setsockopt(e.out, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
				call(e.report, SYS_recvfrom, e.out, &buffer_of_read, 1, 0, nullptr,
					nullptr);
			},
			write_byte},
		{"semop", SYS_semop,
			[](Ends &e) {
				static sembuf down = {0, -1, 0};
				call(e.report, SYS_semop, e.report->word, &down, 1);
			},
			[](Ends &e) {
				sembuf up = {0, 1, 0};
				semop(e.report->word, &up, 1);
			}},
		{"msgrcv", SYS_msgrcv,
			[](Ends &e) {
				static char message[16];
				call(e.report, SYS_msgrcv, e.report->word, message, 1, 0, 0);
			},
			[](Ends &e) {
				struct {
					long type;
					char text;
				} message = {1, 'x'};
				msgsnd(e.report->word, &message, 1, IPC_NOWAIT);
			}},
		{"sigtimedwait", SYS_rt_sigtimedwait,
			[](Ends &e) {
				sigemptyset(&wanted);
				sigaddset(&wanted, SIGUSR1);
				duration = {60, 0};
				call(e.report, SYS_rt_sigtimedwait, &wanted, nullptr, &duration, 8);
			},
			[](Ends &e) { kill(e.child, SIGUSR1); }},
		{"wait4", SYS_wait4,
			[](Ends &e) {
				pid_t pid = fork();
				if (pid == 0) {
					char byte;
					_exit(read(e.out, &byte, 1) == 1 ? 0 : 1);
				}
				call(e.report, SYS_wait4, pid, nullptr, 0, nullptr);
				e.report->result = e.report->result == pid ? 1 : e.report->result;
			},
			write_byte},
	};
	return list;
}

bool asleep(const Case &c, pid_t child)
{
	long number = ktap::blocked_in(child);
	return ktap::state_of(child) == 'S' &&
	       (number == c.number || number == SYS_restart_syscall);
}

struct Treatment {
	bool notify; // a trace starts and stops meanwhile
	bool stop;   // SIGSTOP and SIGCONT meanwhile
};

void stop_and_continue(const Case &c, Ends &ends, const std::function<void()> &while_stopped)
{
	REQUIRE_OK(kill(ends.child, SIGSTOP));
	WAIT_UNTIL(ktap::state_of(ends.child) == 'T');
	while_stopped();
	REQUIRE_OK(kill(ends.child, SIGCONT));
	WAIT_UNTIL(ends.report->done || asleep(c, ends.child));
}

Report sleep_through(const Case &c, Treatment treatment)
{
	int pair[2];
	REQUIRE_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	Ends ends = {pair[0], pair[1], share_report(), 0};
	if (c.number == SYS_semop)
		ends.report->word = semget(IPC_PRIVATE, 1, 0600);
	if (c.number == SYS_msgrcv)
		ends.report->word = msgget(IPC_PRIVATE, 0600);
	ends.child = fork();
	REQUIRE(ends.child >= 0);
	if (ends.child == 0) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, nullptr);
		install_handler();
		register_process();
		c.sleep(ends);
		__atomic_store_n(&ends.report->done, true, __ATOMIC_RELEASE);
		_exit(0);
	}
	WAIT_UNTIL(asleep(c, ends.child));
	{
		ltt::Trace trace(ltt::params());
		auto notify = [&] {
			if (!treatment.notify)
				return;
			trace.start();
			trace.stop();
		};
		long switches = ktap::switches_of(ends.child);
		for (int i = 0; i < 5; ++i) {
			notify();
			if (treatment.stop)
				stop_and_continue(c, ends, notify);
			if (ends.report->done)
				break;
		}
		if (!treatment.stop) {
			CHECK(asleep(c, ends.child));
			CHECK_EQ(ktap::switches_of(ends.child), switches);
		}
	}
	if (!ends.report->done)
		c.release(ends);
	int status;
	REQUIRE_EQ(waitpid(ends.child, &status, 0), ends.child);
	CHECK_EQ(status, 0);
	if (c.number == SYS_semop)
		semctl(ends.report->word, 0, IPC_RMID);
	if (c.number == SYS_msgrcv)
		msgctl(ends.report->word, IPC_RMID, nullptr);
	Report report = *ends.report;
	munmap(ends.report, 4096);
	close(pair[0]);
	close(pair[1]);
	return report;
}

void compare_with_untraced(bool stop)
{
	for (const Case &c : cases()) {
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

TEST("programs run one after the other while a trace starts and stops: nobody dies", seconds(60))
{
	ltt::Trace trace(ltt::params());
	pid_t storm = fork();
	if (storm == 0) {
		for (;;) {
			trace.start();
			trace.stop();
		}
	}
	for (int i = 0; i < 50; ++i) {
		pid_t child = fork();
		if (child == 0) {
			install_handler();
			register_process();
			int nowhere = open("/dev/null", O_WRONLY);
			dup2(nowhere, STDOUT_FILENO);
			execl("/proc/self/exe", "delivery", "--list", nullptr);
		}
		int status;
		REQUIRE_EQ(waitpid(child, &status, 0), child);
		CHECK_EQ(status, 0);
	}
	kill(storm, SIGKILL);
	waitpid(storm, nullptr, 0);
}

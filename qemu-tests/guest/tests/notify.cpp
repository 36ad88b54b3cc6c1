// SPDX-License-Identifier: MIT
//
// Who is told of a change, by the gate and by the signal: every thread of a
// registered process, as soon as it can be told, and without a trace of it in
// anything that the program can see.

#include "../storm.h"

#include <atomic>
#include <csignal>
#include <linux/seccomp.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

ltt_gate gate;
thread_local volatile int handled;

void count(int)
{
	handled = handled + 1;
}

void register_process(bool with_gate = true)
{
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.gate = with_gate ? reinterpret_cast<unsigned long>(&gate) : 0;
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
}

__u32 gate_mask()
{
	return __atomic_load_n(&gate.mask, __ATOMIC_RELAXED);
}

sigset_t only_ours()
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, LTT_SIGNAL_DEFAULT);
	return set;
}

// A thread that does work(), on which the test waits until it sleeps.
template <class Work>
struct Sleeper {
	explicit Sleeper(Work work)
		: thread([this, work] {
			  tid = ktap::gettid();
			  work();
		  })
	{
		WAIT_UNTIL(tid && ktap::state_of(tid) == 'S');
	}
	std::atomic<pid_t> tid{0};
	std::thread thread;
};

// What a program can ask of its own signals; SigQ apart, which counts others.
std::string visible_state()
{
	std::string text;
	std::string status = ktap::read_file("/proc/thread-self/status");
	for (const char *key : {"\nSigPnd:", "\nShdPnd:", "\nSigBlk:", "\nSigIgn:", "\nSigCgt:"}) {
		size_t at = status.find(key);
		REQUIRE(at != std::string::npos);
		text += status.substr(at, status.find('\n', at + 1) - at);
	}
	for (int signal = 1; signal <= 64; ++signal) {
		struct sigaction action = {};
		if (sigaction(signal, nullptr, &action) == 0)
			text += " " + std::to_string(signal) + ":" +
				std::to_string(reinterpret_cast<uintptr_t>(action.sa_handler)) +
				"," + std::to_string(action.sa_flags);
	}
	stack_t stack;
	REQUIRE_OK(sigaltstack(nullptr, &stack));
	text += "\nstack " + std::to_string(reinterpret_cast<uintptr_t>(stack.ss_sp)) + "," +
		std::to_string(stack.ss_size) + "," + std::to_string(stack.ss_flags);
	return text;
}

} // namespace

TEST("the gate is current while all threads sleep, with the signal blocked, and not woken")
{
	ltt::handle_signal(count);
	register_process();
	sigset_t set = only_ours();
	int hold[2];
	REQUIRE_OK(pipe(hold));
	Sleeper sleeper([&] {
		pthread_sigmask(SIG_BLOCK, &set, nullptr);
		char byte;
		CHECK_EQ(read(hold[0], &byte, 1), 1);
		CHECK_EQ(handled, 0);
		pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
		CHECK_EQ(handled, 1);
	});
	long switches = ktap::switches_of(sleeper.tid);
	{
		ltt_trace_params params = ltt::params();
		params.filter = 0x30;
		ltt::Trace trace(params);
		CHECK_EQ(gate_mask(), 0);
		trace.start();
		CHECK_EQ(gate_mask(), 0x30);
		trace.filter(0x7);
		CHECK_EQ(gate_mask(), 0x7);
		trace.stop();
		CHECK_EQ(gate_mask(), 0);
	}
	CHECK_EQ(ktap::switches_of(sleeper.tid), switches);
	CHECK_EQ(write(hold[1], "x", 1), 1);
	sleeper.thread.join();
}

TEST("mask, pending set, dispositions and alternate stack are the same after a storm")
{
	static char memory[65536];
	stack_t stack = {};
	stack.ss_sp = memory;
	stack.ss_size = sizeof(memory);
	REQUIRE_OK(sigaltstack(&stack, nullptr));
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, count);
	ltt::handle_signal(count);
	register_process();
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMAX);
	REQUIRE_OK(sigprocmask(SIG_SETMASK, &set, nullptr));
	raise(SIGUSR2); // stays pending
	std::string before = visible_state();
	{
		ltt::Storm storm;
		WAIT_UNTIL(handled > 200);
	}
	CHECK_EQ(visible_state(), before);
}

TEST("a blocked notification shows nowhere in /proc")
{
	ltt::handle_signal(count);
	register_process();
	sigset_t set = only_ours();
	REQUIRE_OK(sigprocmask(SIG_BLOCK, &set, nullptr));
	std::string before = visible_state();
	ltt::Trace trace(ltt::params());
	trace.start();
	CHECK_EQ(visible_state(), before);
	CHECK_EQ(handled, 0);
	REQUIRE_OK(sigprocmask(SIG_UNBLOCK, &set, nullptr));
	CHECK_EQ(handled, 1); // it was there all the time
}

TEST("with a limit of no pending signals, the handler runs all the same")
{
	ltt::handle_signal(count);
	register_process();
	rlimit none = {0, 0};
	REQUIRE_OK(setrlimit(RLIMIT_SIGPENDING, &none));
	ltt::Trace trace(ltt::params());
	CHECK_EQ(handled, 1);
	trace.start();
	CHECK_EQ(handled, 2);
}

TEST("a thread under strict seccomp is left alone")
{
	ltt::handle_signal(count);
	int up[2], down[2];
	REQUIRE_OK(pipe(up));
	REQUIRE_OK(pipe(down));
	ltt::Trace trace(ltt::params());
	pid_t child = spawn([&] {
		register_process();
		trace.start();
		trace.stop();
		CHECK_EQ(handled, 2);
		handled = 0;
		REQUIRE_OK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
		if (write(up[1], "r", 1) != 1)
			syscall(SYS_exit, 99);
		// From here on anything but read, write, exit and sigreturn kills.
		for (char byte = 'a'; read(down[0], &byte, 1) == 1 && byte != 'z';)
			if (write(up[1], &byte, 1) != 1)
				break;
		syscall(SYS_exit, handled);
	});
	char ready;
	REQUIRE_EQ(read(up[0], &ready, 1), 1);
	for (int i = 0; i < 20; ++i) {
		char byte = 'a';
		trace.start();
		CHECK_EQ(write(down[1], &byte, 1), 1);
		CHECK_EQ(read(up[0], &byte, 1), 1);
		trace.stop();
	}
	CHECK_EQ(write(down[1], "z", 1), 1);
	CHECK_EQ(wait_for(child), 0);
}

TEST("threads born later are told too, with a gate and without, in a forked child as well")
{
	for (bool with_gate : {true, false}) {
		pid_t child = spawn([=] {
			ltt::handle_signal(count);
			register_process(with_gate);
			ltt::Trace trace(ltt::params());
			auto told = [&] {
				// Without a gate nothing else tells a new thread of the
				// traces that are there.
				if (!with_gate)
					CHECK_EQ(handled, 1);
				int before = handled;
				trace.start();
				CHECK_EQ(handled, before + 1);
				trace.stop();
				CHECK_EQ(handled, before + 2);
			};
			std::thread(told).join();
			std::thread([&] { std::thread(told).join(); }).join();
			handled = 0;
			CHECK_EQ(wait_for(spawn(told)), 0);
		});
		CHECK_EQ(wait_for(child), 0);
	}
}

TEST("a forked child's gate is its own, and current from its first instruction on")
{
	register_process();
	ltt_trace_params params = ltt::params();
	params.filter = 0x50;
	ltt::Trace trace(params);
	trace.start();
	int hold[2];
	REQUIRE_OK(pipe(hold));
	pid_t child = spawn([&] {
		CHECK_EQ(gate_mask(), 0x50);
		char byte;
		CHECK_EQ(read(hold[0], &byte, 1), 1);
		CHECK_EQ(gate_mask(), 0x9);
		// Its own memory: the parent's copy was made when it forked.
		gate.mask = 0xdead;
	});
	CHECK_EQ(gate_mask(), 0x50);
	WAIT_UNTIL(ktap::state_of(child) == 'S');
	trace.filter(0x9);
	CHECK_EQ(write(hold[1], "x", 1), 1);
	CHECK_EQ(wait_for(child), 0);
	CHECK_EQ(gate_mask(), 0x9);
}

TEST("sleeps end when they should, in the storm of another process")
{
	ltt::handle_signal(count);
	register_process();
	ltt::Storm storm;
	WAIT_UNTIL(handled > 10);
	double begin = ktap::now();
	timespec third = {0, 333000000};
	timespec rest = {9, 9};
	CHECK_EQ(nanosleep(&third, &rest), 0);
	CHECK_GE(ktap::now() - begin, 0.333);
	begin = ktap::now();
	CHECK_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &third, &rest), 0);
	CHECK_GE(ktap::now() - begin, 0.333);
	CHECK_EQ(rest.tv_sec, 9);

	sem_t semaphore;
	REQUIRE_OK(sem_init(&semaphore, 0, 0));
	timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1;
	begin = ktap::now();
	CHECK_ERRNO(sem_timedwait(&semaphore, &until), ETIMEDOUT);
	CHECK_GE(ktap::now() - begin, 0.9);
}

TEST("ppoll with a mask that unblocks: its handler runs when it returns, not before")
{
	ltt::handle_signal(count);
	register_process();
	sigset_t set = only_ours(), none;
	sigemptyset(&none);
	REQUIRE_OK(sigprocmask(SIG_BLOCK, &set, nullptr));
	ltt::Storm storm;
	timespec third = {0, 333000000};
	double begin = ktap::now();
	CHECK_EQ(ppoll(nullptr, 0, &third, &none), 0);
	CHECK_GE(ktap::now() - begin, 0.333);
	CHECK_LE(handled, 1);
	REQUIRE_OK(sigprocmask(SIG_UNBLOCK, &set, nullptr));
	WAIT_UNTIL(handled > 1);
}

TEST("a program that execs itself again and again in a storm lives", seconds(30))
{
	// The new program has no handler until it registers; environment tells the turn.
	int turn = getenv("TURN") ? atoi(getenv("TURN")) : 0;
	ltt::Storm storm;
	pid_t child = spawn([&] {
		ltt::handle_signal(count);
		register_process();
		setenv("TURN", std::to_string(turn + 1).c_str(), 1);
		execl("/proc/self/exe", "exec-storm", nullptr);
	});
	CHECK_EQ(wait_for(child), 0);
}

// The program of the test above, before main().
[[gnu::constructor]] static void exec_storm(int argc, char **argv, char **)
{
	if (argc != 1 || strcmp(argv[0], "exec-storm") != 0)
		return;
	int turn = atoi(getenv("TURN"));
	if (turn >= 150)
		_exit(0);
	if (turn % 2) {
		ltt::handle_signal(count);
		register_process();
	}
	setenv("TURN", std::to_string(turn + 1).c_str(), 1);
	execl("/proc/self/exe", "exec-storm", nullptr);
	_exit(1);
}

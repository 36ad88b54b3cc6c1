// SPDX-License-Identifier: MIT
//
// Attacks by being born, changing and dying.

#include "attacker.h"

#include <csignal>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

constexpr unsigned max_depth = 2;

// Another program, which registers nothing and ends.
[[noreturn]] void run_other_program()
{
	char name[] = "fuzz", list[] = "--list";
	char *arguments[] = {name, list, nullptr}, *environment[] = {nullptr};
	execve("/proc/self/exe", arguments, environment);
	_exit(1);
}

[[noreturn]] void end(Attacker &a)
{
	switch (a.random.below(6)) {
	case 0:
		kill(getpid(), SIGKILL);
		break;
	case 1:
		run_other_program();
	case 2: // without the end of the other threads, if there are any
		syscall(SYS_exit, 0);
		break;
	case 3:
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
		break;
	}
	_exit(0);
}

[[noreturn]] void live_as_child(Attacker &a)
{
	++a.depth;
	itimerval timer = {{0, 5000}, {0, 5000}};
	setitimer(ITIMER_REAL, &timer, nullptr);
	uint64_t n = a.random.below(30);
	for (uint64_t i = 0; i < n; ++i)
		attack_once(a);
	end(a);
}

// Whoever hangs is killed; one child may go on by itself.
void wait_for_child(Attacker &a, pid_t child)
{
	if (child <= 0)
		return;
	for (int i = 0; i < 300; ++i) {
		if (waitpid(child, nullptr, WNOHANG | __WALL) != 0)
			return;
		if (i == 20 && a.random.one_in(2))
			kill(child, SIGSTOP);
		if (i == 25)
			kill(child, SIGCONT);
		usleep(300);
	}
	kill(child, SIGKILL);
	waitpid(child, nullptr, __WALL);
}

void fork_child(Attacker &a)
{
	if (a.depth >= max_depth)
		return;
	Random branch = a.random.branch(a.random.next());
	pid_t child = static_cast<pid_t>(
		a.random.one_in(4) ? syscall(SYS_clone, SIGCHLD | CLONE_FILES, 0, 0, 0, 0)
				   : fork());
	if (child == 0) {
		a.random = branch;
		live_as_child(a);
	}
	wait_for_child(a, child);
}

// A program with threads is replaced, by one of them.
void exec_from_thread(Attacker &a)
{
	if (a.depth >= max_depth)
		return;
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		pthread_create(
			&thread, nullptr, [](void *) -> void * { run_other_program(); }, nullptr);
		for (;;)
			attack_once(a);
	}
	wait_for_child(a, child);
}

// In its parent's address space and thread-local storage: calls only.
int live_on_loan(void *argument)
{
	auto *a = static_cast<Attacker *>(argument);
	Random random = a->random.branch(1);
	for (int i = 0; i < 20; ++i) {
		void *address = nullptr;
		int active, filter;
		if (a->mine.empty() || random.one_in(3)) {
			ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
				reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter));
			continue;
		}
		char *at = random.of(a->mine).address;
		if (random.one_in(2)) {
			ust_kernel_call(LTT_NR_switch, reinterpret_cast<long>(at), 0, 0);
		} else {
			address = at;
			ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
				reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter));
		}
	}
	if (random.one_in(3)) {
		char name[] = "fuzz", list[] = "--list";
		char *arguments[] = {name, list, nullptr}, *environment[] = {nullptr};
		execve("/proc/self/exe", arguments, environment);
	}
	if (random.one_in(3))
		syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	syscall(SYS_exit, 0);
	return 0;
}

void clone_on_loan(Attacker &a)
{
	constexpr size_t size = 64 * 1024;
	void *stack =
		mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return;
	int flags = a.random.of({CLONE_VM | CLONE_VFORK, int{CLONE_VM},
		CLONE_VM | CLONE_VFORK | CLONE_FILES, CLONE_VM | CLONE_SIGHAND});
	pid_t child = clone(live_on_loan, static_cast<char *>(stack) + size, flags | SIGCHLD, &a);
	wait_for_child(a, child);
	munmap(stack, size);
}

struct Birth {
	Attacker attacker;
};

void *live_as_thread(void *argument)
{
	auto *birth = static_cast<Birth *>(argument);
	Attacker a = birth->attacker;
	delete birth;
	uint64_t n = a.random.below(15);
	for (uint64_t i = 0; i < n; ++i)
		attack_once(a);
	return nullptr;
}

void short_thread(Attacker &a)
{
	if (a.depth >= max_depth)
		return;
	auto *birth = new Birth{{a.random.branch(a.random.next()), a.number, a.kind}};
	birth->attacker.depth = max_depth;
	pthread_t thread;
	if (pthread_create(&thread, nullptr, live_as_thread, birth) != 0) {
		delete birth;
		return;
	}
	pthread_detach(thread);
}

void fail_to_exec(Attacker &)
{
	char *none[] = {nullptr};
	execve("/dev/null", none, none);
	execve("/nowhere", none, none);
	execve("/proc/self/maps", none, none);
}

// The raw calls change the calling thread alone.
void change_credentials(Attacker &a)
{
	switch (a.random.below(5)) {
	case 0: {
		__user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
		__user_cap_data_struct some[2], full[2];
		syscall(SYS_capget, &header, full);
		memcpy(some, full, sizeof(some));
		some[0].effective &= static_cast<__u32>(a.random.next());
		some[1].effective = 0;
		syscall(SYS_capset, &header, some);
		a.get_buffer();
		syscall(SYS_capset, &header, full);
		break;
	}
	case 1:
		syscall(SYS_setresuid, -1, 1000 + a.random.below(3), -1);
		a.get_buffer();
		syscall(SYS_setresuid, -1, a.kind <= Kind::root_without_capabilities ? 0 : -1, -1);
		prctl(PR_SET_DUMPABLE, 1);
		break;
	case 2:
		syscall(SYS_setresgid, -1, a.random.below(1002), -1);
		break;
	case 3:
		prctl(PR_SET_DUMPABLE, a.random.below(2));
		break;
	case 4:
		prctl(PR_SET_TSC, a.random.one_in(2) ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
		prctl(PR_SET_TSC, PR_TSC_ENABLE);
		break;
	}
}

// Another user, or a container's root, for good.
void become_another(Attacker &a)
{
	if (a.depth >= max_depth)
		return;
	pid_t child = fork();
	if (child == 0) {
		unshare(static_cast<int>(a.random.of({CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWPID,
			CLONE_FILES | CLONE_FS, CLONE_NEWPID})));
		if (a.random.one_in(2))
			syscall(SYS_setresuid, 1000, 1000, 1000);
		live_as_child(a);
	}
	wait_for_child(a, child);
}

void rename_thread(Attacker &a)
{
	char name[16];
	a.random.fill(name, sizeof(name));
	name[sizeof(name) - 1] = 0;
	prctl(PR_SET_NAME, name);
}

} // namespace

const std::vector<Attack> life_attacks = {
	{"fork", fork_child, 8},
	{"exec from a thread", exec_from_thread, 2},
	{"vfork, clone(CLONE_VM)", clone_on_loan, 6},
	{"a short thread", short_thread, 10},
	{"exec that fails", fail_to_exec, 3},
	{"setresuid, capset", change_credentials, 8},
	{"unshare", become_another, 2},
	{"prctl(PR_SET_NAME)", rename_thread, 2},
};

} // namespace fuzz

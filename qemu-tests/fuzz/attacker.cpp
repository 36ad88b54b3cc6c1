// SPDX-License-Identifier: MIT
//
// The attacking process itself: threads, signals, what the attacks share.

#include "attacker.h"

#include <csignal>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

// Buffers of all threads, so that one can attack another's.
constexpr size_t n_known = 32;
std::atomic<char *> known[n_known];
std::atomic<size_t> known_size[n_known], known_sub_buffer[n_known];

constexpr size_t n_traces = 4;
std::atomic<int> traces[n_traces];
int device_fd = -1, witness_fd = -1;
constexpr int reports_fd = 3;

void report(uint8_t what)
{
	// Full: the test has more to do than to count.
	if (write(reports_fd, &what, 1) < 0)
		return;
}

thread_local sigjmp_buf recovery;
thread_local volatile bool attacking;
thread_local ltt_trace_page *volatile newest; // for the handlers

void remember(const Mapped &m, size_t at)
{
	known[at] = m.address;
	known_size[at] = m.size;
	known_sub_buffer[at] = m.sub_buffer;
}

bool update_next(Mapped &m)
{
	void *address = nullptr;
	int active, filter;
	if (ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
		    reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter)) != 0 ||
		!address)
		return false;
	m.address = static_cast<char *>(address);
	m.sub_buffer = m.page()->subbuf_size;
	m.size = 2 * page_size + m.sub_buffer * m.page()->n_subbufs;
	newest = m.page();
	report(report_buffer);
	return true;
}

void on_fault(int)
{
	if (!attacking)
		_exit(1);
	report(report_recovery);
	siglongjmp(recovery, 1);
}

// Events on top of whatever is going on.
void on_alarm(int)
{
	if (ltt_trace_page *page = newest)
		ltt::write_event(page, 16, 8, [](char *at) { *at = 1; });
}

// As markers do when they are told of a change.
void on_notification(int)
{
	int active, filter;
	void *address = newest;
	if (address)
		ust_kernel_call(LTT_NR_update, reinterpret_cast<long>(&address),
			reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter));
	Mapped fresh;
	if (update_next(fresh))
		remember(fresh, reinterpret_cast<uintptr_t>(fresh.address) / page_size % n_known);
}

void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {};
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigaction(signal, &action, nullptr);
}

void handle_signals()
{
	for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
		handle(signal, on_fault, SA_NODEFER);
	// No SA_RESTART: it also ends what would wait for ever.
	handle(SIGALRM, on_alarm, 0);
	handle(LTT_SIGNAL_DEFAULT, on_notification, SA_RESTART | SA_ONSTACK);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void drop_capabilities()
{
	__user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct none[2] = {};
	syscall(SYS_capset, &header, none);
}

void become(Kind kind)
{
	uid_t id = kind == Kind::user ? 1000 : 1001;
	if (kind == Kind::root)
		return;
	if (kind == Kind::root_without_capabilities) {
		drop_capabilities();
	} else {
		setgroups(0, nullptr);
		if (setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0)
			_exit(1);
	}
	// Else no trace of its own covers it.
	prctl(PR_SET_DUMPABLE, 1);
}

void open_descriptors(Kind kind)
{
	for (std::atomic<int> &fd : traces)
		fd = -1;
	device_fd = open("/dev/ltt", O_RDWR);
	ltt_trace_name name = {};
	snprintf(name.name, sizeof(name.name), "%s", witness_name);
	witness_fd = ioctl(device_fd, LTT_IOC_OPEN, &name);
	// A trace of the whole system does not exist for the others.
	if (witness_fd >= 0 && kind != Kind::root)
		_exit(exit_forbidden);
}

void run_thread(Attacker a)
{
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
	for (;;)
		attack_once(a);
}

// A request whose argument is any memory may open it: a name that LTT_IOC_INFO left there.
bool is_witness(int fd)
{
	ltt_trace_info info = {};
	info.size = sizeof(info);
	return ioctl(fd, LTT_IOC_INFO, &info) == 0 &&
	       !strncmp(info.name, witness_name, sizeof(info.name));
}

} // namespace

bool Attacker::get_buffer()
{
	Mapped m;
	if (!update_next(m))
		return false;
	if (mine.size() < 8)
		mine.push_back(m);
	else
		random.of(mine) = m;
	remember(m, random.below(n_known));
	return true;
}

Mapped Attacker::buffer()
{
	if (mine.empty() || random.one_in(32))
		get_buffer();
	if (!mine.empty() && !random.one_in(3))
		return random.of(mine);
	size_t at = random.below(n_known);
	return {known[at], known_size[at], known_sub_buffer[at]};
}

int Attacker::trace()
{
	return random.of(traces);
}

int Attacker::descriptor(bool harmless)
{
	if (harmless && random.one_in(3))
		return witness_fd;
	return random.one_in(3) ? device_fd : trace();
}

void *Attacker::pointer()
{
	if (random.one_in(4)) {
		Mapped m = buffer();
		if (m.address)
			return m.address + random.near({0, page_size, 2 * page_size, m.size});
	}
	return random_address(random);
}

char *Attacker::scratch()
{
	return scratch_page();
}

int device()
{
	return device_fd;
}

void trace_name(Attacker &a, char (&name)[LTT_NAME_SIZE])
{
	memset(name, 0, sizeof(name));
	snprintf(name, sizeof(name), "f%u-%u", a.number,
		static_cast<unsigned>(a.random.below(n_traces)));
}

void keep_trace(Attacker &a, int fd)
{
	if (fd < 0)
		return;
	// It must not be among those that get hurt.
	if (is_witness(fd)) {
		close(fd);
		return;
	}
	int old = a.random.of(traces).exchange(fd);
	if (old < 0)
		return;
	if (!a.random.one_in(4))
		ioctl(old, LTT_IOC_DESTROY);
	close(old);
}

const std::vector<Attack> &all_attacks()
{
	static const std::vector<Attack> all = [] {
		std::vector<Attack> list;
		for (const auto *some : {&memory_attacks, &call_attacks, &descriptor_attacks,
			     &mapping_attacks, &life_attacks})
			list.insert(list.end(), some->begin(), some->end());
		return list;
	}();
	return all;
}

void attack_once(Attacker &a)
{
	static const uint64_t weights = [] {
		uint64_t sum = 0;
		for (const Attack &attack : all_attacks())
			sum += attack.weight;
		return sum;
	}();
	const std::vector<Attack> &all = all_attacks();
	uint64_t drawn = a.random.below(weights);
	size_t index = 0;
	for (; drawn >= all[index].weight; ++index)
		drawn -= all[index].weight;
	report(static_cast<uint8_t>(index));
	if (sigsetjmp(recovery, 1) == 0) {
		attacking = true;
		all[index].run(a);
	}
	attacking = false;
}

void attack(Random random, unsigned number, Kind kind, int reports)
{
	// Whoever tries all descriptors must not hit the test's.
	dup2(reports, reports_fd);
	close_range(reports_fd + 1, ~0u, 0);
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, 5);
	int score = open("/proc/self/oom_score_adj", O_WRONLY);
	if (write(score, "1000", 4) != 4)
		_exit(1);
	close(score);
	become(kind);
	open_descriptors(kind);
	handle_signals();
	prepare_addresses(random.branch(100));
	long period = 1000 + static_cast<long>(random.below(20000));
	itimerval timer = {{0, period}, {0, period}};
	setitimer(ITIMER_REAL, &timer, nullptr);
	uint64_t n = 1 + random.below(3);
	for (uint64_t i = 1; i < n; ++i)
		std::thread(run_thread, Attacker{random.branch(i), number, kind}).detach();
	run_thread(Attacker{random.branch(0), number, kind});
	_exit(0);
}

} // namespace fuzz

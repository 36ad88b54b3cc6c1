// SPDX-License-Identifier: MIT
//
// Events of the kernel in a trace: who gets which, that none is torn or missing
// untold, and what becomes of them when the trace or a processor goes.

#include "../kernel_events.h"
#include "../streams.h"
#include "../users.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <poll.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>

namespace
{

using namespace ktap;
using kernel_events::Event;
using kernel_events::large;
using kernel_events::Reader;

void pin_to(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE_OK(sched_setaffinity(0, sizeof(set), &set));
}

struct Pipe {
	int ends[2];
	Pipe() { REQUIRE_OK(pipe(ends)); }
	void put() const { REQUIRE_EQ(write(ends[1], "x", 1), 1); }
	void get() const
	{
		char c;
		REQUIRE_EQ(read(ends[0], &c, 1), 1);
	}
};

// Two tasks of one processor hand a byte to and fro: two switches a round.
void play_ping_pong(int cpu, unsigned rounds)
{
	Pipe there, back;
	pin_to(cpu);
	pid_t child = spawn([&] {
		for (unsigned i = 0; i < rounds; ++i) {
			there.get();
			back.put();
		}
	});
	for (unsigned i = 0; i < rounds; ++i) {
		there.put();
		back.get();
	}
	CHECK_EQ(wait_for(child), 0);
	for (int fd : {there.ends[0], there.ends[1], back.ends[0], back.ends[1]})
		close(fd);
}

// What a processor switches to is what it switches from next.
void check_chain(const kernel_events::Stream &s)
{
	const Event *last = nullptr;
	for (const Event &e : s.events) {
		if (e.name != "sched_switch")
			continue;
		if (last) {
			if (!CHECK_EQ(e["prev_tid"], (*last)["next_tid"]))
				return;
			// Tasks may take another name between the two.
			CHECK(!e.string("prev_comm").empty());
		}
		last = &e;
	}
}

// The same events in the same order, but for those that are missing.
void check_part_of(const kernel_events::Stream &part, const kernel_events::Stream &whole)
{
	size_t at = 0;
	for (const Event &e : part.events) {
		while (at < whole.events.size() &&
			(whole.events[at].name != e.name || whole.events[at].number != e.number))
			++at;
		if (!CHECK_LT(at, whole.events.size()))
			return;
		++at;
	}
}

std::string own_name()
{
	std::string name = read_file("/proc/self/comm");
	return name.substr(0, name.find('\n'));
}

int number_in(const std::string &path)
{
	return atoi(read_file(path).c_str());
}

} // namespace

TEST("who does not select any has no event and no buffer; what is selected can be asked for")
{
	ltt::Trace trace(large());
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "");
	CHECK_OK(kernel_events::select(trace.descriptor(), ""));
	CHECK_EQ(trace.info().buffers, 0);
	trace.start();
	play_ping_pong(0, 10);
	trace.stop();
	CHECK_EQ(trace.read_packets().size(), 0);
	CHECK_OK(kernel_events::select(trace.descriptor(), "sched"));
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "sched");
	CHECK_EQ(kernel_events::selected(trace.descriptor(), 2), "sc...");
	CHECK_GE(trace.info().buffers, 2);
	CHECK_OK(kernel_events::select(trace.descriptor(), "sched_switch,sched_wa*"));
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "sched_switch,sched_wa*");
	CHECK_OK(kernel_events::select(trace.descriptor(), ""));
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "");
}

TEST("a word that names nothing is refused, its place told, and nothing is changed")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched"));
	struct {
		const char *text;
		__u32 bad;
	} cases[] = {{"sched,skhed", 6}, {"z*", 0}, {"sched,,sched", 6}, {",sched", 0},
		{"sched,", 6}, {"sched_switc", 0}, {"sched sched_switch", 0}, {"Sched", 0}};
	for (auto &c : cases) {
		__u32 bad;
		// errno: LTT_IOC_KERNEL EINVAL
		CHECK_ERRNO(kernel_events::select(trace.descriptor(), c.text, &bad), EINVAL);
		CHECK_EQ(bad, c.bad);
	}
	// errno: LTT_IOC_KERNEL E2BIG
	const std::string endless(LTT_MAX_KERNEL_EVENTS + 1, 's');
	CHECK_ERRNO(kernel_events::select(trace.descriptor(), endless), E2BIG);
	// errno: LTT_IOC_KERNEL EFAULT
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_KERNEL, nullptr), EFAULT);
	ltt_kernel_events request = {};
	request.size = 5;
	request.text = 16;
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_KERNEL, &request), EFAULT);
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "sched");
	// errno: LTT_IOC_GET_KERNEL EFAULT
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_GET_KERNEL, &request), EFAULT);
}

TEST("the buffers of the processors are within the limits of the trace, or there are none")
{
	ltt_trace_params p = large();
	p.max_memory = 2ull * p.subbuf_size * p.n_subbufs - 1;
	ltt::Trace trace(p);
	// errno: LTT_IOC_KERNEL ENOMEM
	CHECK_ERRNO(kernel_events::select(trace.descriptor(), "sched"), ENOMEM);
	CHECK_EQ(kernel_events::selected(trace.descriptor()), "");
	CHECK_EQ(trace.info().buffers, 0);
	WAIT_UNTIL(trace.memory() == 0);
}

TEST("nobody without CAP_PERFMON gets them, and no trace that is of some processes only")
{
	ltt_trace_params p = large();
	p.flags = 0;
	ltt::Trace mine(p);
	// errno: LTT_IOC_KERNEL EPERM
	CHECK_ERRNO(kernel_events::select(mine.descriptor(), "sched"), EPERM);
	strcpy(p.name, "system");
	p.flags = LTT_TRACE_SYSTEM;
	ltt::Trace system(p);
	users::as_user(users::user_a, [&] {
		ltt::Trace own(users::own_params("own"));
		CHECK_ERRNO(kernel_events::select(own.descriptor(), "sched"), EPERM);
		// A descriptor that was handed on is no right to ask for more.
		CHECK_ERRNO(kernel_events::select(system.descriptor(), "sched"), EPERM);
	});
}

TEST("each switch of a processor is there, in order and whole", seconds(60))
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	trace.start();
	play_ping_pong(0, 500);
	play_ping_pong(1, 500);
	trace.stop();
	Reader reader;
	reader.read(trace);
	CHECK_EQ(reader.streams.size(), 2);
	CHECK_EQ(reader.lost(), 0);
	CHECK_GE(reader.count(), 2000);
	for (auto &[cpu, s] : reader.streams) {
		check_chain(s);
		CHECK_EQ(s.events.size(), s.header.events);
		// The names and numbers are the tasks'.
		size_t mine = 0;
		for (const Event &e : s.events)
			if (e["next_tid"] == ktap::gettid()) {
				++mine;
				CHECK_EQ(e.string("next_comm"), own_name());
			}
		CHECK_GE(mine, 400);
	}
}

TEST("what finds no room is counted, to the event", seconds(60))
{
	// Two traces of one process, which sleeps while they start and stop: one has
	// room for all, the other for little.
	pid_t child;
	Pipe go;
	child = spawn([&] {
		go.get();
		play_ping_pong(1, 3000);
	});
	WAIT_UNTIL(state_of(child) == 'S');
	ltt::Trace all = ltt::trace_of(child, large(), LTT_TARGET_FOLLOW);
	ltt::Trace few = ltt::trace_of(child, ltt::params("few"), LTT_TARGET_FOLLOW);
	for (ltt::Trace *t : {&all, &few}) {
		REQUIRE_OK(kernel_events::select(t->descriptor(), "sched"));
		t->start();
	}
	go.put();
	WAIT_UNTIL_FOR(60, state_of(child) == 'Z');
	pin_to(1); // where it ended: it is off its processor for good
	for (ltt::Trace *t : {&few, &all})
		t->stop();
	Reader a, f;
	a.read(all);
	uint64_t told = few.info().lost;
	f.read(few);
	CHECK_EQ(a.lost(), 0);
	CHECK_GT(f.lost(), 1000);
	CHECK_EQ(f.lost(), told);
	CHECK_GE(a.count(), 6000);
	for (auto &[cpu, s] : f.streams) {
		CHECK_EQ(s.events.size(), s.header.events);
		CHECK_EQ(s.events.size() + s.header.lost, a.streams[cpu].events.size());
		check_part_of(s, a.streams[cpu]);
	}
	CHECK_EQ(wait_for(child), 0);
}

TEST("a reader beside gets all of it while it is written, but for what is counted", seconds(120))
{
	ltt_trace_params p = ltt::params();
	p.n_subbufs = 256;
	ltt::Trace trace(p);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched,irq"));
	trace.start();
	pid_t player = spawn([&] { play_ping_pong(1, 10000); });
	Reader reader;
	pollfd waiting = {trace.descriptor(), POLLIN, 0};
	size_t polled = 0;
	while (state_of(player) != 'Z') {
		if (poll(&waiting, 1, 100) == 1) {
			++polled;
			reader.read(trace, 1);
		}
	}
	// Woken, not by a flush.
	CHECK_GT(polled, 10);
	CHECK_EQ(wait_for(player), 0);
	trace.stop();
	reader.read(trace);
	// On a busy host it may be too slow.
	CHECK_GE(reader.count("sched_switch") + reader.lost(), 20000);
	for (auto &[cpu, s] : reader.streams) {
		CHECK_EQ(s.events.size(), s.header.events);
		if (!s.header.lost)
			check_chain(s);
	}
}

TEST("interrupts on top of events tear none", seconds(120))
{
	ltt_trace_params p = ltt::params();
	p.n_subbufs = 512;
	ltt::Trace trace(p);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "*"));
	trace.start();
	std::vector<pid_t> children;
	for (int i = 0; i < 4; ++i)
		children.push_back(spawn([i] {
			// A timer that beats as fast as it can, and switches beside.
			signal(SIGALRM, [](int) {});
			itimerval often = {{0, 100}, {0, 100}};
			setitimer(ITIMER_REAL, &often, nullptr);
			pin_to(i % 2);
			double end = now() + 1;
			while (now() < end)
				sched_yield();
		}));
	Reader reader;
	for (pid_t child : children)
		while (state_of(child) != 'Z') {
			reader.read(trace);
			usleep(1000);
		}
	for (pid_t child : children)
		CHECK_EQ(wait_for(child), 0);
	trace.stop();
	reader.read(trace);
	size_t on_top = 0;
	for (auto &[cpu, s] : reader.streams) {
		CHECK_EQ(s.events.size(), s.header.events);
		// On a busy host the reader may be too slow.
		if (!s.header.lost)
			check_chain(s);
		on_top += s.of("signal_generate").size() + s.of("irq_softirq_raise").size();
	}
	CHECK_GT(on_top, 100);
	CHECK_GT(reader.count("signal_deliver"), 10);
}

TEST("stop and start are heard at once, again and again")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	Reader reader;
	size_t before = 0;
	for (int i = 0; i < 5; ++i) {
		play_ping_pong(1, 20);
		trace.flush();
		reader.read(trace);
		CHECK_EQ(reader.count(), before);
		trace.start();
		play_ping_pong(1, 100);
		trace.stop();
		reader.read(trace);
		CHECK_GE(reader.count(), before + 200);
		before = reader.count();
	}
	CHECK_EQ(reader.lost(), 0);
}

TEST("a flush shows what is in the open sub-buffers, and nothing twice")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	trace.start();
	Reader reader;
	for (int i = 0; i < 20; ++i) {
		play_ping_pong(1, 30);
		trace.flush();
		reader.read(trace);
		CHECK_GE(reader.count(), size_t(60 * (i + 1)));
	}
	trace.stop();
	reader.read(trace);
	for (auto &[cpu, s] : reader.streams) {
		check_chain(s);
		CHECK_EQ(s.events.size(), s.header.events);
	}
	CHECK_EQ(reader.lost(), 0);
}

TEST("small sub-buffers that are read while they are open come free again")
{
	ltt_trace_params p = ltt::params();
	p.n_subbufs = 2;
	ltt::Trace trace(p);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	trace.start();
	Reader reader;
	for (int i = 0; i < 100; ++i) {
		play_ping_pong(1, 5);
		trace.flush();
		reader.read(trace);
	}
	trace.stop();
	reader.read(trace);
	CHECK_GE(reader.count(), 1000);
	CHECK_EQ(reader.lost(), 0);
	for (auto &[cpu, s] : reader.streams) {
		check_chain(s);
		CHECK_EQ(s.events.size(), s.header.events);
	}
}

TEST("overwrite: the newest are kept, the others counted; a snapshot takes nothing away",
	seconds(60))
{
	ltt_trace_params p = ltt::params();
	p.mode = LTT_MODE_OVERWRITE;
	ltt::Trace trace(p);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	trace.start();
	play_ping_pong(1, 2000);
	int fd = ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT);
	REQUIRE(fd >= 0);
	trace.stop();
	std::vector<uint8_t> memory(1 << 20);
	ssize_t n = read(fd, memory.data(), memory.size());
	REQUIRE(n > 0);
	Reader snapshot, reader;
	for (const ltt::Packet &packet : ltt::split_packets(memory.data(), static_cast<size_t>(n)))
		snapshot.add(packet);
	close(fd);
	reader.read(trace);
	for (auto &[cpu, s] : reader.streams) {
		check_chain(s);
		CHECK_EQ(s.events.size() + s.header.overwritten, s.header.events);
		CHECK_EQ(s.header.lost, 0);
		check_chain(snapshot.streams[cpu]);
	}
	CHECK_GT(reader.streams[1].events.size(), 100);
	CHECK_GT(reader.streams[1].header.overwritten, 1000);
	CHECK_GE(snapshot.count(), 100);
}

TEST("overwrite: a reader beside a busy processor gets whole events only", seconds(120))
{
	ltt_trace_params p = ltt::params();
	p.mode = LTT_MODE_OVERWRITE;
	p.n_subbufs = 2;
	ltt::Trace trace(p);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched,irq"));
	trace.start();
	pid_t player = spawn([&] { play_ping_pong(1, 5000); });
	Reader reader;
	pin_to(0);
	while (state_of(player) != 'Z') {
		trace.flush();
		reader.read(trace, 2);
	}
	CHECK_EQ(wait_for(player), 0);
	trace.stop();
	reader.read(trace);
	CHECK_GT(reader.count(), 100);
}

TEST("a trace is destroyed under load: what it held is read to the last event", seconds(120))
{
	for (int round = 0; round < 10; ++round) {
		ltt::Trace trace(large());
		REQUIRE_OK(kernel_events::select(trace.descriptor(), "*"));
		trace.start();
		pid_t player = spawn([&] { play_ping_pong(round % 2, 300); });
		if (round % 3)
			WAIT_UNTIL(state_of(player) == 'Z');
		else
			usleep(5000);
		trace.destroy();
		// errno: LTT_IOC_KERNEL ENOENT
		CHECK_ERRNO(kernel_events::select(trace.descriptor(), "sched"), ENOENT);
		Reader reader;
		reader.read(trace);
		char c;
		CHECK_EQ(read(trace.descriptor(), &c, 1), 0);
		CHECK_EQ(reader.streams.size(), 2);
		for (auto &[cpu, s] : reader.streams) {
			CHECK(s.header.flags & LTT_PACKET_LAST);
			CHECK_EQ(s.events.size(), s.header.events);
			check_chain(s);
		}
		CHECK_EQ(wait_for(player), 0);
	}
}

TEST("traces do not see each other's selection, and one ends without the other", seconds(60))
{
	ltt_trace_params p = large();
	ltt::Trace switches(p);
	strcpy(p.name, "wakeups");
	ltt::Trace wakeups(p);
	REQUIRE_OK(kernel_events::select(switches.descriptor(), "sched_switch"));
	REQUIRE_OK(kernel_events::select(wakeups.descriptor(), "sched_wakeup"));
	switches.start();
	wakeups.start();
	play_ping_pong(1, 100);
	// The selection may change at any time.
	REQUIRE_OK(kernel_events::select(wakeups.descriptor(), "sched_waking,sched_switch"));
	play_ping_pong(1, 100);
	switches.destroy();
	play_ping_pong(1, 100);
	wakeups.stop();
	Reader s, w;
	s.read(switches);
	w.read(wakeups);
	CHECK_GE(s.count("sched_switch"), 400);
	CHECK_EQ(s.count("sched_switch"), s.count());
	CHECK_GE(w.count("sched_wakeup"), 100);
	CHECK_GE(w.count("sched_switch"), 400);
	CHECK_GE(w.count("sched_waking"), 200);
	CHECK_EQ(w.count("sched_wakeup") + w.count("sched_waking") + w.count("sched_switch"),
		w.count());
}

TEST("a processor goes and comes back: its events are there, before and after", seconds(60))
{
	const std::string online = "/sys/devices/system/cpu/cpu1/online";
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch"));
	trace.start();
	play_ping_pong(1, 50);
	std::ofstream(online) << "0" << std::flush;
	REQUIRE_EQ(number_in(online), 0);
	Reader reader;
	trace.flush();
	reader.read(trace);
	const size_t before = reader.streams[1].events.size();
	CHECK_GE(before, 100);
	play_ping_pong(0, 50);
	trace.flush();
	reader.read(trace);
	CHECK_EQ(reader.streams[1].events.size(), before);
	std::ofstream(online) << "1" << std::flush;
	REQUIRE_EQ(number_in(online), 1);
	play_ping_pong(1, 50);
	trace.stop();
	reader.read(trace);
	CHECK_GE(reader.streams[1].events.size(), before + 100);
	for (auto &[cpu, s] : reader.streams) {
		CHECK_EQ(s.events.size(), s.header.events);
		CHECK_EQ(s.header.lost, 0);
	}
}

TEST("fork, exec, exit and the new name of a task are told, cause before effect", seconds(60))
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched"));
	trace.start();
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		char *const arguments[] = {
			const_cast<char *>("exe"), const_cast<char *>("--list"), nullptr};
		execv("/proc/self/exe", arguments);
		_exit(7);
	}
	int status;
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	trace.stop();
	Reader reader;
	reader.read(trace);
	std::vector<std::string> story;
	for (const Event &e : reader.all()) {
		if (e.name == "sched_process_fork" && e["child_tid"] == child) {
			CHECK_EQ(e["parent_tid"], ktap::gettid());
			CHECK_EQ(e["parent_pid"], getpid());
			CHECK_EQ(e["child_pid"], child);
			CHECK_NE(e["child_ns_inum"], 0);
			CHECK_EQ(e["vtids0"], child);
			CHECK_EQ(e.number.count("vtids1"), 0);
			story.push_back("fork");
		} else if (e.name == "sched_wakeup_new" && e["tid"] == child) {
			story.push_back("new");
		} else if (e.name == "sched_process_exec" && e["tid"] == child) {
			CHECK_EQ(e.string("filename"), "/proc/self/exe");
			CHECK_EQ(e["old_tid"], child);
			story.push_back("exec");
		} else if (e.name == "task_rename" && e["tid"] == child) {
			CHECK_EQ(e.string("newcomm"), "exe");
			story.push_back("name");
		} else if (e.name == "sched_process_exit" && e["tid"] == child) {
			CHECK_EQ(e.string("comm"), "exe");
			story.push_back("exit");
		} else if (e.name == "sched_process_wait" && e["tid"] == child) {
			CHECK_EQ(e.string("comm"), own_name());
			story.push_back("wait");
		}
	}
	auto place = [&](const char *what) {
		return std::find(story.begin(), story.end(), what) - story.begin();
	};
	CHECK_LT(place("fork"), place("new"));
	CHECK_LT(place("new"), place("name"));
	CHECK_LT(place("name"), place("exec"));
	CHECK_LT(place("exec"), place("exit"));
	CHECK_LT(place("exit"), static_cast<long>(story.size()));
	CHECK_LT(place("wait"), static_cast<long>(story.size()));
}

TEST("a child has an id in each namespace that it is in")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_process_fork"));
	trace.start();
	const pid_t outer = spawn([] {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		const pid_t inner = fork();
		if (!inner)
			_exit(getpid() == 1 ? 0 : 1);
		int status;
		_exit(waitpid(inner, &status, 0) == inner && !status ? 0 : 1);
	});
	CHECK_EQ(wait_for(outer), 0);
	trace.stop();
	Reader reader;
	reader.read(trace);
	size_t n = 0;
	for (const Event &e : reader.all()) {
		if (e["parent_pid"] != outer)
			continue;
		CHECK_EQ(e["vtids0"], e["child_tid"]);
		CHECK_EQ(e["vtids1"], 1);
		CHECK_NE(e["child_ns_inum"], e["parent_ns_inum"]);
		++n;
	}
	CHECK_EQ(n, 1);
}

TEST("a trace that is limited to a process has what happens in it, and its switches")
{
	pid_t child;
	Pipe go;
	child = spawn([&] {
		go.get();
		for (int i = 0; i < 200; ++i)
			usleep(100);
	});
	WAIT_UNTIL(state_of(child) == 'S');
	ltt::Trace trace = ltt::trace_of(child, large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "sched_switch,sched_waking"));
	trace.start();
	go.put();
	CHECK_EQ(wait_for(child), 0);
	play_ping_pong(1, 50);
	trace.stop();
	Reader reader;
	reader.read(trace);
	size_t to = 0;
	for (const Event &e : reader.all()) {
		if (e.name != "sched_switch")
			continue;
		CHECK(e["prev_tid"] == child || e["next_tid"] == child);
		to += e["next_tid"] == child;
	}
	// A sleep whose time is over before it begins is no switch.
	CHECK_GE(to, 50);
}

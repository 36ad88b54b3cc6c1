// SPDX-License-Identifier: MIT
//
// Programs and tools that are stopped, by SIGSTOP, by a debugger, by the freezer
// of control groups, at whatever they are doing: nobody else waits for them.

#include "../cgroup.h"
#include "../storm.h"

#include <atomic>
#include <csignal>
#include <random>
#include <sys/ptrace.h>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

// Ways to stop a child where it is, and to let it go on.
struct Way {
	const char *name;
	void (*stop)(pid_t, const ktap::Cgroup &);
	void (*go_on)(pid_t, const ktap::Cgroup &);
};

void wait_for_trap(pid_t pid)
{
	int status = 0;
	WAIT_UNTIL(waitpid(pid, &status, WNOHANG | __WALL) == pid);
	REQUIRE(WIFSTOPPED(status));
}

const Way ways[] = {
	{"SIGSTOP",
		[](pid_t pid, const ktap::Cgroup &) {
			REQUIRE_OK(kill(pid, SIGSTOP));
			WAIT_UNTIL(ktap::state_of(pid) == 'T');
		},
		[](pid_t pid, const ktap::Cgroup &) { REQUIRE_OK(kill(pid, SIGCONT)); }},
	{"ptrace",
		[](pid_t pid, const ktap::Cgroup &) {
			REQUIRE_OK(ptrace(PTRACE_SEIZE, pid, 0, 0));
			REQUIRE_OK(ptrace(PTRACE_INTERRUPT, pid, 0, 0));
			wait_for_trap(pid);
		},
		[](pid_t pid, const ktap::Cgroup &) {
			REQUIRE_OK(ptrace(PTRACE_DETACH, pid, 0, 0));
		}},
	{"the freezer",
		[](pid_t pid, const ktap::Cgroup &group) {
			group.add(pid);
			group.freeze(true);
		},
		[](pid_t, const ktap::Cgroup &group) { group.freeze(false); }},
};

// What everybody else does with traces meanwhile: at once, and with its results.
void others_go_on()
{
	double begin = ktap::now();
	ltt::Trace trace(ltt::params("other"));
	trace.start();
	trace.filter(0x3);
	CHECK_EQ(wait_for(spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 3); })), 0);
	trace.flush();
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 3);
	trace.stop();
	trace.destroy();
	CHECK_LT(ktap::now() - begin, 2 * ktap::patience());
}

void some_time(std::mt19937 &random)
{
	for (volatile uint32_t spin = random() % 30000; spin; spin = spin - 1)
		;
}

} // namespace

TEST("a tool is stopped at 60 random instants of create, start, stop, destroy", seconds(60))
{
	std::mt19937 random(51);
	for (const Way &way : ways) {
		printf("%s\n", way.name);
		ktap::Cgroup group("stopped");
		ltt::Storm storm;
		for (int i = 0; i < 20; ++i) {
			some_time(random);
			way.stop(storm.process(), group);
			uint64_t traces = storm.traces();
			others_go_on();
			CHECK_EQ(storm.traces(), traces);
			way.go_on(storm.process(), group);
			WAIT_UNTIL(storm.traces() > traces);
		}
		storm.may_be_slow();
	}
}

TEST("a writer is stopped at 60 random instants while its traces begin, change and end",
	seconds(60))
{
	std::mt19937 random(52);
	auto &rounds = *shared<std::atomic<uint64_t>>();
	for (const Way &way : ways) {
		printf("%s\n", way.name);
		ktap::Cgroup group("stopped");
		pid_t writer = spawn([&] {
			ltt::handle_signal();
			ltt_registration r = {};
			r.signal = LTT_SIGNAL_DEFAULT;
			REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
			for (;; ++rounds)
				while (ltt::Buffer buffer = ltt::Buffer::next()) {
					ltt::write_numbers(buffer, 0, 300);
					munmap(buffer.address(), buffer.size());
				}
		});
		for (int i = 0; i < 20; ++i) {
			ltt::Trace trace(ltt::params());
			trace.start();
			some_time(random);
			way.stop(writer, group);
			double begin = ktap::now();
			trace.stop();
			trace.start();
			trace.flush();
			trace.read_packets();
			trace.destroy();
			CHECK_LT(ktap::now() - begin, 2 * ktap::patience());
			trace.read_packets();
			WAIT_UNTIL(trace.info().memory == 0);
			others_go_on();
			uint64_t before = rounds;
			way.go_on(writer, group);
			WAIT_UNTIL(rounds > before);
		}
		kill(writer, SIGKILL);
		wait_for(writer);
	}
}

TEST("a writer hangs in the middle of an event, with all signals blocked, in a frozen group")
{
	auto &inside = *shared<std::atomic<bool>>();
	auto &leave = *shared<std::atomic<bool>>();
	ktap::Cgroup group("frozen");
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t writer = spawn([&] {
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, nullptr);
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 10);
		ltt::write_event(buffer.operator->(), 16, 8, [&](char *at) {
			inside = true;
			while (!leave)
				;
			memset(at, 0x55, 8);
		});
	});
	WAIT_UNTIL(inside);
	group.add(writer);
	group.freeze(true);
	double begin = ktap::now();
	trace.stop();
	trace.destroy();
	CHECK_LT(ktap::now() - begin, 0.9 * ktap::patience());
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), writer);
	stream.check_numbers(0, 10);
	CHECK(stream.last());
	CHECK(stream.torn());
	WAIT_UNTIL(trace.info().memory == 0);
	leave = true;
	group.freeze(false);
	CHECK_EQ(wait_for(writer), 0);
}

TEST("a program that stops itself within an event: no packet ends before it", seconds(30))
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t writer = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 3);
		ltt::write_event(buffer.operator->(), 16, 8, [](char *at) {
			raise(SIGSTOP);
			uint64_t number = 3;
			memcpy(at, &number, sizeof(number));
		});
		ltt_switch(buffer.address());
		ltt::write_numbers(buffer, 4, 3);
	});
	WAIT_UNTIL(ktap::state_of(writer) == 'T');
	// Reading checks that each event lies between the ends of its packet.
	trace.flush();
	std::vector<ltt::Packet> packets = trace.read_packets();
	trace.flush();
	REQUIRE_OK(kill(writer, SIGCONT));
	CHECK_EQ(wait_for(writer), 0);
	for (ltt::Packet &p : trace.read_packets())
		packets.push_back(std::move(p));
	ltt::stream_of(ltt::streams_of(packets), writer).check_ended(0, 7);
}

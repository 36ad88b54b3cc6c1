// SPDX-License-Identifier: MIT
//
// How threads, programs and traces begin and end: what was committed stays
// readable, and nobody waits for anybody.

#include "../streams.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

extern char **environ;

namespace
{

// A started trace of the whole system.
struct Started : ltt::Trace {
	explicit Started(const ltt_trace_params &p = ltt::params()) : Trace(p) { start(); }
};

std::vector<uint64_t> numbers_of(const std::vector<ltt::Packet> &packets)
{
	std::vector<uint64_t> numbers;
	for (const ltt::Event &e : ltt::events_of(packets))
		numbers.push_back(e.as<uint64_t>());
	return numbers;
}

using Numbers = std::vector<uint64_t>;

// Numbers of the events of one thread that can be read now.
Numbers read_numbers(ltt::Trace &trace, pid_t tid)
{
	return numbers_of(trace.read_events(tid));
}

void write(const ltt::Buffer &buffer, uint64_t number)
{
	buffer.write(number);
}

// The test's process forks; the child does this and ends with status 0.
template <class Work>
pid_t in_child(Work work)
{
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		work();
		_exit(0);
	}
	return pid;
}

void wait_for(pid_t pid, int wanted = 0)
{
	int status;
	REQUIRE_EQ(waitpid(pid, &status, __WALL), pid);
	CHECK_EQ(status, wanted);
}

bool ended(const std::vector<ltt::Packet> &packets)
{
	return !packets.empty() && packets.back().last();
}

} // namespace

TEST("a thread that never writes leaves no stream and costs no memory")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	REQUIRE(buffer);
	CHECK_EQ(trace.memory(), 0u);
	CHECK_EQ(trace.info().buffers, 0u);
	wait_for(in_child([] {}));
	CHECK_EQ(trace.memory(), 0u);
	CHECK_EQ(trace.read_packets().size(), 0u);
}

TEST("exec seals the old stream; the new program starts without buffers")
{
	Started trace;
	pid_t pid = in_child([&] {
		write(ltt::Buffer::of(trace), 1);
		int nothing = open("/dev/null", O_WRONLY);
		dup2(nothing, STDOUT_FILENO);
		execl("/proc/self/exe", "lifecycle", "--list", nullptr);
	});
	wait_for(pid);
	std::vector<ltt::Packet> packets = trace.read_events(pid);
	CHECK(numbers_of(packets) == Numbers{1});
	CHECK(ended(packets));
}

TEST("exec from another thread than the main one seals all streams of the program")
{
	Started trace;
	pid_t pid = in_child([&] {
		write(ltt::Buffer::of(trace), 1);
		int nothing = open("/dev/null", O_WRONLY);
		dup2(nothing, STDOUT_FILENO);
		std::thread([&] {
			write(ltt::Buffer::of(trace), 2);
			execl("/proc/self/exe", "lifecycle", "--list", nullptr);
		}).join();
	});
	wait_for(pid);
	std::vector<ltt::Packet> packets = trace.read_events();
	Numbers numbers = numbers_of(packets);
	std::sort(numbers.begin(), numbers.end());
	CHECK(numbers == (Numbers{1, 2}));
	size_t ends = 0;
	for (const ltt::Packet &p : packets)
		ends += p.last();
	CHECK_EQ(ends, 2u);
}

TEST("a child of a thread with a full buffer starts with an empty one")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	for (uint64_t n = 0; n < 3000; ++n)
		write(buffer, n);
	REQUIRE_EQ(buffer.control().full, 1u);
	pid_t child = in_child([&] { write(buffer, 7); });
	wait_for(child);
	std::vector<ltt::Packet> packets = trace.read_events(child);
	CHECK(numbers_of(packets) == Numbers{7});
	CHECK_EQ(packets.back().header.lost, 0u);
}

TEST("a vfork child writes into its parent's buffer, and may switch it")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	write(buffer, 1);
	pid_t child = vfork();
	if (child == 0) {
		write(buffer, 2);
		if (ltt_switch(buffer.address()) != 0)
			_exit(1);
		write(buffer, 3);
		_exit(0);
	}
	wait_for(child);
	write(buffer, 4);
	trace.stop();
	CHECK(read_numbers(trace, getpid()) == (Numbers{1, 2, 3, 4}));
}

TEST("posix_spawn leaves the parent's stream alone")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	write(buffer, 1);
	for (int i = 0; i < 20; ++i) {
		pid_t child;
		char name[] = "lifecycle", list[] = "--list";
		char *argv[] = {name, list, nullptr};
		posix_spawn_file_actions_t actions;
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		REQUIRE_EQ(
			posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv, environ), 0);
		wait_for(child);
		posix_spawn_file_actions_destroy(&actions);
	}
	write(buffer, 2);
	trace.stop();
	CHECK(numbers_of(trace.read_events()) == (Numbers{1, 2}));
}

TEST("clone3 without flags forks like fork")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	write(buffer, 1);
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} arguments = {};
	arguments.exit_signal = SIGCHLD;
	long child = syscall(SYS_clone3, &arguments, sizeof(arguments));
	REQUIRE(child >= 0);
	if (child == 0) {
		write(buffer, 2);
		_exit(0);
	}
	wait_for(static_cast<pid_t>(child));
	CHECK(read_numbers(trace, static_cast<pid_t>(child)) == Numbers{2});
}

TEST("8 threads write while the main thread forks ten thousand times; each child's event is there",
	seconds(120, 1500))
{
	const uint64_t n = ktap::in_full(10000u, 150u);
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	bool stop = false;
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; ++i)
		threads.emplace_back([&] {
			ltt::Buffer own = ltt::Buffer::of(trace);
			for (uint64_t k = n; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++k)
				write(own, k);
		});
	std::map<__u32, uint64_t> children; // of tids, which come again
	uint64_t found = 0;
	auto look = [&](unsigned most) {
		for (const ltt::Packet &p : trace.read_events(0, most))
			if (auto child = children.find(p.header.tid);
				child != children.end() && !p.data.empty()) {
				CHECK(numbers_of({p}) == Numbers{child->second});
				++found;
				children.erase(child);
			}
	};
	for (uint64_t i = 0; i < n; ++i) {
		pid_t child = in_child([&] { write(buffer, i); });
		wait_for(child);
		children[static_cast<__u32>(child)] = i;
		// The eight write faster than they can be read: once, or it never ends.
		if (i % 50 == 49)
			look(1);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (std::thread &thread : threads)
		thread.join();
	look(~0u);
	CHECK_EQ(found, n);
}

TEST("a stopped trace gets no more events; what it has can be read, and it starts again")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	write(buffer, 1);
	trace.stop();
	write(buffer, 2);
	CHECK(read_numbers(trace, getpid()) == Numbers{1});
	trace.start();
	write(buffer, 3);
	trace.stop();
	CHECK(read_numbers(trace, getpid()) == Numbers{3});
}

TEST("a trace is destroyed with 8 writers inside: they live on, its data stays readable",
	seconds(60))
{
	for (int round = 0; round < 20; ++round) {
		Started trace;
		bool stop = false;
		uint64_t ready = 0;
		std::vector<std::thread> threads;
		for (int i = 0; i < 8; ++i)
			threads.emplace_back([&] {
				ltt::Buffer own = ltt::Buffer::of(trace);
				write(own, 0);
				__atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
				// Not through Buffer::write: it would see that the trace is off.
				for (uint64_t n = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); ++n)
					ltt::write_event(own.operator->(), 16, 8,
						[n](char *at) { memcpy(at, &n, sizeof(n)); });
			});
		WAIT_UNTIL(__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 8);
		trace.destroy();
		std::vector<ltt::Packet> packets = trace.read_events();
		char byte;
		CHECK_EQ(read(trace.descriptor(), &byte, 1), 0);
		__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
		for (std::thread &thread : threads)
			thread.join();
		size_t ends = 0;
		for (const ltt::Packet &p : packets) {
			numbers_of({p});
			CHECK(!p.corrupt());
			ends += p.last();
		}
		CHECK_EQ(ends, 8u);
	}
}

TEST("a trace is destroyed while its writer is stopped: nobody waits")
{
	Started trace;
	auto &written = *ktap::shared<std::atomic<uint64_t>>();
	pid_t child = in_child([&] {
		ltt::Buffer own = ltt::Buffer::of(trace);
		for (;; ++written)
			write(own, written);
	});
	WAIT_UNTIL(written > 0);
	REQUIRE_OK(kill(child, SIGSTOP));
	WAIT_UNTIL(ktap::state_of(child) == 'T');
	double before = ktap::now();
	trace.destroy();
	CHECK_LT(ktap::now() - before, 2 * ktap::patience());
	CHECK_GT(trace.read_events(child).size(), 0u);
	REQUIRE_OK(kill(child, SIGCONT));
	REQUIRE_OK(kill(child, SIGKILL));
	wait_for(child, SIGKILL);
}

TEST("a reader dies: another one gets all that the first had not read")
{
	Started trace;
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	for (uint64_t n = 0; n < 100; ++n)
		write(buffer, n);
	ltt_switch(buffer.address());
	pid_t reader = in_child([] {
		ltt::Trace own = ltt::Trace::open("test");
		CHECK_EQ(numbers_of(own.read_events()).size(), 100u);
		kill(getpid(), SIGKILL);
	});
	wait_for(reader, SIGKILL);
	for (uint64_t n = 100; n < 150; ++n)
		write(buffer, n);
	trace.stop();
	Numbers rest = read_numbers(trace, getpid());
	REQUIRE_EQ(rest.size(), 50u);
	CHECK_EQ(rest.front(), 100u);
}

TEST("a read that fails consumes nothing")
{
	Started trace;
	write(ltt::Buffer::of(trace), 1);
	trace.stop();
	char small[16];
	void *nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK_ERRNO(read(trace.descriptor(), small, sizeof(small)), EINVAL);
	CHECK_ERRNO(read(trace.descriptor(), nowhere, 4096), EFAULT);
	CHECK(read_numbers(trace, getpid()) == Numbers{1});
}

TEST("3000 short threads in one trace: memory stays that of what they wrote", seconds(120))
{
	Started trace;
	for (uint64_t round = 0; round < 300; ++round) {
		std::vector<std::thread> threads;
		for (int i = 0; i < 10; ++i)
			threads.emplace_back([&] { write(ltt::Buffer::of(trace), round); });
		for (std::thread &thread : threads)
			thread.join();
	}
	ltt_trace_info info = trace.info();
	CHECK_EQ(info.buffers, 3000u);
	CHECK_LE(info.memory, 3000u * 64 + 10 * 4 * 4096);
	CHECK_LE(info.pool, 10u * 4 * 4096);
	CHECK_EQ(info.refused, 0u);
	CHECK_EQ(numbers_of(trace.read_events()).size(), 3000u);
	WAIT_UNTIL(trace.memory() == 0);
}

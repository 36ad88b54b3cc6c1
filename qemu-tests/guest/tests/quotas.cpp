// SPDX-License-Identifier: MIT
//
// What a user, a trace and a control group may take, and what is said when it is too much.

#include "../process.h"
#include "../streams.h"
#include "../users.h"

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <sys/uio.h>

namespace
{

using namespace ktap;
using namespace users;

// A limit of ltt, set for a while.
class Parameter
{
public:
	Parameter(const char *name, unsigned long value)
		: path(std::string("/sys/module/ltt/parameters/") + name), before(read_file(path))
	{
		REQUIRE(!before.empty());
		write(std::to_string(value));
	}
	Parameter(const Parameter &) = delete;
	Parameter &operator=(const Parameter &) = delete;
	~Parameter()
	{
		if (owner == getpid())
			write(before);
	}

private:
	void write(const std::string &text)
	{
		int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
		REQUIRE(fd >= 0);
		CHECK_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
		close(fd);
	}

	std::string path, before;
	pid_t owner = getpid();
};

std::string numbered(const char *name, int i)
{
	return name + std::to_string(i);
}

// Threads that stay until the end, each with one event in the trace.
class Writers
{
public:
	explicit Writers(ltt::Trace &trace, unsigned n)
	{
		for (unsigned i = 0; i < n; ++i) {
			pid_t child = spawn([&] {
				ltt::Buffer::of(trace).write(uint64_t{1});
				kill(getpid(), SIGSTOP);
			});
			int status;
			REQUIRE_EQ(waitpid(child, &status, WUNTRACED), child);
			REQUIRE(WIFSTOPPED(status));
			children.push_back(child);
		}
	}
	~Writers()
	{
		for (pid_t child : children) {
			kill(child, SIGKILL);
			waitpid(child, nullptr, 0);
		}
	}

private:
	std::vector<pid_t> children;
};

constexpr __u64 buffer_size = 4 * 4096;

void write_to(const std::string &path, const std::string &text)
{
	int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
	close(fd);
}

} // namespace

TEST("a user may have so many traces and no more; root goes on")
{
	as_user(user_a, [] {
		std::vector<std::unique_ptr<ltt::Trace>> mine;
		for (int i = 0; i < 8; ++i)
			mine.push_back(
				std::make_unique<ltt::Trace>(own_params(numbered("a", i).c_str())));
		// errno: LTT_IOC_CREATE EDQUOT
		CHECK_ERRNO(ltt::create(own_params("a8")), EDQUOT);
		mine.pop_back();
		CHECK_OK(ltt::create(own_params("a8")));
		ltt::Trace::open("a8").destroy();
	});
	ltt::Trace trace(ltt::params());
}

TEST("users together cannot take the last traces: those are for who may trace the system")
{
	Parameter limit("user_traces", 32);
	pid_t user = spawn([] {
		become(user_a);
		std::vector<std::unique_ptr<ltt::Trace>> mine;
		for (int i = 0; i < 24; ++i)
			mine.push_back(
				std::make_unique<ltt::Trace>(own_params(numbered("a", i).c_str())));
		// errno: LTT_IOC_CREATE ENOSPC: 8 slots
		CHECK_ERRNO(ltt::create(own_params("a24")), ENOSPC);
		kill(getpid(), SIGSTOP);
		mine.clear();
	});
	int status;
	REQUIRE_EQ(waitpid(user, &status, WUNTRACED), user);
	CHECK(WIFSTOPPED(status));
	as_user(user_b, [] { CHECK_ERRNO(ltt::create(own_params("b")), ENOSPC); });
	{
		std::vector<std::unique_ptr<ltt::Trace>> mine;
		for (int i = 0; i < 8; ++i)
			mine.push_back(std::make_unique<ltt::Trace>(
				ltt::params(numbered("r", i).c_str())));
		CHECK_ERRNO(ltt::create(ltt::params("r8")), ENOSPC);
	}
	REQUIRE_OK(kill(user, SIGCONT));
	CHECK_EQ(wait_for(user), 0);
}

TEST("the memory of a user's traces is limited; what is refused is counted and harms nobody")
{
	Parameter limit("user_memory_kb", 3 * buffer_size / 1024);
	as_user(user_a, [] {
		ltt::Trace one(own_params("one")), two(own_params("two"));
		one.start();
		two.start();
		{
			Writers some(one, 2), more(two, 2); // the fourth gets none
			CHECK_EQ(one.info().refused + two.info().refused, 1u);
			CHECK_LE(one.info().memory + two.info().memory, 3 * buffer_size);
		}
		// The events of the dead are small; there is room again.
		Writers again(one, 1);
		CHECK_EQ(one.info().refused + two.info().refused, 1u);
	});
	// It was not root's account.
	ltt::Trace trace(ltt::params());
	trace.start();
	Writers many(trace, 5);
	CHECK_EQ(trace.info().refused, 0u);
}

TEST("a thread whose buffer was refused counts what it loses")
{
	Parameter limit("user_memory_kb", 0);
	as_user(user_a, [] {
		ltt::Trace trace(own_params("mine"));
		trace.start();
		pid_t child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 100); });
		CHECK_EQ(wait_for(child), 0);
		CHECK_EQ(trace.info().refused, 1u);
		ltt::Stream s = ltt::stream_of(ltt::streams_of(trace.read_packets()), child);
		CHECK(s.events.empty());
		CHECK_EQ(s.header.lost, 100u);
		CHECK_EQ(trace.info().lost, 100u);
		CHECK_EQ(trace.info().memory, 0u);
	});
}

TEST("a trace has a limit of its own; what the dead left counts")
{
	ltt_trace_params p = ltt::params();
	p.max_memory = 2 * buffer_size;
	ltt::Trace trace(p);
	trace.start();
	for (int i = 0; i < 30; ++i)
		CHECK_EQ(wait_for(spawn(
				 [&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 500); })),
			0);
	ltt_trace_info info = trace.info();
	CHECK_GT(info.refused, 20u);
	CHECK_LE(info.memory, p.max_memory + 500 * 16);
	uint64_t recorded = ltt::events_of(trace.read_events()).size();
	CHECK_EQ(recorded + trace.info().lost, 30u * 500);
	// Read, it has room again.
	CHECK_EQ(wait_for(spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 500); })), 0);
	CHECK_EQ(trace.read_events().back().header.lost, 0u);
}

TEST("the memory is the traced program's: its control group pays, and the limit is no OOM kill")
{
	const char *group = "/sys/fs/cgroup/ltt-quota";
	write_to("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	REQUIRE_OK(mkdir(group, 0755));
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 1 << 20;
	ltt::Trace trace(p);
	trace.start();
	pid_t child = spawn([&] {
		write_to(std::string(group) + "/cgroup.procs", std::to_string(getpid()));
		long before = atol(read_file(std::string(group) + "/memory.current").c_str());
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
		long after = atol(read_file(std::string(group) + "/memory.current").c_str());
		CHECK_GE(after - before, 4 << 20);
	});
	CHECK_EQ(wait_for(child), 0);
	// That buffer is in the pool, on the group's account: too little for another.
	write_to(std::string(group) + "/memory.max", std::to_string(6 << 20));
	ltt::Trace other([&] {
		strcpy(p.name, "other");
		return p;
	}());
	other.start();
	child = spawn([&] {
		write_to(std::string(group) + "/cgroup.procs", std::to_string(getpid()));
		ltt::Buffer buffer = ltt::Buffer::of(other);
		ltt::write_numbers(buffer, 0, 10);
		CHECK_EQ(buffer.control().lost, 10u);
	});
	CHECK_EQ(wait_for(child), 0);
	CHECK_EQ(other.info().refused, 1u);
	std::string events = read_file(std::string(group) + "/memory.events");
	CHECK(events.find("oom_kill 0") != std::string::npos);
	trace.destroy();
	other.destroy();
	trace.read_packets();
	WAIT_UNTIL(rmdir(group) == 0);
}

TEST("a buffer of the pool goes to threads of the same control group only")
{
	const char *group = "/sys/fs/cgroup/ltt-pool";
	write_to("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	REQUIRE_OK(mkdir(group, 0755));
	ltt::Trace trace(ltt::params());
	trace.start();
	auto one_event = [&](bool inside) {
		CHECK_EQ(wait_for(spawn([&] {
			if (inside)
				write_to(std::string(group) + "/cgroup.procs",
					std::to_string(getpid()));
			ltt::Buffer::of(trace).write(uint64_t{1});
		})),
			0);
	};
	one_event(true);
	CHECK_EQ(trace.info().pool, buffer_size);
	one_event(false);
	CHECK_EQ(trace.info().pool, 2 * buffer_size);
	one_event(true);
	one_event(false);
	CHECK_EQ(trace.info().pool, 2 * buffer_size);
	trace.destroy();
	trace.read_packets();
	WAIT_UNTIL(rmdir(group) == 0);
}

TEST("a buffer from the pool holds nothing of the program that had it before")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	CHECK_EQ(wait_for(spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
		memset(buffer.data(), 'x', buffer_size);
	})),
		0);
	CHECK_EQ(trace.info().pool, buffer_size);
	CHECK_EQ(wait_for(spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.control();
		for (size_t i = 0; i < buffer_size; ++i)
			if (!CHECK_EQ(buffer.data()[i], 0))
				break;
		CHECK_EQ(trace.info().pool, 0u);
	})),
		0);
}

TEST("a page of a buffer that somebody else holds does not get into the pool")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	int ends[2];
	REQUIRE_OK(pipe(ends));
	CHECK_EQ(wait_for(spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
		iovec page = {buffer.data() + 4096, 4096};
		CHECK_EQ(vmsplice(ends[1], &page, 1, 0), 4096); // refers to it, copies nothing
	})),
		0);
	CHECK_EQ(trace.info().pool, 0u);
	std::vector<char> copy(4096);
	CHECK_EQ(read(ends[0], copy.data(), copy.size()), 4096);
	close(ends[0]);
	close(ends[1]);
}

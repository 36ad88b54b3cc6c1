// SPDX-License-Identifier: MIT
//
// Traces that persist, in a machine that does not reboot: their memory is small, shared by
// all of them, and comes back. What a reboot leaves is tested in host/persist_test.py.
//
// qemu: append="ltt.persist=1M@0x8000000"

#include "../process.h"
#include "../streams.h"
#include "../users.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <thread>

namespace
{

constexpr unsigned crowd = 100; // threads or programs: more than there is room for

ltt_trace_params persistent(const char *name)
{
	ltt_trace_params p = ltt::params(name);
	p.flags |= LTT_TRACE_PERSIST;
	return p;
}

int previous_boot()
{
	const int device = ltt::open_device();
	const int fd = ioctl(device, LTT_IOC_PREVIOUS);
	const int error = errno;
	close(device);
	errno = error;
	return fd;
}

// All alive at once, one after the other with @events; and when all have written them, this.
// How many of the events the trace had room for.
uint64_t crowd_writes(
	const ltt::Trace &trace, uint64_t events, const std::function<void()> &then = [] {})
{
	std::atomic<unsigned> written{0};
	std::atomic<bool> over{false};
	std::atomic<uint64_t> lost{0};
	std::vector<std::thread> threads;
	for (unsigned t = 0; t < crowd; ++t) {
		threads.emplace_back([&, t] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			for (uint64_t i = 0; i < events; ++i)
				buffer.write(uint64_t{t} << 32 | i);
			lost += __atomic_load_n(&buffer.control().lost, __ATOMIC_RELAXED);
			++written;
			while (!over)
				usleep(1000);
		});
		while (written <= t)
			usleep(100);
	}
	then();
	over = true;
	for (std::thread &thread : threads)
		thread.join();
	return crowd * events - lost;
}

} // namespace

TEST("a trace that persists is one like any other")
{
	ltt::Trace trace(persistent("kept"));
	CHECK_EQ(trace.info().flags, LTT_TRACE_SYSTEM | LTT_TRACE_PERSIST);
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	for (uint64_t i = 0; i < 2000; ++i) // more than a buffer has
		buffer.write(i);
	std::thread([&trace] { ltt::Buffer::of(trace).write(uint64_t{4711}); }).join();
	trace.stop();
	std::vector<ltt::Event> own = ltt::events_of(trace.read_events(gettid()));
	REQUIRE(own.size() > 500);
	for (uint64_t i = 0; i < own.size(); ++i)
		CHECK_EQ(own[i].as<uint64_t>(), i);
	CHECK_EQ(own.size() + trace.info().lost, 2000u);
}

TEST("it needs privilege, as does what an earlier boot left")
{
	// errno: LTT_IOC_CREATE EPERM: likewise
	users::as_user(users::user_a, [] {
		ltt_trace_params p = users::own_params("kept");
		p.flags = LTT_TRACE_PERSIST;
		CHECK_ERRNO(ltt::create(p), EPERM);
		// errno: LTT_IOC_PREVIOUS EPERM
		CHECK_ERRNO(previous_boot(), EPERM);
	});
	// errno: LTT_IOC_PREVIOUS ENOENT
	CHECK_ERRNO(previous_boot(), ENOENT);
	ltt::Trace trace(persistent("kept"));
	CHECK_ERRNO(previous_boot(), ENOENT);
}

TEST("threads for which there is no room lose their events, which are counted, and go on",
	seconds(60))
{
	const auto events_with_room = [] {
		ltt::Trace trace(persistent("kept"));
		trace.start();
		const uint64_t room = crowd_writes(trace, 10);
		const ltt_trace_info info = trace.info();
		CHECK_GT(info.refused, 10u);
		CHECK_GT(room, 10u);
		trace.destroy();
		CHECK_EQ(ltt::events_of(trace.read_events()).size(), room);
		return room;
	};
	uint64_t most = 0;
	for (unsigned round = 0; round < 10; ++round)
		most = std::max(most, events_with_room());
	// All of the memory comes back, though threads that were joined may have some for
	// another moment.
	WAIT_UNTIL(events_with_room() == most);
}

TEST("what dead threads left makes room as it is read")
{
	ltt::Trace trace(persistent("kept"));
	trace.start();
	const uint64_t room = crowd_writes(trace, 10);
	uint64_t read = ltt::events_of(trace.read_events()).size();
	CHECK_EQ(read, room);
	for (unsigned i = 0; i < crowd; ++i) {
		std::thread([&trace] { ltt::Buffer::of(trace).write(uint64_t{1}); }).join();
		read = ltt::events_of(trace.read_events()).size();
		CHECK_EQ(read, 1u);
	}
}

TEST("forked children for which there is no room live on", seconds(60))
{
	ltt::Trace trace(persistent("kept"));
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	std::vector<pid_t> children;
	for (unsigned i = 0; i < crowd; ++i) {
		const pid_t child = fork();
		REQUIRE(child >= 0);
		if (!child) {
			for (uint64_t n = 0; n < 1000; ++n)
				buffer.write(n);
			pause();
			_exit(1);
		}
		children.push_back(child);
	}
	usleep(200000);
	for (pid_t child : children) {
		kill(child, SIGKILL);
		int status = 0;
		CHECK_EQ(waitpid(child, &status, 0), child);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	CHECK_GT(trace.info().refused, 10u);
	buffer.write(uint64_t{2});
	trace.stop();
	CHECK_EQ(ltt::events_of(trace.read_events(gettid())).size(), 2u);
}

TEST("a trace for which there is no room is refused")
{
	ltt::Trace trace(persistent("kept"));
	trace.start();
	crowd_writes(trace, 1, [] {
		std::vector<ltt::Trace> more;
		for (int error = 0; !error;) {
			REQUIRE(more.size() < 16);
			const std::string name = "more-" + std::to_string(more.size());
			const int fd = ltt::create(persistent(name.c_str()));
			error = fd < 0 ? errno : 0;
			if (error) {
				// errno: LTT_IOC_CREATE ENOMEM: where it would persist
				CHECK_EQ(error, ENOMEM);
				break;
			}
			more.push_back(ltt::Trace::open(name.c_str()));
			close(fd);
		}
		for (ltt::Trace &each : more)
			each.destroy();
	});
	trace.destroy();
	// It is not for good.
	ltt::Trace next(persistent("next"));
}

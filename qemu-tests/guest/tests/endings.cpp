// SPDX-License-Identifier: MIT
//
// Programs with markers end in every way, while nobody reads: none hangs, and what each
// wrote to its last function is there. And programs that use the signal themselves.

#include "../marks.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace
{

using ktap::spawn;
using ktap::wait_for;
using marks::mark;

constexpr uint64_t several = 1000;

struct Marking {
	~Marking() { mark(); }
};
thread_local Marking of_thread;

ltt_trace_params geometry(uint32_t subbuf_size, uint32_t mode)
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = subbuf_size;
	p.mode = mode;
	if (mode == LTT_MODE_BLOCK)
		p.timeout_us = 100000;
	return p;
}

// A child writes several events, and ends by end(), which writes more: with room for
// all; without, so that the last ones are lost; and after a wait in vain for the reader.
template <class End>
void ending(End end, uint64_t more, bool (*right_status)(int))
{
	constexpr uint64_t room = 4 * 4096 / marks::event_size;
	for (const ltt_trace_params &params : {geometry(1 << 16, LTT_MODE_DISCARD),
		     geometry(4096, LTT_MODE_DISCARD), geometry(4096, LTT_MODE_BLOCK)}) {
		const bool full = params.subbuf_size == 4096;
		ltt::Trace trace(params);
		trace.start();
		const pid_t child = spawn([&] {
			mark(full ? room : several);
			end();
		});
		const int status = wait_for(child);
		if (!CHECK(right_status(status)))
			printf("status is 0x%x\n", status);
		const marks::Stream left = marks::of(marks::read(trace), child);
		left.check(1, full ? room : several + more);
		CHECK(left.header.flags & LTT_PACKET_LAST);
		CHECK_EQ(left.header.lost, full ? more : 0);
	}
}

bool exited(int status)
{
	return status == 0;
}
bool aborted(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

// What this program does where it is executed anew; the first argument says what.
std::atomic<int> handled;

int own_handler()
{
	ltt::Trace trace(ltt::params());
	mark();
	trace.start();
	mark();
	raise(SIGRTMIN + 3);
	const int once = handled;
	trace.stop();
	mark();
	const size_t n = marks::of(marks::read(trace), getpid()).marks.size();
	return once == 1 && handled == 1 && n == 1 ? 0 : 1;
}

void before_constructors(int argc, char **argv, char **)
{
	if (argc == 1 && strcmp(argv[0], "own handler") == 0)
		signal(SIGRTMIN + 3, [](int) { ++handled; });
}
__attribute__((section(".preinit_array"), used)) void (*const first)(
	int, char **, char **) = before_constructors;

[[gnu::constructor]] void program(int argc, char **argv, char **)
{
	if (argc != 1)
		return;
	if (strcmp(argv[0], "own handler") == 0)
		_exit(own_handler());
	if (strcmp(argv[0], "executed") == 0) {
		mark();
		_exit(0);
	}
}

void execute(const char *what)
{
	execl("/proc/self/exe", what, nullptr);
	_exit(1);
}

} // namespace

TEST("exit(): to the last destructor and the first function of atexit()")
{
	ending(
		[] {
			std::atexit(mark);
			static_cast<void>(&of_thread);
			std::exit(0);
		},
		2, exited);
}

TEST("_exit()")
{
	ending([] { _exit(0); }, 0, exited);
}

TEST("quick_exit(): with its functions, without destructors")
{
	ending(
		[] {
			std::at_quick_exit(mark);
			std::atexit(mark);
			static_cast<void>(&of_thread);
			std::quick_exit(0);
		},
		1, exited);
}

TEST("abort(): with the handler of its signal")
{
	ending(
		[] {
			signal(SIGABRT, [](int) { mark(); });
			abort();
		},
		1, aborted);
}

TEST("exec: both programs' events are there, each in a stream of its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	const pid_t child = spawn([] {
		mark(several);
		execute("executed");
	});
	CHECK_EQ(wait_for(child), 0);
	const auto streams = marks::read(trace);
	REQUIRE_EQ(streams.size(), 2);
	streams.begin()->second.check(1, several);
	streams.rbegin()->second.check(1, 1);
	for (const auto &[number, stream] : streams) {
		CHECK_EQ(stream.header.tid, child);
		CHECK(stream.header.flags & LTT_PACKET_LAST);
	}
}

TEST("pthread_exit() of main: the other thread goes on")
{
	ltt::Trace trace(geometry(1 << 16, LTT_MODE_DISCARD));
	trace.start();
	const pid_t child = spawn([] {
		static pthread_t main_thread;
		main_thread = pthread_self();
		std::thread([] {
			pthread_join(main_thread, nullptr);
			mark(several);
			_exit(0);
		}).detach();
		mark(several);
		pthread_exit(nullptr);
	});
	CHECK_EQ(wait_for(child), 0);
	const auto streams = marks::read(trace);
	REQUIRE_EQ(streams.size(), 2);
	marks::of(streams, child).check(1, several);
	for (const auto &[number, stream] : streams)
		if (stream.header.tid != static_cast<__u32>(child))
			stream.check(several + 1, several);
}

TEST("a program that took the signal before: its handler is its own, its markers work")
{
	CHECK_EQ(wait_for(spawn([] { execute("own handler"); })), 0);
}

TEST("a program that takes the signal later: its handler is its own, its markers work")
{
	static std::atomic<int> from_kernel, own;
	struct sigaction action = {};
	action.sa_flags = SA_SIGINFO;
	action.sa_sigaction = [](int, siginfo_t *info, void *) {
		++(info->si_code == SI_KERNEL ? from_kernel : own);
	};
	REQUIRE_OK(sigaction(SIGRTMIN + 3, &action, nullptr));
	ltt::Trace trace(ltt::params());
	mark();
	trace.start();
	mark();
	raise(SIGRTMIN + 3);
	trace.stop();
	mark();
	CHECK_EQ(own.load(), 1);
	CHECK_EQ(from_kernel.load(), 0);
	marks::of(marks::read(trace), getpid()).check(1, 1);
}

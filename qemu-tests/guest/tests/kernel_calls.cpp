// SPDX-License-Identifier: MIT
//
// System calls in a trace: what was asked and what came of it, between the markers
// that stand around them in the program.

#include "../kernel_events.h"
#include "../streams.h"

#include <climits>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace
{

using namespace ktap;
using kernel_events::Event;
using kernel_events::events_while;
using kernel_events::Reader;

// Calls of the test itself, and of nobody else.
ltt::Trace trace_of_this_process()
{
	return ltt::trace_of(getpid(), kernel_events::large());
}

// The calls, without those that control the trace.
std::vector<Event> calls_of(void (*work)())
{
	ltt::Trace trace = trace_of_this_process();
	std::vector<Event> all = events_while(trace, "syscalls", work);
	// The end of the ioctl() that started it, the begin of the one that stops it.
	REQUIRE(all.size() >= 2);
	CHECK_EQ(all.front().name, "syscall_exit_ioctl");
	CHECK_EQ(all.back().name, "syscall_entry_ioctl");
	return {all.begin() + 1, all.end() - 1};
}

void check_names(const std::vector<Event> &calls, const std::vector<const char *> &names)
{
	CHECK_EQ(calls.size(), names.size());
	for (size_t i = 0; i < calls.size() && i < names.size(); ++i)
		CHECK_EQ(calls[i].name, names[i]);
}

} // namespace

TEST("each call has its entry and its exit, with what was given and what came back")
{
	std::vector<Event> calls = calls_of([] {
		long fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
		syscall(SYS_write, fd, "hello", 5);
		syscall(SYS_lseek, fd, -3l, SEEK_END);
		syscall(SYS_close, fd);
		syscall(SYS_close, -1);
	});
	check_names(
		calls, {"syscall_entry_openat", "syscall_exit_openat", "syscall_entry_write",
			       "syscall_exit_write", "syscall_entry_lseek", "syscall_exit_lseek",
			       "syscall_entry_close", "syscall_exit_close", "syscall_entry_close",
			       "syscall_exit_close"});
	REQUIRE(calls.size() == 10);
	CHECK_EQ(calls[0]["dfd"], AT_FDCWD);
	CHECK_EQ(calls[0].string("filename"), "/dev/null");
	CHECK_EQ(calls[0]["flags"], O_RDWR | O_CLOEXEC);
	const int64_t fd = calls[1]["ret"];
	CHECK_GT(fd, 2);
	CHECK_EQ(calls[2]["fd"], fd);
	CHECK_EQ(calls[2]["count"], 5);
	CHECK_EQ(calls[3]["ret"], 5);
	CHECK_EQ(calls[4]["offset"], -3);
	CHECK_EQ(calls[4]["whence"], SEEK_END);
	CHECK_EQ(calls[6]["fd"], fd);
	CHECK_EQ(calls[7]["ret"], 0);
	CHECK_EQ(calls[8]["fd"], -1);
	CHECK_EQ(calls[9]["ret"], -EBADF);
}

TEST("names of files: cut when they are long, empty when they are not there to be read")
{
	static char *page = static_cast<char *>(
		mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(page != MAP_FAILED);
	REQUIRE_OK(munmap(page + 4096, 4096));
	memset(page, 'x', 4096);
	strcpy(page + 4096 - 5, "/end");
	static char last[] = "....";
	memcpy(last, page + 4091, 5);
	std::vector<Event> calls = calls_of([] {
		syscall(SYS_mkdir, page, 0);	    // too long
		syscall(SYS_mkdir, page + 4091, 0); // ends with its page
		syscall(SYS_mkdir, page + 4096, 0); // not there
		syscall(SYS_mkdir, nullptr, 0);
		syscall(SYS_mkdir, 1ul << 63, 0); // not a program's address
		syscall(SYS_mkdir, "", 0);
		syscall(SYS_rename, "/no/such/one", "/nor/this");
	});
	REQUIRE(calls.size() == 14);
	CHECK_EQ(calls[0].string("pathname"), std::string(255, 'x'));
	CHECK_EQ(calls[2].string("pathname"), "/end");
	for (int i : {4, 6, 8, 10})
		CHECK_EQ(calls[static_cast<size_t>(i)].string("pathname"), "");
	CHECK_EQ(calls[12].string("oldname"), "/no/such/one");
	CHECK_EQ(calls[12].string("newname"), "/nor/this");
	CHECK_EQ(calls[13]["ret"], -ENOENT);
}

TEST("calls without an event of their own tell their number; so do those that do not exist")
{
	std::vector<Event> calls = calls_of([] {
		syscall(SYS_getpriority, 0, 0x123456789abcl);
		syscall(5000, 1, 2, 3, 4, 5, 6);
		syscall(-1l);
		syscall(0x7fffffff0000l);
	});
	check_names(calls,
		{"syscall_entry_unknown", "syscall_exit_unknown", "syscall_entry_unknown",
			"syscall_exit_unknown", "syscall_entry_unknown", "syscall_exit_unknown",
			"syscall_entry_unknown", "syscall_exit_unknown"});
	REQUIRE(calls.size() == 8);
	CHECK_EQ(calls[0]["id"], SYS_getpriority);
	CHECK_EQ(calls[1]["id"], SYS_getpriority);
	CHECK_EQ(calls[1]["ret"], -ESRCH);
	CHECK_EQ(calls[0]["args1"], 0x123456789abc);
	CHECK_EQ(calls[2]["id"], 5000);
	for (int64_t i = 0; i < 6; ++i)
		CHECK_EQ(calls[2][("args" + std::to_string(i)).c_str()], i + 1);
	CHECK_EQ(calls[3]["ret"], -ENOSYS);
	CHECK_EQ(calls[4]["id"], -1);
	CHECK_EQ(calls[5]["ret"], -ENOSYS);
}

TEST("one call may be selected without the others")
{
	ltt::Trace trace = trace_of_this_process();
	std::vector<Event> calls = events_while(trace, "syscall_entry_close,syscall_exit_m*", [] {
		syscall(SYS_getpid);
		syscall(SYS_close, -1);
		syscall(SYS_mkdir, "/proc/x", 0);
	});
	check_names(calls, {"syscall_entry_close", "syscall_exit_mkdir"});
}

TEST("a 32-bit call is told apart from the 64-bit one of the same number")
{
	std::vector<Event> calls = calls_of([] {
		long result = 20; // getpid() there, writev() here
		asm volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
		if (result != getpid())
			fail(__FILE__, __LINE__, "int 0x80 gave %ld", result);
	});
	REQUIRE(calls.size() >= 2);
	CHECK_EQ(calls[0].name, "compat_syscall_entry_unknown");
	CHECK_EQ(calls[0]["id"], 20);
	CHECK_EQ(calls[1].name, "compat_syscall_exit_unknown");
	CHECK_EQ(calls[1]["ret"], getpid());
}

TEST("a call lies between the markers around it")
{
	ltt::Trace trace = trace_of_this_process();
	REQUIRE_OK(kernel_events::select(
		trace.descriptor(), "syscall_entry_write,syscall_exit_write"));
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	int fd = open("/dev/null", O_WRONLY);
	for (uint64_t i = 0; i < 100; ++i) {
		buffer.write(i);
		REQUIRE_EQ(write(fd, "x", 1), 1);
	}
	buffer.write(uint64_t{100});
	trace.stop();
	Reader reader;
	std::vector<ltt::Packet> mine;
	for (ltt::Packet &p : trace.read_packets()) {
		reader.add(p);
		if (p.header.type == LTT_PACKET_EVENTS && p.header.tid)
			mine.push_back(std::move(p));
	}
	std::vector<ltt::Event> markers = ltt::events_of(mine);
	std::vector<Event> calls = reader.all();
	REQUIRE(markers.size() == 101 && calls.size() == 200);
	// Markers have the lower 48 bits of the clock.
	const uint64_t low = (uint64_t{1} << 48) - 1;
	for (size_t i = 0; i < 100; ++i) {
		CHECK_LT(markers[i].time & low, calls[2 * i].time & low);
		CHECK_LT(calls[2 * i + 1].time & low, markers[i + 1].time & low);
	}
}

TEST("a futex is woken before its sleeper goes on, in the trace as in the world")
{
	ltt::Trace trace(kernel_events::large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "syscalls,sched"));
	int *word = shared<int>();
	pid_t sleeper = spawn([&] { syscall(SYS_futex, word, 0 /* FUTEX_WAIT */, 0, nullptr); });
	WAIT_UNTIL(blocked_in(sleeper) == SYS_futex);
	trace.start();
	syscall(SYS_futex, word, 1 /* FUTEX_WAKE */, 1);
	CHECK_EQ(wait_for(sleeper), 0);
	trace.stop();
	Reader reader;
	reader.read(trace);
	std::vector<std::string> story;
	for (const Event &e : reader.all()) {
		if (e.name == "syscall_entry_futex" && e["op"] == 1) {
			CHECK_EQ(static_cast<uintptr_t>(e["uaddr"]),
				reinterpret_cast<uintptr_t>(word));
			story.push_back("wake");
		} else if (e.name == "sched_waking" && e["tid"] == sleeper && story.size() == 1) {
			story.push_back("waking");
		} else if (e.name == "sched_switch" && e["next_tid"] == sleeper &&
			   story.size() == 2) {
			story.push_back("runs");
		} else if (e.name == "sched_process_exit" && e["tid"] == sleeper) {
			story.push_back("ends");
		}
	}
	const std::vector<std::string> wanted = {"wake", "waking", "runs", "ends"};
	CHECK(story == wanted);
}

TEST("what a call gives back stands at its exit")
{
	static char bytes[8];
	static int ends[2];
	static timespec rest;
	std::vector<Event> calls = calls_of([] {
		syscall(SYS_pipe2, ends, O_CLOEXEC);
		syscall(SYS_write, ends[1], "1234", 4);
		syscall(SYS_read, ends[0], bytes, sizeof(bytes));
		const timespec none = {0, 1};
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &none, &rest);
		syscall(SYS_pipe2, nullptr, 0);
	});
	check_names(calls, {"syscall_entry_pipe2", "syscall_exit_pipe2", "syscall_entry_write",
				   "syscall_exit_write", "syscall_entry_read", "syscall_exit_read",
				   "syscall_entry_clock_nanosleep", "syscall_exit_clock_nanosleep",
				   "syscall_entry_pipe2", "syscall_exit_pipe2"});
	REQUIRE(calls.size() == 10);
	CHECK_EQ(calls[0]["flags"], O_CLOEXEC);
	CHECK_EQ(calls[1]["ret"], 0);
	CHECK_EQ(calls[1]["fildes0"], ends[0]);
	CHECK_EQ(calls[1]["fildes1"], ends[1]);
	CHECK_EQ(calls[4]["fd"], ends[0]);
	CHECK_EQ(calls[4]["count"], 8);
	CHECK_EQ(calls[5]["ret"], 4);
	CHECK_EQ(calls[5]["buf"], reinterpret_cast<intptr_t>(bytes));
	CHECK_EQ(calls[7]["rmtp"], reinterpret_cast<intptr_t>(&rest));
	CHECK_EQ(calls[9]["ret"], -EFAULT);
	CHECK_EQ(calls[9]["fildes0"], 0);
	close(ends[0]);
	close(ends[1]);
}

// SPDX-License-Identifier: MIT
//
// Events of the kernel and of programs in one trace: selected, switched, recorded and shown by
// ltt-ctl, and in the order in which they happened.

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../tool.h"
#include "../users.h"

#include <atomic>
#include <fcntl.h>
#include <linux/futex.h>
#include <map>
#include <sstream>
#include <sys/syscall.h>
#include <thread>

UST_EVENT(guest, waker, UST_BIT(0), (std::int32_t, woken))

namespace
{

using namespace ktap;
using tool::ltt_ctl;
using tool::succeed;

// The lines of view, in their order.
std::vector<std::string> shown(const std::string &directory)
{
	std::vector<std::string> lines;
	std::istringstream text(succeed({"view", directory}).out);
	for (std::string line; std::getline(text, line);)
		lines.push_back(line);
	return lines;
}

// The first line from @from on that has all of these; the number of lines if there is none.
size_t find(
	const std::vector<std::string> &lines, size_t from, const std::vector<std::string> &words)
{
	for (size_t i = from; i < lines.size(); ++i) {
		bool all = true;
		for (const std::string &word : words)
			all = all && lines[i].find(word) != std::string::npos;
		if (all)
			return i;
	}
	return lines.size();
}

void record(const std::string &name, const std::string &directory)
{
	succeed({"stop", name});
	tool::Result r = ltt_ctl({"record", name, "--drain", "-o", directory});
	CHECK(r.exit() == 0 || r.exit() == 5);
	CHECK_EQ(r.err.find("set aside"), std::string::npos);
}

// The command of "ltt-ctl run".
[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[1], "write"))
		return;
	write_events(10);
	_exit(0);
}

std::string tid_text(pid_t tid)
{
	return std::to_string(tid);
}

} // namespace

TEST("a write() lies between the markers around it")
{
	succeed({"create", "both", "--kernel", "syscalls", "--subbuf-size", "256k"});
	succeed({"start", "both"});
	const int fd = open("/dev/null", O_WRONLY);
	UST(guest, count, 1);
	CHECK_EQ(write(fd, "12345", 5), 5);
	UST(guest, count, 2);
	close(fd);
	record("both", "/tmp/kernel-both");
	const std::vector<std::string> lines = shown("/tmp/kernel-both");
	const size_t before = find(lines, 0, {"guest:count", "value = 1 "});
	const size_t enter = find(lines, before, {" syscall_entry_write: ", "count = 5 "});
	const size_t leave = find(lines, enter, {" syscall_exit_write: ", "ret = 5 "});
	const size_t after = find(lines, leave, {"guest:count", "value = 2 "});
	CHECK_LT(before, enter);
	CHECK_LT(enter, leave);
	CHECK_LT(leave, after);
	CHECK_LT(after, lines.size());
	CHECK_EQ(succeed({"check", "/tmp/kernel-both"}).exit(), 0);
	succeed({"destroy", "both"});
}

TEST("who wakes a thread comes before it runs, seen from both sides")
{
	succeed({"create", "wake", "--kernel", "sched", "--subbuf-size", "256k"});
	succeed({"start", "wake"});
	std::atomic<int> word{0};
	std::atomic<pid_t> sleeper{0};
	std::thread thread([&] {
		UST(guest, count, 0); // its buffer is there
		sleeper = ::gettid();
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
		UST(guest, count, 3);
	});
	WAIT_UNTIL(sleeper && state_of(sleeper) == 'S');
	const pid_t woken = sleeper;
	UST(guest, waker, woken);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
	thread.join();
	record("wake", "/tmp/kernel-wake");
	const std::vector<std::string> lines = shown("/tmp/kernel-wake");
	const size_t waker = find(lines, 0, {"guest:waker"});
	const size_t waking =
		find(lines, waker, {" sched_waking: ", "tid = " + tid_text(woken) + ","});
	const size_t runs =
		find(lines, waking, {" sched_switch: ", "next_tid = " + tid_text(woken) + ","});
	const size_t tells = find(lines, runs, {"guest:count", "value = 3 "});
	CHECK_LT(waker, waking);
	CHECK_LT(waking, runs);
	CHECK_LT(runs, tells);
	CHECK_LT(tells, lines.size());
	succeed({"destroy", "wake"});
}

TEST("run --kernel has the life of its command around what that writes")
{
	tool::Result r = ltt_ctl({"run", "--kernel", "sched", "-o", "/tmp/kernel-run", "--",
		tool::own_path(), "write"});
	CHECK_EQ(r.exit(), 0);
	const std::vector<std::string> lines = shown("/tmp/kernel-run");
	const std::string path = tool::own_path();
	const std::string name = path.substr(path.rfind('/') + 1).substr(0, 15);
	const size_t exec = find(lines, 0, {" sched_process_exec: ", path});
	const size_t first = find(lines, exec, {"guest:count", "value = 0 "});
	const size_t last = find(lines, first, {"guest:count", "value = 9 "});
	const size_t exit = find(lines, last, {" sched_process_exit: ", '"' + name + '"'});
	CHECK_LT(exec, first);
	CHECK_LT(first, last);
	CHECK_LT(last, exit);
	CHECK_LT(exit, lines.size());
}

TEST("the selection is shown, can be changed, and refused with the word that is wrong")
{
	succeed({"create", "k", "--kernel", "sched"});
	CHECK(succeed({"status", "k"}).says("kernel    sched"));
	succeed({"kernel", "k", "irq,sched_wak*"});
	CHECK(succeed({"list", "--json"}).says("\"kernel\": \"irq,sched_wak*\""));
	tool::Result r = ltt_ctl({"kernel", "k", "irq,nothing,sched"});
	CHECK_EQ(r.exit(), 2);
	CHECK(r.says("no group or event called 'nothing'"));
	CHECK(succeed({"list", "--json"}).says("\"kernel\": \"irq,sched_wak*\""));
	succeed({"kernel", "k", ""});
	CHECK(succeed({"status", "k"}).says("kernel    none"));
	r = ltt_ctl({"create", "none", "--kernel", "nothing"});
	CHECK_EQ(r.exit(), 2);
	CHECK(!succeed({"list"}).says("none "));
	succeed({"destroy", "k"});
}

TEST("the events of the kernel are listed, without a trace that stays")
{
	tool::Result r = succeed({"events", "--kernel"});
	CHECK(r.says("sched: sched_switch(char[16] prev_comm, "));
	CHECK(r.says("syscalls: syscall_entry_openat("));
	CHECK(succeed({"events", "--kernel", "--json"}).says("\"group\": \"irq\""));
	CHECK(!succeed({"list"}).says("ltt-ctl-events"));
}

// What the analyses of Trace Compass (control flow, resources, system calls, critical path,
// interrupts, input and output) ask of a kernel trace of LTTng, by its LttngEventLayout.
TEST("the events and fields are there that Trace Compass looks for")
{
	static const std::vector<std::vector<std::string>> wanted = {
		{"sched_switch", "prev_comm", "prev_tid", "prev_prio", "prev_state", "next_comm",
			"next_tid", "next_prio"},
		{"sched_waking", "comm", "tid", "prio", "target_cpu"},
		{"sched_wakeup", "comm", "tid", "prio", "target_cpu"},
		{"sched_wakeup_new", "comm", "tid", "prio", "target_cpu"},
		{"sched_migrate_task", "tid", "orig_cpu", "dest_cpu"},
		{"sched_pi_setprio", "tid", "oldprio", "newprio"},
		{"sched_process_fork", "parent_comm", "parent_tid", "child_comm", "child_tid"},
		{"sched_process_exec", "filename", "tid"}, {"sched_process_exit", "comm", "tid"},
		{"sched_process_free", "comm", "tid"}, {"irq_handler_entry", "irq", "name"},
		{"irq_handler_exit", "irq", "ret"}, {"irq_softirq_entry", "vec"},
		{"irq_softirq_exit", "vec"}, {"irq_softirq_raise", "vec"},
		{"syscall_entry_openat", "filename", "flags"}, {"syscall_exit_openat", "ret"},
		{"syscall_entry_read", "fd", "count"}, {"syscall_exit_read", "ret"},
		{"syscall_entry_futex", "uaddr", "op"}, {"syscall_entry_unknown", "id"},
		{"syscall_exit_unknown", "id", "ret"}, {"timer_hrtimer_expire_entry", "hrtimer"},
		{"timer_hrtimer_expire_exit", "hrtimer"},
		{"block_rq_insert", "dev", "sector", "nr_sector", "tid", "rwbs"},
		{"block_rq_issue", "dev", "sector", "nr_sector", "tid", "rwbs"},
		{"block_rq_complete", "dev", "sector", "nr_sector"},
		{"block_bio_frontmerge", "dev", "sector", "nr_sector"},
		{"block_bio_backmerge", "dev", "sector", "nr_sector"},
		{"lttng_statedump_block_device", "dev", "diskname"},
		{"lttng_statedump_process_state", "tid", "pid", "ppid", "name", "status"},
		{"lttng_statedump_file_descriptor", "pid", "fd", "filename"},
		{"net_dev_queue", "skbaddr", "len"}, {"net_if_receive_skb", "skbaddr", "len"},
		{"signal_generate", "sig", "pid"}, {"signal_deliver", "sig"},
		{"x86_exceptions_page_fault_user", "address"}};
	std::istringstream text(succeed({"events", "--kernel"}).out);
	std::map<std::string, std::string> signatures; // by name
	for (std::string line; std::getline(text, line);) {
		const size_t name = line.find(": ") + 2, fields = line.find('(');
		if (fields != std::string::npos)
			signatures[line.substr(name, fields - name)] = line.substr(fields);
	}
	for (const std::vector<std::string> &event : wanted) {
		const std::string &there = signatures[event[0]];
		for (size_t i = 1; i < event.size(); ++i)
			if (there.find(" " + event[i] + ",") == std::string::npos &&
				there.find(" " + event[i] + ")") == std::string::npos)
				fail(__FILE__, __LINE__, "%s has no field %s: %s", event[0].c_str(),
					event[i].c_str(), there.c_str());
	}
}

TEST("without privilege there are none")
{
	users::as_user(users::user_a, [] {
		tool::Result r = ltt_ctl({"create", "mine", "--kernel", "sched"});
		CHECK_EQ(r.exit(), 4);
		CHECK(r.says("needs CAP_PERFMON"));
		CHECK(!ltt_ctl({"list"}).says("mine"));
		CHECK_EQ(ltt_ctl({"events", "--kernel"}).exit(), 4);
	});
}

TEST("a chunk has its part of the kernel's events")
{
	succeed({"create", "chunks", "--kernel", "sched"});
	succeed({"start", "chunks"});
	tool::Command recorder(tool::with_tool({"record", "chunks", "-o", "/tmp/kernel-chunked"}));
	WAIT_UNTIL(access("/tmp/kernel-chunked/kernel/stream_0", F_OK) == 0);
	const std::string chunk = succeed({"rotate", "/tmp/kernel-chunked"}).out;
	const std::string path = chunk.substr(0, chunk.find('\n'));
	CHECK_LT(find(shown(path), 0, {" sched_switch: "}), SIZE_MAX);
	CHECK(access((path + "/kernel/metadata").c_str(), F_OK) == 0);
	succeed({"stop", "chunks"});
	succeed({"destroy", "chunks"});
	CHECK_EQ(recorder.finish().exit(), 0);
	CHECK_EQ(succeed({"check", "/tmp/kernel-chunked"}).exit(), 0);
}

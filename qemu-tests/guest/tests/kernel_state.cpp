// SPDX-License-Identifier: MIT
//
// The state of the system that a trace begins with: who is there, with which files and
// mappings, and who handles which interrupt.

#include "../kernel_events.h"
#include "../streams.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <mutex>
#include <sched.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace
{

using namespace ktap;
using kernel_events::Event;
using kernel_events::large;
using kernel_events::Reader;

const char *const start_name = "lttng_statedump_start";
const char *const end_name = "lttng_statedump_end";
const char *const process_name = "lttng_statedump_process_state";
const char *const file_name = "lttng_statedump_file_descriptor";
const char *const map_name = "lttng_statedump_vm_map";
const char *const object_name = "ltt_statedump_mapped_object";
const char *const disk_name = "lttng_statedump_block_device";
const char *const interrupt_name = "lttng_statedump_interrupt";

// Reads until as many ends were told.
void read_to_end(Reader &reader, ltt::Trace &trace, size_t ends)
{
	WAIT_UNTIL((trace.flush(), reader.read(trace), reader.count(end_name) >= ends));
	CHECK_EQ(reader.lost(), 0);
}

std::vector<Event> state_of_system(ltt::Trace &trace)
{
	Reader reader;
	read_to_end(reader, trace, 1);
	return reader.all();
}

std::vector<Event> state_at_start(const char *select = "statedump")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), select));
	trace.start();
	return state_of_system(trace);
}

template <class Condition>
std::vector<Event> find(const std::vector<Event> &events, const char *name, Condition condition)
{
	std::vector<Event> found;
	for (const Event &e : events)
		if (e.name == name && condition(e))
			found.push_back(e);
	return found;
}

std::vector<Event> of_pid(const std::vector<Event> &events, const char *name, pid_t pid)
{
	return find(events, name, [=](const Event &e) { return e["pid"] == pid; });
}

// The only one of the task.
Event task(const std::vector<Event> &events, pid_t tid)
{
	auto found = find(events, process_name, [=](const Event &e) { return e["tid"] == tid; });
	REQUIRE_EQ(found.size(), 1);
	return found[0];
}

pid_t spawn_sleeper(const char *name)
{
	pid_t child = spawn([=] {
		prctl(PR_SET_NAME, name);
		pause();
	});
	WAIT_UNTIL(state_of(child) == 'S');
	return child;
}

void end(pid_t child)
{
	kill(child, SIGKILL);
	wait_for(child);
}

// As 40 characters; empty if it has none.
std::string build_id(const dl_phdr_info &info)
{
	std::string id;
	for (int i = 0; i < info.dlpi_phnum; ++i) {
		const ElfW(Phdr) &part = info.dlpi_phdr[i];
		const char *at = reinterpret_cast<const char *>(info.dlpi_addr + part.p_vaddr);
		const char *const stop = at + part.p_memsz;
		while (part.p_type == PT_NOTE && at < stop) {
			ElfW(Nhdr) note;
			memcpy(&note, at, sizeof(note));
			const char *const what = at + sizeof(note) + (note.n_namesz + 3) / 4 * 4;
			if (note.n_type == NT_GNU_BUILD_ID)
				for (unsigned int j = 0; j < note.n_descsz; ++j) {
					char digits[3];
					snprintf(digits, sizeof(digits), "%02x",
						static_cast<uint8_t>(what[j]));
					id += digits;
				}
			at = what + (note.n_descsz + 3) / 4 * 4;
		}
	}
	return id;
}

} // namespace

TEST("tasks of each kind, between a start and an end")
{
	const pid_t sleeper = spawn_sleeper("a sleeper");
	const pid_t zombie = spawn([] {});
	WAIT_UNTIL(state_of(zombie) == 'Z');
	const std::vector<Event> events = state_at_start();
	REQUIRE(events.size() > 10);
	CHECK_EQ(events.front().name, start_name);
	CHECK_EQ(events.back().name, end_name);
	CHECK_EQ(find(events, start_name, [](const Event &) { return true; }).size(), 1);
	CHECK_EQ(find(events, end_name, [](const Event &) { return true; }).size(), 1);

	Event e = task(events, sleeper);
	CHECK_EQ(e["pid"], sleeper);
	CHECK_EQ(e["ppid"], getpid());
	CHECK_EQ(e["vtid"], sleeper);
	CHECK_EQ(e["vpid"], sleeper);
	CHECK_EQ(e["vppid"], getpid());
	CHECK_EQ(e.string("name"), "a sleeper");
	CHECK_EQ(e["type"], 0);
	CHECK_EQ(e["mode"], 5);
	CHECK_EQ(e["submode"], 0);
	CHECK_EQ(e["status"], 5);
	CHECK_EQ(e["ns_level"], 0);
	struct stat ns;
	REQUIRE_OK(stat("/proc/self/ns/pid", &ns));
	CHECK_EQ(e["ns_inum"], static_cast<int64_t>(ns.st_ino));
	CHECK_LT(e["cpu"], 2);
	CHECK_EQ(task(events, zombie)["status"], 4);
	CHECK_EQ(task(events, 2).string("name"), "kthreadd");
	CHECK_EQ(task(events, 2)["type"], 1);
	CHECK_EQ(task(events, 1)["ppid"], 0);
	end(sleeper);
	CHECK_EQ(wait_for(zombie), 0);
}

TEST("each thread is told, with its process")
{
	std::vector<pid_t> tids;
	std::mutex mutex;
	std::atomic<bool> go_on{true};
	std::vector<std::thread> threads;
	for (int i = 0; i < 20; ++i)
		threads.emplace_back([&] {
			{
				std::lock_guard<std::mutex> lock(mutex);
				tids.push_back(ktap::gettid());
			}
			while (go_on)
				usleep(1000);
		});
	WAIT_UNTIL((std::lock_guard<std::mutex>(mutex), tids.size() == 20));
	const std::vector<Event> events = state_at_start();
	go_on = false;
	for (std::thread &thread : threads)
		thread.join();
	for (pid_t tid : tids)
		CHECK_EQ(task(events, tid)["pid"], getpid());
	CHECK_EQ(of_pid(events, process_name, getpid()).size(), 21);
}

TEST("ids as a namespace counts them")
{
	int ends[2];
	REQUIRE_OK(pipe(ends));
	const pid_t outer = spawn([&] {
		REQUIRE_OK(unshare(CLONE_NEWPID));
		const pid_t inner = fork();
		if (!inner) {
			pause();
			_exit(0);
		}
		REQUIRE_EQ(write(ends[1], &inner, sizeof(inner)), static_cast<long>(sizeof(inner)));
		wait_for(inner);
	});
	pid_t inner;
	REQUIRE_EQ(read(ends[0], &inner, sizeof(inner)), static_cast<long>(sizeof(inner)));
	const Event e = task(state_at_start(), inner);
	CHECK_EQ(e["tid"], inner);
	CHECK_EQ(e["ppid"], outer);
	CHECK_EQ(e["vtid"], 1);
	CHECK_EQ(e["vpid"], 1);
	CHECK_EQ(e["vppid"], 0);
	CHECK_EQ(e["ns_level"], 1);
	kill(inner, SIGKILL);
	wait_for(outer);
}

TEST("every descriptor and every mapping once, however many")
{
	std::vector<int> fds;
	for (int i = 0; i < 200; ++i) {
		const std::string path = "/tmp/state" + std::to_string(i);
		fds.push_back(open(path.c_str(), O_RDWR | O_CREAT | (i % 2 ? O_CLOEXEC : 0), 0600));
		REQUIRE(fds.back() >= 0);
	}
	// Every second page, so that none is merged with the next.
	char *pages = static_cast<char *>(
		mmap(nullptr, 400 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(pages != MAP_FAILED);
	for (int i = 0; i < 400; i += 2)
		REQUIRE_OK(mprotect(pages + i * 4096, 4096, PROT_READ | PROT_WRITE));
	const std::vector<Event> events = state_at_start();
	for (size_t i = 0; i < fds.size(); ++i) {
		auto found = find(of_pid(events, file_name, getpid()), file_name,
			[&](const Event &e) { return e["fd"] == fds[i]; });
		REQUIRE_EQ(found.size(), 1);
		CHECK_EQ(found[0].string("filename"), "/tmp/state" + std::to_string(i));
		CHECK_EQ((found[0]["flags"] & O_CLOEXEC) != 0, i % 2 == 1);
		CHECK_EQ(found[0]["flags"] & O_ACCMODE, O_RDWR);
		CHECK_EQ(found[0]["fmode"] & 3, 3);
		close(fds[i]);
	}
	std::ifstream maps("/proc/self/maps");
	auto told = of_pid(events, map_name, getpid());
	size_t n = 0;
	for (std::string line; std::getline(maps, line);) {
		uint64_t start, last, offset, inode;
		char flags[5];
		REQUIRE_EQ(sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu", &start, &last, flags,
				   &offset, &inode),
			5);
		auto found = find(told, map_name, [&](const Event &e) {
			return e["start"] == static_cast<int64_t>(start) &&
			       e["end"] == static_cast<int64_t>(last);
		});
		// The heap may have grown since, and the gate area is nobody's.
		if (line.find("[heap]") != std::string::npos ||
			line.find("[vsyscall]") != std::string::npos)
			continue;
		// What this test allocates meanwhile is told by nobody.
		CHECK_LE(found.size(), 1);
		if (found.empty())
			continue;
		++n;
		CHECK_EQ(found[0]["flags"] & 1, flags[0] == 'r');
		CHECK_EQ(found[0]["flags"] >> 2 & 1, flags[2] == 'x');
		if (inode) {
			CHECK_EQ(found[0]["inode"], static_cast<int64_t>(inode));
			CHECK_EQ(found[0]["pgoff"], static_cast<int64_t>(offset));
		}
	}
	CHECK_GE(n, 400);
	munmap(pages, 400 * 4096);
}

TEST("what each process executes, by its build id")
{
	const auto objects = of_pid(state_at_start(), object_name, getpid());
	std::ifstream maps("/proc/self/maps");
	size_t n = 0;
	for (std::string line; std::getline(maps, line);) {
		uint64_t start, last, offset, inode;
		int path = 0;
		REQUIRE_EQ(sscanf(line.c_str(), "%lx-%lx %*2sx%*s %lx %*s %lu %n", &start, &last,
				   &offset, &inode, &path) >= 0,
			true);
		if (!path || !inode)
			continue;
		auto found = find(objects, object_name,
			[&](const Event &e) { return e["start"] == static_cast<int64_t>(start); });
		REQUIRE_EQ(found.size(), 1);
		CHECK_EQ(found[0]["end"], static_cast<int64_t>(last));
		CHECK_EQ(found[0]["pgoff"], static_cast<int64_t>(offset));
		CHECK_EQ(found[0].string("filename"), line.substr(static_cast<size_t>(path)));
		++n;
	}
	CHECK_EQ(objects.size(), n);
	// This program's own is in its memory, too.
	std::string own;
	dl_iterate_phdr(
		[](dl_phdr_info *info, size_t, void *data) {
			*static_cast<std::string *>(data) = build_id(*info);
			return 1; // the first one is the program
		},
		&own);
	CHECK_EQ(own.size(), 40);
	const std::string path = std::filesystem::read_symlink("/proc/self/exe");
	CHECK_EQ(find(objects, object_name,
			 [&](const Event &e) {
				 return e.string("build_id") == own && e.string("filename") == path;
			 })
			 .size(),
		1);
}

TEST("each disk, by its number and name")
{
	const std::vector<Event> events = state_at_start();
	size_t n = 0;
	for (const auto &entry : std::filesystem::directory_iterator("/sys/class/block")) {
		unsigned int high, low;
		REQUIRE_EQ(
			sscanf(read_file(entry.path() / "dev").c_str(), "%u:%u", &high, &low), 2);
		CHECK_EQ(find(events, disk_name,
				 [&](const Event &e) {
					 return e["dev"] == (int64_t{high} << 20 | low) &&
						e.string("diskname") == entry.path().filename();
				 })
				 .size(),
			1);
		++n;
	}
	CHECK_GT(n, 0);
}

TEST("each interrupt that somebody handles")
{
	const std::vector<Event> events = state_at_start();
	std::ifstream lines("/proc/interrupts");
	size_t n = 0;
	for (std::string line; std::getline(lines, line);) {
		int irq, at = 0;
		if (sscanf(line.c_str(), " %d:%n", &irq, &at) != 1 || !at)
			continue;
		auto found = find(
			events, interrupt_name, [=](const Event &e) { return e["irq"] == irq; });
		CHECK_GE(found.size(), 1);
		for (const Event &e : found) {
			CHECK(!e.string("name").empty());
			CHECK(line.find(e.string("name")) != std::string::npos);
			CHECK(line.find(e.string("action")) != std::string::npos);
		}
		++n;
	}
	CHECK_GT(n, 2);
}

TEST("told again at each start, when it is selected later, and to nobody who did not")
{
	ltt::Trace trace(large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "signal"));
	trace.start();
	usleep(100000);
	CHECK_EQ(trace.read_packets().size(), 0);
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "lttng_statedump_*"));
	Reader reader;
	read_to_end(reader, trace, 1);
	const size_t tasks = reader.count(process_name);
	CHECK_GT(tasks, 5);
	// What is selected anew is not told anew.
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "statedump"));
	usleep(200000);
	trace.stop();
	reader.read(trace);
	CHECK_EQ(reader.count(start_name), 1);
	trace.start();
	read_to_end(reader, trace, 2);
	CHECK_EQ(reader.count(start_name), 2);
	CHECK_GE(reader.count(process_name), 2 * tasks - 2);
}

TEST("a trace that is limited to a process has its state and no other's")
{
	const pid_t sleeper = spawn_sleeper("the one");
	ltt::Trace trace = ltt::trace_of(sleeper, large());
	REQUIRE_OK(kernel_events::select(trace.descriptor(), "statedump"));
	trace.start();
	const std::vector<Event> events = state_of_system(trace);
	CHECK_EQ(find(events, process_name, [](const Event &) { return true; }).size(), 1);
	CHECK_EQ(task(events, sleeper).string("name"), "the one");
	CHECK_GE(of_pid(events, map_name, sleeper).size(), 5);
	CHECK_EQ(of_pid(events, map_name, getpid()).size(), 0);
	CHECK_EQ(of_pid(events, file_name, getpid()).size(), 0);
	end(sleeper);
}

TEST("a trace is stopped, started and destroyed while it is told", seconds(120))
{
	// Something to tell: it goes on for a while.
	std::vector<pid_t> sleepers;
	for (int i = 0; i < 30; ++i)
		sleepers.push_back(spawn_sleeper("sleeper"));
	for (int round = 0; round < 60; ++round) {
		ltt::Trace other(ltt::params("other"));
		ltt::Trace trace(large());
		REQUIRE_OK(kernel_events::select(other.descriptor(), "signal"));
		REQUIRE_OK(kernel_events::select(trace.descriptor(), "statedump"));
		trace.start();
		other.start();
		usleep(static_cast<useconds_t>(round * 50));
		if (round % 3 == 0) {
			trace.stop();
			trace.start();
		}
		trace.destroy();
		Reader reader, nothing;
		reader.read(trace);
		CHECK_LE(reader.count(end_name), reader.count(start_name));
		CHECK_LE(reader.count(start_name), 2);
		// The slot of the one that is gone is nobody else's.
		other.stop();
		nothing.read(other);
		CHECK_EQ(nothing.count(start_name) + nothing.count(process_name), 0);
	}
	for (pid_t sleeper : sleepers)
		end(sleeper);
}

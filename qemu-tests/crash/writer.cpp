// SPDX-License-Identifier: MIT
//
// PID 1 of a machine whose memory is looked at while it runs, or when it has panicked. It
// writes without end into the trace of the kernel's command line, and keeps beside that what
// it wrote, in a page that the host finds in the memory.
//
// Environment, from the command line: THREADS=N, of which 64 are watched; STORM=1 also makes
// threads, processes and traces come and go; PANIC=N panics once each thread has written N events;
// PACE=N: a thread sleeps N microseconds after each.

#include <ust/ust.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

UST_EVENT(crash, step, UST_BIT(0), (std::uint32_t, thread)(std::uint64_t, n))
UST_EVENT(crash, last_words, UST_BIT(0), (std::string_view, what))
UST_EVENT(crash, passing, UST_BIT(1), (std::uint32_t, n))

namespace
{

constexpr unsigned most_threads = 64; // that are watched
constexpr unsigned enough = 5000;     // events of each, so that its buffer has gone round

struct alignas(4096) Progress {
	char magic[16];
	std::uint64_t address; // of itself, so that no copy is taken for it
	std::uint64_t threads;
	std::atomic<std::uint64_t> done[most_threads]; // events written
};
// Shared with the children, which would have older copies of it.
Progress &progress = *static_cast<Progress *>(
	mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

unsigned option(const char *name)
{
	const char *text = getenv(name);
	return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 0;
}

void write_on(std::uint32_t thread, unsigned pace)
{
	for (std::uint64_t n = 1;; ++n) {
		UST(crash, step, thread, n);
		if (thread < most_threads)
			progress.done[thread].store(n, std::memory_order_release);
		if (pace)
			usleep(pace);
	}
}

void pass_by(std::uint32_t n)
{
	for (std::uint32_t i = 0; i < n; ++i)
		UST(crash, passing, i);
}

void come_and_go()
{
	for (std::uint32_t round = 0;; ++round) {
		std::thread(pass_by, round % 200).join();
		const pid_t child = fork();
		if (!child) {
			pass_by(round % 300);
			_exit(0);
		}
		waitpid(child, nullptr, 0);
	}
}

// Traces of all geometries, which are started, filled by everybody, and destroyed.
void switch_traces()
{
	const int device = open("/dev/ltt", O_RDWR | O_CLOEXEC);
	for (unsigned round = 0;; ++round) {
		ltt_trace_params p = {};
		p.size = sizeof p;
		p.flags = LTT_TRACE_SYSTEM;
		p.filter = 1u << round % 3;
		p.mode = round % 2 ? LTT_MODE_OVERWRITE : LTT_MODE_DISCARD;
		p.subbuf_size = 4096u << round % 2;
		p.n_subbufs = 2u << round % 3;
		std::strcpy(p.name, "storm");
		const int trace = ioctl(device, LTT_IOC_CREATE, &p);
		if (trace < 0)
			continue;
		ioctl(trace, LTT_IOC_START);
		usleep(round % 7 * 300);
		ioctl(trace, LTT_IOC_DESTROY);
		close(trace);
	}
}

} // namespace

int main()
{
	mkdir("/dev", 0755);
	mkdir("/proc", 0755);
	if (sethostname("guest", 5) != 0)
		std::puts("crash: no name");
	mount("none", "/dev", "devtmpfs", 0, nullptr);
	mount("none", "/proc", "proc", 0, nullptr);
	const unsigned threads = option("THREADS"), limit = option("PANIC");
	progress.address = reinterpret_cast<std::uintptr_t>(&progress);
	const unsigned watched = std::min(threads, most_threads);
	progress.threads = watched;
	std::memcpy(progress.magic, "crash: progress", sizeof progress.magic);

	std::vector<std::thread> all;
	for (std::uint32_t i = 0; i < threads; ++i)
		all.emplace_back(write_on, i, option("PACE"));
	if (option("STORM")) {
		all.emplace_back(come_and_go);
		all.emplace_back(switch_traces);
	}
	for (unsigned i = 0; i < watched; ++i)
		while (progress.done[i].load(std::memory_order_acquire) < (limit ? limit : enough))
			usleep(1000);
	std::puts("crash: all have written");
	std::fflush(stdout);
	if (limit) {
		UST(crash, last_words, "next the kernel dies");
		const int trigger = open("/proc/sysrq-trigger", O_WRONLY);
		if (trigger < 0 || write(trigger, "c", 1) != 1)
			std::puts("crash: cannot panic");
	}
	for (;;)
		pause();
}

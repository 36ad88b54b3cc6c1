// SPDX-License-Identifier: MIT
//
// The demo's PID 1: the kernel's first program (rdinit=/demo), traced by
// ltt.boot= from its first instruction. What it prints goes to the console,
// and from there to the terminal of whoever runs the demo.

#include "demo_events.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

[[noreturn]] void end(const char *line)
{
	// The host looks for this line: without "demo: done" the demo failed.
	printf("%s\n", line);
	fflush(stdout);
	sync();
	reboot(RB_AUTOBOOT);
	abort();
}

[[noreturn]] void fail(const char *what)
{
	printf("demo: %s: %s\n", what, strerror(errno));
	end("demo: failed");
}

void heading(const char *text)
{
	printf("\n== %s\n", text);
}

double seconds_since_boot()
{
	timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work>
pid_t start_worker(const char *role, Work work)
{
	fflush(stdout);
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		work();
		_exit(0);
	}
	UST(demo, forked, child, role);
	return child;
}

void wait_for(pid_t child, const char *role)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		fail("waitpid");
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	UST(demo, ended, child, role, signal);
	printf("   worker %d (%s) ended by signal %d, %s\n", child, role, signal,
		signal ? strsignal(signal) : "none");
}

void crash_a_worker()
{
	wait_for(start_worker("crashes",
			 [] {
				 for (int number = 1; number <= 10; ++number)
					 UST(demo, step, number, std::sqrt(number));
				 UST(demo, about_to_crash, "next I write to address 0");
				 volatile int *volatile nowhere = nullptr;
				 *nowhere = 1;
			 }),
		"crashes");
}

// Kills a worker while it loops: the loop never ends by itself.
void kill_a_worker()
{
	auto *rounds = static_cast<volatile unsigned *>(mmap(nullptr, sizeof(unsigned),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	if (rounds == MAP_FAILED)
		fail("mmap");
	pid_t child = start_worker("is killed", [rounds] {
		for (;;) {
			UST(demo, loop, *rounds);
			*rounds = *rounds + 1;
			usleep(100);
		}
	});
	while (*rounds < 25)
		usleep(100);
	kill(child, SIGKILL);
	wait_for(child, "is killed");
	printf("   it had begun round %u\n", *rounds);
}

void mount_one(const char *source, const char *where, const char *type, const char *options = "")
{
	UST(demo, mounting, source, where);
	mkdir(where, 0755);
	if (mount(source, where, type, 0, options) < 0 && errno != EBUSY)
		fail(where);
	printf("   %s\n", where);
}

// Runs a command, shows it like a shell's prompt; ends the demo if it fails.
void run(const std::string &line)
{
	UST(demo, running, line.c_str());
	printf("   # %s\n", line.c_str());
	std::vector<std::string> words;
	for (size_t at = 0; at < line.size();) {
		size_t blank = std::min(line.find(' ', at), line.size());
		words.push_back(line.substr(at, blank - at));
		at = blank + 1;
	}
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		std::vector<char *> argv;
		for (std::string &word : words)
			argv.push_back(word.data());
		argv.push_back(nullptr);
		execvp(argv[0], argv.data());
		perror(argv[0]);
		_exit(127);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child)
		fail(words[0].c_str());
	if (status != 0) {
		printf("demo: '%s' ended with status 0x%x\n", line.c_str(), status);
		end("demo: failed");
	}
}

} // namespace

int main()
{
	UST(demo, main_begins, getpid());

	setvbuf(stdout, nullptr, _IOLBF, 0);
	if (sethostname("guest", 5) < 0)
		fail("sethostname");
	utsname name;
	uname(&name);
	printf("   Linux %s, after %.2f s: main() of PID %d runs, nothing is mounted\n",
		name.release, seconds_since_boot(), getpid());

	heading("PID 1 forks a worker that crashes and one that it kills");
	crash_a_worker();
	kill_a_worker();

	heading("PID 1 mounts its file systems");
	mount_one("proc", "/proc", "proc");
	mount_one("sys", "/sys", "sysfs");
	mount_one("dev", "/dev", "devtmpfs");
	mount_one("share", "/share", "9p", "trans=virtio,version=9p2000.L,cache=none");

	heading("ltt-ctl lists the boot trace and records it to a directory of the host");
	setenv("PATH", "/bin", 1);
	run("ltt-ctl list");
	run("ltt-ctl stop boot");
	run("ltt-ctl record boot --drain -o /share/boot");
	run("ltt-ctl destroy boot");

	heading("A second trace, of the whole system, while a program runs");
	run("ltt-ctl create second --system --filter 0x4");
	run("ltt-ctl start second");
	run("program");
	run("ltt-ctl stop second");
	run("ltt-ctl list");
	run("ltt-ctl record second --drain -o /share/second");
	run("ltt-ctl destroy second");
	end("demo: done");
}

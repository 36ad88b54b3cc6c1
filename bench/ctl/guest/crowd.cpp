// SPDX-License-Identifier: MIT
//
// A crowd of programs with threads, of which each has written an event and sleeps, and how
// long commands take meanwhile. It does what it reads, line by line:
//
//	wake			each thread wakes up, writes an event and sleeps again
//	time COMMAND ARGUMENT...	runs a command
//	once			runs a program that writes one event and ends
//
// and answers with the nanoseconds that a program took, 0 for none; also when there is a
// crowd. At the end of its input all of them end.
//
//	crowd PROGRAMS THREADS

#include "emit.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

// Mapped by all of them.
struct Shared {
	std::atomic<std::uint32_t> round;    // what they sleep on
	std::atomic<std::uint32_t> sleeping; // that wrote the event of this round
	std::atomic<bool> over;
};

constexpr char self[] = "/proc/self/exe";

[[noreturn]] void fail(const char *what)
{
	std::perror(what);
	std::exit(1);
}

Shared *map(int fd)
{
	void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	return static_cast<Shared *>(memory);
}

void *live(void *data)
{
	Shared &shared = *static_cast<Shared *>(data);
	while (!shared.over) {
		const std::uint32_t round = shared.round;
		bench::emit(static_cast<std::int32_t>(round));
		++shared.sleeping;
		while (shared.round == round)
			syscall(SYS_futex, &shared.round, FUTEX_WAIT, round, nullptr);
	}
	return nullptr;
}

int member(int fd, unsigned threads)
{
	Shared *shared = map(fd);
	std::vector<pthread_t> others(threads - 1);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (pthread_t &thread : others)
		if (pthread_create(&thread, &attributes, live, shared) != 0)
			fail("pthread_create");
	live(shared);
	for (pthread_t thread : others)
		pthread_join(thread, nullptr);
	return 0;
}

pid_t spawn(const char *path, std::vector<std::string> words)
{
	std::vector<char *> arguments;
	for (std::string &word : words)
		arguments.push_back(word.data());
	arguments.push_back(nullptr);
	// The standard output is for answers.
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	pid_t pid;
	if ((errno = posix_spawnp(&pid, path, &files, nullptr, arguments.data(), environ)) != 0)
		fail(path);
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

void wait_for(pid_t pid, const char *what)
{
	int status;
	if (waitpid(pid, &status, 0) != pid || status != 0) {
		std::fprintf(stderr, "%s ended with %#x\n", what, static_cast<unsigned>(status));
		std::exit(1);
	}
}

// What it takes to begin and end a program, in nanoseconds.
std::uint64_t time_program(const std::string &path, const std::vector<std::string> &words)
{
	auto now = [] {
		timespec time;
		clock_gettime(CLOCK_MONOTONIC, &time);
		return static_cast<std::uint64_t>(time.tv_sec) * 1000000000 +
		       static_cast<std::uint64_t>(time.tv_nsec);
	};
	const std::uint64_t begin = now();
	wait_for(spawn(path.c_str(), words), words[0].c_str());
	return now() - begin;
}

class Crowd
{
public:
	Crowd(unsigned programs, unsigned threads) : all_(programs * threads)
	{
		const int fd = memfd_create("crowd", 0);
		if (fd < 0 || ftruncate(fd, sizeof(Shared)) < 0)
			fail("memfd");
		shared_ = map(fd);
		for (unsigned n = 0; n < programs; ++n)
			pids_.push_back(spawn(
				self, {"member", std::to_string(fd), std::to_string(threads)}));
		wait_for_sleep();
	}
	~Crowd()
	{
		shared_->over = true;
		begin_round();
		for (pid_t pid : pids_)
			wait_for(pid, "a member");
	}
	Crowd(const Crowd &) = delete;

	void wake()
	{
		shared_->sleeping = 0;
		begin_round();
		wait_for_sleep();
	}

private:
	void begin_round()
	{
		++shared_->round;
		syscall(SYS_futex, &shared_->round, FUTEX_WAKE, INT_MAX);
	}
	// The last ones are on their way into the kernel.
	void wait_for_sleep()
	{
		while (shared_->sleeping != all_)
			usleep(1000);
		usleep(20000);
	}

	unsigned all_;
	Shared *shared_;
	std::vector<pid_t> pids_;
};

std::uint64_t obey(Crowd &crowd, const std::string &line)
{
	std::istringstream in(line);
	std::string verb;
	std::vector<std::string> words;
	in >> verb;
	for (std::string word; in >> word;)
		words.push_back(word);
	if (verb == "time" && !words.empty())
		return time_program(words[0], words);
	if (verb == "once")
		return time_program(self, {"once"});
	crowd.wake();
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	if (std::strcmp(argv[0], "once") == 0) {
		bench::emit(0);
		return 0;
	}
	if (argc != 3)
		return 2;
	const auto second = static_cast<unsigned>(std::atoi(argv[2]));
	if (std::strcmp(argv[0], "member") == 0)
		return member(std::atoi(argv[1]), second);

	Crowd crowd(static_cast<unsigned>(std::atoi(argv[1])), second);
	std::cout << 0 << std::endl;
	for (std::string line; std::getline(std::cin, line);)
		std::cout << obey(crowd, line) << std::endl;
	return 0;
}

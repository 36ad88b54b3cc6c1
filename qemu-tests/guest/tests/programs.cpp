// SPDX-License-Identifier: MIT
//
// A recorder beside short-lived programs, up to a thousand a second: all of each is in the
// trace, and the number of files follows those that are alive, not those that were.
//
// qemu: tool=ltt-ctl memory=1G

#include "../process.h"
#include "../streams.h"

#include <ust/ust.h>

#include <atomic>
#include <filesystem>
#include <spawn.h>

UST_EVENT(programs, step, UST_BIT(0), (std::uint64_t, program)(std::uint32_t, number))

namespace
{

using ktap::spawn;
using ktap::wait_for;

constexpr uint64_t spawners = 4; // and so many programs are alive at a time
constexpr uint64_t each_second = 1000;
constexpr uint32_t events_of_each = 3;
constexpr char directory[] = "/tmp/programs", summary[] = "/tmp/programs.summary";

// This program, told by its name to be another one. Before main(), so that the harness does
// not take the argument for its own.
[[gnu::constructor]] void program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[0], "short-program") != 0)
		return;
	for (uint32_t n = 0; n < events_of_each; ++n)
		UST(programs, step, strtoul(argv[1], nullptr, 10), n);
	_exit(0);
}

void run_program(uint64_t number)
{
	char name[] = "short-program", text[32];
	snprintf(text, sizeof(text), "%lu", number);
	char *arguments[] = {name, text, nullptr};
	pid_t pid = -1;
	REQUIRE_EQ(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ), 0);
	int status; // wait_for() would sleep between its looks
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	REQUIRE_EQ(status, 0);
}

// One after the other until the time is over; never more than its part of each_second.
void run_programs(double begin, double end, std::atomic<uint64_t> &count)
{
	const double pause = double(spawners) / each_second;
	for (double due = begin; ktap::now() < end; due += pause) {
		if (double early = due - ktap::now(); early > 0)
			usleep(static_cast<useconds_t>(early * 1e6));
		run_program(count++);
	}
}

pid_t begin_recorder(const char *trace)
{
	pid_t pid = spawn([=] {
		int fd = open(summary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		REQUIRE(fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
		execl("/bin/ltt-ctl", "ltt-ctl", "record", trace, "-o", directory, nullptr);
		_exit(127);
	});
	WAIT_UNTIL(access(directory, F_OK) == 0);
	return pid;
}

uint64_t files_in(const std::string &path)
{
	uint64_t n = 0;
	for (const auto &entry : std::filesystem::recursive_directory_iterator(path))
		n += entry.is_regular_file();
	return n;
}

} // namespace

TEST("short programs, up to a thousand a second, are recorded with no loss in a few files",
	seconds(90, 300))
{
	const double duration = ktap::in_full(60, 5);
	ltt::Trace trace(ltt::params("programs"));
	trace.start();
	const pid_t recorder = begin_recorder("programs");
	auto &count = *ktap::shared<std::atomic<uint64_t>>();
	const double begin = ktap::now();
	std::vector<pid_t> pids;
	for (uint64_t n = 0; n < spawners; ++n)
		pids.push_back(spawn([&] { run_programs(begin, begin + duration, count); }));
	for (pid_t pid : pids) {
		int status = -1;
		WAIT_UNTIL_FOR(2 * duration, waitpid(pid, &status, WNOHANG) == pid);
		CHECK_EQ(status, 0);
	}
	const double taken = ktap::now() - begin;
	trace.destroy();
	CHECK_EQ(wait_for(recorder), 0); // 5 if anything were lost

	const uint64_t n = count, files = files_in(directory);
	printf("%lu programs in %.1f s, %.0f a second, in %lu files\n", n, taken,
		static_cast<double>(n) / taken, files);
	const std::string n_text = std::to_string(n);
	CHECK_EQ(ktap::read_file(summary).rfind(std::to_string(n * events_of_each) + " events, " +
							n_text + " processes, " + n_text +
							" threads, 0 lost, ",
			 0),
		0);
	CHECK_GE(n, duration); // on the slowest machine
	// The metadata; and what is read a little later may need one more for each.
	CHECK_LE(files, 1 + 2 * spawners);
}

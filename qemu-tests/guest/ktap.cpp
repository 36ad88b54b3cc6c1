// SPDX-License-Identifier: MIT
//
// Runs the tests of a program one by one and prints KTAP.

#include "ktap.h"
#include "leak.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "process.h"

namespace
{

struct Outcome {
	bool ok = false;
	bool skipped = false;
	std::string why;    // lines
	std::string output; // what the test printed
};

// Before each line: these are subtests of the guest's init.
const char *indent()
{
	const char *text = getenv("KTAP_INDENT");
	return text ? text : "";
}

// For the host, which looks into the kernel's log between these two lines.
void mark(const char *what, const char *name)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	std::string line = std::string("<5>ktap: ") + what + ": " + name;
	if (write(fd, line.data(), line.size()) < 0)
		perror("/dev/kmsg");
	close(fd);
}

// Reads what is there; false at the end.
bool take(int fd, std::string &into)
{
	char chunk[4096];
	ssize_t n = read(fd, chunk, sizeof(chunk));
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	// A test that prints without end must not fill the memory.
	if (into.size() < 64 * 1024)
		into.append(chunk, static_cast<size_t>(n));
	return n > 0;
}

[[noreturn]] void be_the_test(const ktap::Test &test, int failures, int output)
{
	setsid();
	ktap::failure_fd() = failures;
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	test.function();
	ktap::end_test(0);
}

// Kills what the test left, however deep: orphans come to this process.
void clear_processes(Outcome &outcome)
{
	double limit = ktap::now() + 10 * ktap::patience();
	for (;;) {
		std::vector<pid_t> left = ktap::children_of(getpid());
		for (pid_t pid : left)
			kill(pid, SIGKILL);
		while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0)
			;
		if (left.empty())
			return;
		if (ktap::now() > limit) {
			outcome.ok = false;
			for (pid_t pid : left)
				outcome.why += "cannot be killed:\n" + ktap::describe(pid);
			return;
		}
		usleep(1000);
	}
}

// Waits for the test's process; collects what it and its children report.
int supervise(pid_t child, int failures, int output, unsigned seconds, Outcome &outcome)
{
	double limit = ktap::now() + seconds * ktap::patience();
	int status = 0;
	for (;;) {
		pollfd fds[] = {{failures, POLLIN, 0}, {output, POLLIN, 0}};
		poll(fds, 2, 20);
		if (fds[0].revents)
			take(failures, outcome.why);
		if (fds[1].revents)
			take(output, outcome.output);
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		if (ktap::now() > limit)
			break;
	}
	outcome.why += "not ended after " +
		       std::to_string(static_cast<int>(seconds * ktap::patience())) +
		       " s; what its processes do:\n";
	for (pid_t pid : ktap::descendants_of(getpid()))
		outcome.why += ktap::describe(pid);
	kill(child, SIGKILL);
	if (!ktap::wait_until([&] { return waitpid(child, &status, WNOHANG) == child; }))
		outcome.why += "its process cannot be killed\n";
	return status;
}

void judge(const ktap::Test &test, int status, Outcome &outcome)
{
	if (WIFSIGNALED(status)) {
		outcome.why += std::string("killed by ") + strsignal(WTERMSIG(status)) + "\n";
	} else if (WEXITSTATUS(status) == ktap::exit_skipped) {
		outcome.skipped = test.may_skip;
	} else if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != ktap::exit_failed) {
		outcome.why += "exit status " + std::to_string(WEXITSTATUS(status)) + "\n";
	}
	outcome.ok = status == 0 && outcome.why.empty();
}

Outcome run(const ktap::Test &test)
{
	Outcome outcome;
	int failures[2], output[2];
	if (pipe2(failures, O_NONBLOCK | O_CLOEXEC) < 0 || pipe2(output, O_CLOEXEC) < 0) {
		outcome.why = std::string("pipe: ") + strerror(errno) + "\n";
		return outcome;
	}
	// Programs that the test starts report through the same descriptor.
	fcntl(failures[1], F_SETFD, 0);
	fcntl(failures[1], F_SETFL, 0);
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	ktap::Resources before = ktap::resources();
	pid_t child = fork();
	if (child == 0)
		be_the_test(test, failures[1], output[1]);
	close(failures[1]);
	close(output[1]);
	if (child < 0) {
		outcome.why = std::string("fork: ") + strerror(errno) + "\n";
	} else {
		int status = supervise(child, failures[0], output[0], test.seconds, outcome);
		clear_processes(outcome);
		while (outcome.why.size() < 64 * 1024 && take(failures[0], outcome.why) &&
			errno != EAGAIN)
			;
		while (outcome.output.size() < 64 * 1024 && take(output[0], outcome.output) &&
			errno != EAGAIN)
			;
		judge(test, status, outcome);
		// Before the verdict: what the kernel still holds for the dead.
		before.kernel_kib += test.spare_kib;
		before.used_kib += test.spare_kib;
		std::string leak = ktap::leaked_since(before);
		if (!leak.empty()) {
			ktap::destroy_left_traces();
			outcome.ok = outcome.skipped = false;
			outcome.why += leak;
		}
	}
	close(failures[0]);
	close(output[0]);
	return outcome;
}

void print_lines(const char *prefix, const std::string &text)
{
	for (size_t at = 0; at < text.size();) {
		size_t end = std::min(text.find('\n', at), text.size());
		printf("%s# %s%.*s\n", indent(), prefix, static_cast<int>(end - at),
			text.data() + at);
		at = end + 1;
	}
}

void report(size_t number, const ktap::Test &test, const Outcome &outcome)
{
	if (!outcome.ok)
		print_lines("", outcome.why);
	print_lines("printed: ", outcome.output);
	if (outcome.skipped)
		printf("%sok %zu %s # SKIP\n", indent(), number, test.name);
	else
		printf("%s%s %zu %s\n", indent(), outcome.ok ? "ok" : "not ok", number, test.name);
	fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	const std::vector<ktap::Test> &all = ktap::tests();
	std::vector<ktap::Test> chosen;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (const ktap::Test &test : all)
			printf("%u\t%s\n", test.seconds, test.name);
		return 0;
	}
	for (int i = 1; i < argc; ++i) {
		size_t number = strtoul(argv[i], nullptr, 10);
		if (number < 1 || number > all.size()) {
			fprintf(stderr, "%s: no test %s; --list shows %zu\n", argv[0], argv[i],
				all.size());
			return 2;
		}
		chosen.push_back(all[number - 1]);
	}
	if (chosen.empty())
		chosen = all;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	printf("%sKTAP version 1\n%s1..%zu\n", indent(), indent(), chosen.size());
	fflush(stdout);

	bool ok = true;
	for (size_t i = 0; i < chosen.size(); ++i) {
		mark("begin", chosen[i].name);
		Outcome outcome = run(chosen[i]);
		mark("end", chosen[i].name);
		report(i + 1, chosen[i], outcome);
		ok = ok && (outcome.ok || outcome.skipped);
	}
	return ok ? 0 : 1;
}

// SPDX-License-Identifier: MIT
//
// ltt-ctl itself, as people use it: flight recorders, limits, and what it says of those that
// cannot be.

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../tool.h"
#include "../users.h"

#include <algorithm>
#include <csignal>
#include <dirent.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace
{

using namespace ktap;
using namespace tool;

// What the commands of "ltt-ctl run" are:
//	write		writes 10 events
//	start FILE	and executes FILE, which writes as many, as a child
//	continue PID	and lets a stopped process go on until it is over
[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc < 2 || !strchr("wsc", argv[1][0]))
		return;
	write_events(10);
	if (!strcmp(argv[1], "start")) {
		pid_t child = fork();
		if (!child) {
			execl(argv[2], argv[2], "write", nullptr);
			_exit(1);
		}
		waitpid(child, nullptr, 0);
	}
	if (!strcmp(argv[1], "continue")) {
		pid_t pid = atoi(argv[2]);
		kill(pid, SIGCONT);
		for (int i = 0; i < 1000 && state_of(pid) != 'Z'; ++i)
			poll(nullptr, 0, 10);
	}
	_exit(0);
}

// The number behind a key in what list prints of the only trace.
uint64_t listed(const std::string &key)
{
	return number_in(ltt_ctl({"list", "--json"}).out, key);
}

// Goes on with 10 events of its own, and 10 of a child.
pid_t stopped_writer()
{
	return stopped([] {
		kill(getpid(), SIGSTOP);
		write_events(10);
		CHECK_EQ(wait_for(spawn([] { write_events(10); })), 0);
	});
}

} // namespace

TEST("a flight recorder: two snapshots are the same, end with the newest event, and leave all "
     "there")
{
	constexpr uint64_t written = 5000, per_sub_buffer = 4096 / 16;
	succeed({"create", "flight", "--mode", "overwrite", "--subbuf-size", "4k"});
	succeed({"start", "flight"});
	pid_t writer = stopped([] {
		write_events(written);
		kill(getpid(), SIGSTOP);
	});

	Result a = ltt_ctl({"snapshot", "flight", "-o", "/tmp/a"});
	Result b = ltt_ctl({"snapshot", "flight", "-o", "/tmp/b"});
	for (const Result &r : {a, b}) {
		CHECK_EQ(r.exit(), 0);
		CHECK_EQ(r.err, "");
		CHECK_EQ(r.count("threads"), 1u);
		CHECK_EQ(r.count("events") + r.count("lost"), written);
	}
	StreamFile first("/tmp/a/ust/ctl/stream_0"), second("/tmp/b/ust/ctl/stream_0");
	CHECK(first.values == second.values);
	CHECK_EQ(first.values.size(), a.count("events"));
	CHECK_GE(first.values.size(), 3 * per_sub_buffer);
	CHECK_EQ(first.values.back(), written - 1);
	for (size_t i = 0; i < first.values.size(); ++i)
		CHECK_EQ(first.values[i], written - first.values.size() + i);

	CHECK(ltt_ctl({"list", "--json"}).out.find("\"mode\": \"overwrite\"") != std::string::npos);
	CHECK_EQ(listed("overwritten"), a.count("lost"));
	// All of it is still there for a recorder, which counts what is not as lost.
	Result r = ltt_ctl({"record", "flight", "--drain", "-o", "/tmp/r"});
	CHECK_EQ(r.exit(), 5);
	CHECK_EQ(r.count("events"), a.count("events"));
	CHECK_EQ(r.count("lost"), a.count("lost"));
	CHECK_EQ(ltt_ctl({"snapshot", "flight", "-o", "/tmp/c"}).count("events"), 0u);
	kill(writer, SIGCONT);
	CHECK_EQ(wait_for(writer), 0);
	succeed({"destroy", "flight"});
}

TEST("run --follow: the command and its children, and nobody else")
{
	Result r = ltt_ctl({"run", "--follow", "-o", "/tmp/f", "--", own_path(), "start",
		copy_self("/tmp/child")});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.count("events"), 20u);
	CHECK_EQ(r.count("processes"), 2u);

	// Another writes while the command runs: it is in the trace without a limit only.
	for (bool follow : {true, false}) {
		pid_t other = stopped_writer();
		std::vector<std::string> words = {
			"run", "-o", follow ? "/tmp/with" : "/tmp/without"};
		if (follow)
			words.push_back("--follow");
		words.insert(words.end(), {"--", own_path(), "continue", std::to_string(other)});
		r = ltt_ctl(words);
		CHECK_EQ(r.exit(), 0);
		CHECK_EQ(r.count("events"), follow ? 10u : 30u);
		CHECK_EQ(r.count("processes"), follow ? 1u : 3u);
		CHECK_EQ(wait_for(other), 0);
	}
}

TEST("run --pid: that process, with --follow its children to come")
{
	for (bool follow : {false, true}) {
		pid_t chosen = stopped_writer();
		std::string pid = std::to_string(chosen);
		std::vector<std::string> words = {
			"run", "--pid", pid, "-o", follow ? "/tmp/pids" : "/tmp/pid"};
		if (follow)
			words.push_back("--follow");
		words.insert(words.end(), {"--", own_path(), "continue", pid});
		Result r = ltt_ctl(words);
		CHECK_EQ(r.exit(), 0);
		CHECK_EQ(r.count("events"), follow ? 20u : 10u);
		CHECK_EQ(r.count("processes"), follow ? 2u : 1u);
		CHECK_EQ(wait_for(chosen), 0);
	}
}

TEST("run --exe: of the command and its child, the one that executes this file")
{
	std::string chosen = copy_self("/tmp/chosen");
	Result r = ltt_ctl(
		{"run", "--exe", chosen, "-o", "/tmp/x", "--", own_path(), "start", chosen});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.count("events"), 10u);
	CHECK_EQ(r.count("processes"), 1u);
	CHECK_EQ(StreamFile("/tmp/x/ust/chosen/stream_0").values.size(), 10u);
}

TEST("run --context: the trace has them, and says which")
{
	Result r = ltt_ctl({"run", "--context", "cpu_id,vtid,perf:thread:page-faults", "-o",
		"/tmp/context", "--", own_path(), "write"});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.count("events"), 10u);
	DIR *programs = opendir("/tmp/context/ust");
	REQUIRE(programs);
	std::string metadata;
	while (dirent *entry = readdir(programs))
		if (entry->d_name[0] != '.')
			metadata += read_file(
				std::string("/tmp/context/ust/") + entry->d_name + "/metadata");
	closedir(programs);
	const char *const declared = "\tevent.context := struct {\n"
				     "\t\ti32 _vtid;\n"
				     "\t\tu32 _cpu_id;\n"
				     "\t\tu64 _perf_thread_page_faults;\n"
				     "\t};\n";
	CHECK(metadata.find(declared) != std::string::npos);
	succeed({"create", "t", "--context", "app"});
	CHECK(ltt_ctl({"list", "--json"}).out.find("\"contexts\": [\n      \"app\"\n    ]") !=
		std::string::npos);
	succeed({"destroy", "t"});
}

TEST("what cannot be is one line that names it, and leaves no trace")
{
	pid_t gone = spawn([] {});
	CHECK_EQ(wait_for(gone), 0);
	std::string none = std::to_string(gone), self = std::to_string(getpid());
	REQUIRE_OK(mkdir("/tmp/v1", 0755));
	REQUIRE_OK(mount("none", "/tmp/v1", "cgroup", 0, "none,name=old"));
	struct {
		std::vector<std::string> limits;
		int status;
		std::string says;
	} cases[] = {
		{{"--pid", self + "," + none}, 1, "there is no process " + none + ";"},
		{{"--cgroup", "/tmp/v1"}, 2, "/tmp/v1 is not the directory of a control group of"},
		{{"--cgroup", "/sys/fs/cgroup/none"}, 2, "/sys/fs/cgroup/none: No such file"},
		{{"--exe", "/tmp"}, 2, "/tmp is not an ordinary file"},
		{{"--uid", "nobody"}, 2, "there is no user nobody"},
	};
	for (auto &c : cases) {
		for (std::vector<std::string> words :
			{std::vector<std::string>{"create", "t"}, {"run", "-o", "/tmp/t"}}) {
			bool run = words[0] == "run";
			words.insert(words.end(), c.limits.begin(), c.limits.end());
			if (run)
				words.insert(words.end(), {"--", own_path(), "write"});
			Result r = ltt_ctl(words);
			CHECK_EQ(r.exit(), c.status);
			CHECK_EQ(r.out, "");
			CHECK_SAYS(r, c.says);
			CHECK_EQ(std::count(r.err.begin(), r.err.end(), '\n'),
				c.status == 2 ? 2 : 1); // with the hint at the help
		}
	}
	CHECK_EQ(ltt_ctl({"list", "--json"}).out, "[]\n");
	CHECK_OK(umount("/tmp/v1"));
}

TEST("a user with as many traces as he may have is told which limit it is")
{
	users::as_user(users::user_a, [] {
		Result r = {};
		int n = 0;
		while (n < LTT_MAX_TRACES) {
			r = ltt_ctl({"create", "u" + std::to_string(n)});
			if (r.exit())
				break;
			++n;
		}
		CHECK_EQ(r.exit(), 1);
		CHECK(r.err.find("trace u" + std::to_string(n) + ": you have as many") !=
			std::string::npos);
		CHECK(r.err.find("user_traces") != std::string::npos);
		while (n--)
			succeed({"destroy", "u" + std::to_string(n)});
	});
}

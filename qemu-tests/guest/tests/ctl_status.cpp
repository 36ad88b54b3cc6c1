// SPDX-License-Identifier: MIT
//
// What ltt-ctl tells of the machine and of its traces, and with which exit status each verb
// ends.

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../streams.h"
#include "../tool.h"
#include "../users.h"

#include <sys/stat.h>

namespace
{

using namespace ktap;
using namespace tool;

// A command of "ltt-ctl run" that writes 100000 events.
[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[1], "write"))
		return;
	write_events(100000);
	_exit(0);
}

// The keys of an object, in the order in which they stand.
void check_keys(const std::string &json, std::initializer_list<const char *> keys)
{
	size_t at = 0;
	for (const char *key : keys) {
		size_t found = json.find("\"" + std::string(key) + "\": ", at);
		if (found == std::string::npos)
			ktap::fail(__FILE__, __LINE__, "no %s, or not here, in %s", key,
				json.c_str() + at);
		else
			at = found + 1;
	}
}

const auto machine_keys = {"machine", "host", "kernel", "abi", "clock", "may_trace_system",
	"max_traces", "user_traces", "max_memory", "user_memory"};
const auto trace_keys = {"name", "active", "system", "boot", "filter", "mode", "subbuf_size",
	"n_subbufs", "buffers", "memory", "lost", "refused", "uid", "clock", "clock_freq",
	"overwritten", "pool", "max_memory", "timeout_us", "targets", "rules", "contexts",
	"categories"};

// One command of each verb that asks the kernel for something, about the trace t.
std::vector<std::vector<std::string>> all_verbs()
{
	return {{"create", "u", "--own"}, {"start", "t"}, {"stop", "t"}, {"filter", "t", "all"},
		{"rules", "t", ""}, {"list"}, {"status"}, {"status", "t"},
		{"record", "t", "--drain", "-o", "/tmp/v"}, {"snapshot", "t", "-o", "/tmp/v"},
		{"run", "-o", "/tmp/v", "--", "/bin/ltt-ctl", "version"}, {"destroy", "t"}};
}

} // namespace

TEST("status shows the machine and each trace in full, and one alone by its name")
{
	succeed({"create", "mine", "--filter", "bit0,net", "--events", "guest:*,!guest:noise",
		"--subbuf-size", "8k", "--mode", "block", "--timeout", "1500ms", "--memory", "1M",
		"--pid", std::to_string(getpid())});
	succeed({"create", "other", "--own", "--mode", "overwrite"});
	succeed({"start", "mine"});
	write_events(3);

	Result r = ltt_ctl({"status"});
	CHECK_EQ(r.exit(), 0);
	for (const char *line : {", ltt ABI 1\n", "  you       may trace all processes\n",
		     "  traces    2, 1 of them active; 32 there may be, 8 of a user\n",
		     "\nmine: active\n",
		     "  covers    all processes, of these what 1 limit chooses\n",
		     "  filter    bit0,net\n", "  events    guest:*,!guest:noise\n",
		     "  buffers   1; of a thread: 4 x 8k; when they are full: "
		     "block the writer up to 1.5s\n",
		     "  memory    32k; at most 1M\n",
		     "  losses    0 events lost, 0 overwritten, 0 buffers refused\n",
		     "  owner     user 0\n", "\nother: stopped\n",
		     "  covers    processes of user 0\n", "  filter    all\n",
		     "overwrite the oldest\n"})
		CHECK_SAYS(r, line);

	r = ltt_ctl({"status", "other"});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.out.find("other: stopped\n"), 0u);
	CHECK_EQ(r.out.find("mine"), std::string::npos);
	r = ltt_ctl({"status", "none"});
	CHECK_EQ(r.exit(), 1);
	CHECK_SAYS(r, "trace none: there is no such trace");
	succeed({"destroy", "mine"});
	succeed({"destroy", "other"});
}

TEST("status says what to do where a trace takes nothing, or lost something")
{
	succeed({"create", "t", "--subbuf-size", "4k", "--n-subbufs", "2"});
	succeed({"start", "t"});
	CHECK_EQ(ltt_ctl({"status"}).out.find("  note "), std::string::npos);
	CHECK_EQ(wait_for(spawn([] { write_events(5000); })), 0);
	Result r = ltt_ctl({"status", "t"});
	CHECK_SAYS(r, "4488 events lost");
	CHECK_SAYS(r, "  note      events were lost: larger or more sub-buffers");
	succeed({"filter", "t", "none"});
	CHECK_SAYS(ltt_ctl({"status", "t"}), "ltt-ctl filter t all");
	succeed({"destroy", "t"});

	succeed({"create", "t", "--memory", "16k", "--subbuf-size", "4k"});
	succeed({"start", "t"});
	pid_t first = stopped([] {
		write_events(1);
		kill(getpid(), SIGSTOP);
	});
	CHECK_EQ(wait_for(spawn([] { write_events(1); })), 0);
	r = ltt_ctl({"status", "t"});
	CHECK_SAYS(r, "1 buffers refused");
	CHECK_SAYS(r, "  note      the threads of refused buffers are not traced");
	kill(first, SIGKILL);
	waitpid(first, nullptr, 0);
	succeed({"destroy", "t"});
}

TEST("the keys of JSON are these, in list and status alike")
{
	succeed({"create", "mine", "--filter", "0x00200001"});
	std::string list = ltt_ctl({"list", "--json"}).out;
	check_keys(list, trace_keys);
	std::string status = ltt_ctl({"status", "--json"}).out;
	check_keys(status, machine_keys);
	check_keys(status.substr(status.find("\"traces\": [")), trace_keys);
	CHECK_EQ(number_in(status, "abi"), 1u);
	CHECK_EQ(number_in(status, "max_traces"), 32u);
	CHECK_EQ(number_in(status, "user_traces"), 8u);
	CHECK_GT(number_in(status, "max_memory"), number_in(status, "user_memory"));
	CHECK(status.find("\"categories\": \"bit0,net\"") != std::string::npos);
	CHECK(status.find("\"may_trace_system\": true") != std::string::npos);
	std::string one = ltt_ctl({"status", "mine", "--json"}).out;
	CHECK_EQ(one, status);
	succeed({"destroy", "mine"});
	CHECK(ltt_ctl({"status", "--json"}).out.find("\"traces\": []") != std::string::npos);
}

TEST("a user sees that he may trace what is his, and no trace of others")
{
	succeed({"create", "theirs"});
	users::as_user(users::user_a, [] {
		Result r = ltt_ctl({"status"});
		CHECK_EQ(r.exit(), 0);
		CHECK_SAYS(r, "may trace processes of your own; all of them need CAP_PERFMON");
		CHECK_SAYS(r, "  traces    yours: 0, 0 of them active");
		CHECK_EQ(r.out.find("theirs"), std::string::npos);
		CHECK(ltt_ctl({"status", "--json"}).out.find("\"may_trace_system\": false") !=
			std::string::npos);
		CHECK_EQ(ltt_ctl({"status", "theirs"}).exit(), 1);
	});
	succeed({"destroy", "theirs"});
}

TEST("completion offers the traces that the user may see")
{
	succeed({"create", "mine"});
	succeed({"create", "more", "--own"});
	CHECK_EQ(ltt_ctl({"--complete", "start", "m"}).out, "mine\t\nmore\t\n");
	CHECK_EQ(ltt_ctl({"--complete", "destroy", "mi"}).out, "mine\t\n");
	CHECK_EQ(ltt_ctl({"--complete", "create", "m"}).out, "");
	users::as_user(users::user_a, [] {
		CHECK_EQ(ltt_ctl({"--complete", "start", ""}).out, "");
	});
	succeed({"destroy", "mine"});
	succeed({"destroy", "more"});
}

TEST("exit status 0: each verb, where nothing is wrong")
{
	succeed({"create", "t"});
	for (const std::vector<std::string> &words : all_verbs()) {
		Result r = ltt_ctl(words);
		if (r.exit() != 0)
			ktap::fail(__FILE__, __LINE__, "%s: %d, %s", words[0].c_str(), r.exit(),
				r.err.c_str());
		rename("/tmp/v", ("/tmp/v-" + words[0]).c_str());
	}
	succeed({"destroy", "u"});
}

TEST("exit status 1: a trace that is not there, with each verb that names one")
{
	for (const std::vector<std::string> &words : all_verbs()) {
		if (words.size() < 2 || words[1] != "t")
			continue;
		Result r = ltt_ctl(words);
		CHECK_EQ(r.exit(), 1);
		CHECK_EQ(r.out, "");
		CHECK_SAYS(r, "trace t: there is no such trace, or it is not yours; ltt-ctl list");
	}
}

TEST("exit status 4: a device that this user may not open, with each verb")
{
	REQUIRE_OK(chmod("/dev/ltt", 0600));
	users::as_user(users::user_a, [] {
		for (const std::vector<std::string> &words : all_verbs()) {
			Result r = ltt_ctl(words);
			CHECK_EQ(r.exit(), 4);
			CHECK_EQ(r.out, "");
			CHECK_SAYS(r, "no permission to open /dev/ltt");
		}
	});
	REQUIRE_OK(chmod("/dev/ltt", 0666));
	users::as_user(users::user_a, [] {
		Result r = ltt_ctl({"create", "t", "--system"});
		CHECK_EQ(r.exit(), 4);
		CHECK_SAYS(r, "needs CAP_PERFMON, --own needs nothing");
		CHECK_EQ(ltt_ctl({"events", "1"}).exit(), 4);
	});
}

TEST("exit status 5: record and run, where events were lost")
{
	succeed({"create", "t", "--subbuf-size", "4k", "--n-subbufs", "2"});
	succeed({"start", "t"});
	CHECK_EQ(wait_for(spawn([] { write_events(5000); })), 0);
	Result r = ltt_ctl({"record", "t", "--drain", "-o", "/tmp/lossy"});
	CHECK_EQ(r.exit(), 5);
	CHECK_EQ(r.count("lost"), 4488u);
	CHECK_SAYS(r, "--subbuf-size, --n-subbufs");
	succeed({"destroy", "t"});

	r = ltt_ctl({"run", "--subbuf-size", "4k", "--n-subbufs", "2", "-o", "/tmp/lossy-run", "--",
		own_path(), "write"});
	CHECK_EQ(r.exit(), 5);
	CHECK_GT(r.count("lost"), 0u);
}

TEST("exit status 6: record, snapshot and run, where packets were set aside; events of a "
     "damaged file")
{
	// Events that nobody defined.
	succeed({"create", "t"});
	succeed({"start", "t"});
	CHECK_EQ(wait_for(spawn([] {
		ltt::Buffer buffer = ltt::Buffer::next();
		REQUIRE(buffer);
		ltt::write_numbers(buffer, 0, 3);
	})),
		0);
	CHECK_EQ(ltt_ctl({"snapshot", "t", "-o", "/tmp/bad-snapshot"}).exit(), 6);
	CHECK_EQ(ltt_ctl({"record", "t", "--drain", "-o", "/tmp/bad"}).exit(), 6);
	succeed({"destroy", "t"});

	std::string half = read_file("/proc/self/exe");
	half.resize(half.size() / 2);
	int fd = open("/tmp/half", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	REQUIRE_EQ(write(fd, half.data(), half.size()), static_cast<ssize_t>(half.size()));
	close(fd);
	CHECK_EQ(ltt_ctl({"events", "/tmp/half"}).exit(), 6);
}

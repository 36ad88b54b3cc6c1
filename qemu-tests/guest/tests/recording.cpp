// SPDX-License-Identifier: MIT
//
// Recordings as they go wrong: two recorders, killed ones, full disks; and chunks. Whatever
// happens, the programs are unharmed, and what was written, lost and found adds up.

// qemu: tool=ltt-ctl memory=1G

#include "../counted.h"
#include "../tool.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include <dirent.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace
{

using namespace ktap;
using namespace tool;

// Values are numbers of a writer: its own number above, a count below.
constexpr unsigned writer_shift = 40;

void write_events(uint64_t writer, uint64_t from, uint64_t n)
{
	for (uint64_t i = from; i < from + n; ++i)
		UST(guest, count, writer << writer_shift | i);
}

// Below it, sorted: chunks come in their order.
void find_streams(const std::string &directory, std::vector<std::string> &paths)
{
	std::vector<std::string> names;
	DIR *d = opendir(directory.c_str());
	if (!d)
		return;
	while (dirent *entry = readdir(d))
		if (entry->d_name[0] != '.')
			names.push_back(entry->d_name);
	closedir(d);
	std::sort(names.begin(), names.end());
	for (const std::string &name : names)
		if (name.find("stream_") == 0)
			paths.push_back(directory + "/" + name);
		else if (name != "metadata" && name != "bad")
			find_streams(directory + "/" + name, paths);
}

struct Recorded {
	std::map<uint64_t, std::vector<uint64_t>> counts; // by writer
	uint64_t events = 0, lost = 0;
};

// All that is below a directory. Each event is there once.
Recorded recorded(const std::string &directory)
{
	Recorded all;
	std::vector<std::string> paths;
	find_streams(directory, paths);
	for (const std::string &path : paths) {
		StreamFile file(path);
		all.lost += file.lost;
		all.events += file.values.size();
		for (uint64_t value : file.values)
			all.counts[value >> writer_shift].push_back(
				value & ((uint64_t{1} << writer_shift) - 1));
	}
	for (auto &[writer, counts] : all.counts) {
		std::sort(counts.begin(), counts.end());
		CHECK(std::adjacent_find(counts.begin(), counts.end()) == counts.end());
	}
	return all;
}

// Processes that write until they are told to stop.
class Writers
{
public:
	explicit Writers(size_t n, useconds_t pause = 500) : state_(shared<State>())
	{
		REQUIRE(n <= most);
		for (size_t i = 0; i < n; ++i)
			children_.push_back(spawn([this, i, pause] {
				while (!__atomic_load_n(&state_->stop, __ATOMIC_RELAXED)) {
					write_events(i, state_->written[i], 100);
					state_->written[i] = state_->written[i] + 100;
					if (pause)
						usleep(pause);
				}
			}));
	}
	// Unharmed. All that they wrote.
	uint64_t stop()
	{
		uint64_t sum = 0;
		__atomic_store_n(&state_->stop, 1, __ATOMIC_RELAXED);
		for (size_t i = 0; i < children_.size(); ++i) {
			CHECK_EQ(wait_for(children_[i]), 0);
			sum += state_->written[i];
		}
		return sum;
	}
	uint64_t written() const
	{
		uint64_t sum = 0;
		for (size_t i = 0; i < children_.size(); ++i)
			sum += state_->written[i];
		return sum;
	}

private:
	static constexpr size_t most = 8;
	struct State {
		int stop;
		volatile uint64_t written[most];
	};
	State *state_;
	std::vector<pid_t> children_;
};

bool exists(const std::string &path)
{
	return access(path.c_str(), F_OK) == 0;
}

bool says(const Result &r, const std::string &text)
{
	if (r.err.find(text) != std::string::npos)
		return true;
	ktap::fail(__FILE__, __LINE__, "says: %s", r.err.c_str());
	return false;
}

void create_and_start(const std::string &name, const std::string &n_subbufs = "4")
{
	succeed({"create", name, "--subbuf-size", "4k", "--n-subbufs", n_subbufs});
	succeed({"start", name});
}

// Of those that are waited for.
double cpu_of_children()
{
	rusage used;
	REQUIRE_OK(getrusage(RUSAGE_CHILDREN, &used));
	const auto seconds = [](const timeval &t) {
		return double(t.tv_sec) + double(t.tv_usec) / 1e6;
	};
	return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Not every reaper is quick.
bool is_over(pid_t pid)
{
	return state_of(pid) == 0 || state_of(pid) == 'Z';
}

// The daemon that this pid file names.
pid_t start_daemon(std::vector<std::string> words, const std::string &pid_file)
{
	words.insert(words.begin(), {"record", "-d", "--pid-file", pid_file});
	succeed(words);
	pid_t pid = atoi(read_file(pid_file).c_str());
	REQUIRE(pid > 0);
	CHECK(!is_over(pid));
	return pid;
}

} // namespace

TEST("two traces are recorded by a daemon, and by nobody else; it tells syslog how it went")
{
	sockaddr_un address = {AF_UNIX, "/dev/log"};
	int log = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	REQUIRE_OK(bind(log, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	create_and_start("one");
	create_and_start("two");

	Result r = ltt_ctl({"record", "-d", "none", "-o", "/tmp/none"});
	CHECK_EQ(r.exit(), 1);
	says(r, "there is no such trace");
	pid_t daemon = start_daemon({"one", "two", "-o", "/tmp/pair"}, "/tmp/rec-pid");
	std::string pid = std::to_string(daemon);

	r = ltt_ctl({"record", "-d", "--pid-file", "/tmp/rec-pid", "one", "-o", "/tmp/other"});
	CHECK_EQ(r.exit(), 1);
	says(r, "/tmp/rec-pid is that of process " + pid + ",");
	r = ltt_ctl({"record", "two", "-o", "/tmp/other"});
	CHECK_EQ(r.exit(), 1);
	says(r, "trace two is being recorded by process " + pid + ":");
	CHECK(!exists("/tmp/other"));
	create_and_start("three");
	r = ltt_ctl({"record", "three", "-o", "/tmp/pair"});
	CHECK_EQ(r.exit(), 1);
	says(r, "process " + pid + " records into /tmp/pair:");
	// Who does not read is not kept out.
	succeed({"snapshot", "two", "-o", "/tmp/snapshot"});
	succeed({"destroy", "three"});

	CHECK_EQ(wait_for(spawn([] { write_events(0, 0, 100); })), 0);
	succeed({"destroy", "one"});
	succeed({"destroy", "two"});
	WAIT_UNTIL(!exists("/tmp/rec-pid") && is_over(daemon));
	for (const char *name : {"/tmp/pair/one", "/tmp/pair/two"})
		CHECK_EQ(recorded(name).events, 100u);
	char line[512] = "";
	REQUIRE(recv(log, line, sizeof(line) - 1, MSG_DONTWAIT) > 0);
	CHECK(strstr(line, "ltt-ctl[") != nullptr);
	CHECK(strstr(line, "]: 100 events, ") != nullptr);
	close(log);
	unlink("/dev/log");
}

TEST("a lock that a stranger holds keeps nobody from recording")
{
	create_and_start("mine");
	int dev = open("/dev/ltt", O_RDWR | O_CLOEXEC);
	REQUIRE(dev >= 0);
	int ends[2];
	REQUIRE_OK(pipe(ends));
	pid_t child = fork();
	if (child == 0) {
		struct flock all = {};
		all.l_type = F_WRLCK;
		all.l_whence = SEEK_SET;
		char byte = fcntl(dev, F_SETLK, &all) == 0;
		if (setuid(1001) || write(ends[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	char byte = 0;
	REQUIRE(read(ends[0], &byte, 1) == 1);
	CHECK_EQ(byte, 1);
	CHECK_EQ(ltt_ctl({"record", "mine", "--drain", "-o", "/tmp/m"}).exit(), 0);
	kill(child, SIGKILL);
	waitpid(child, nullptr, 0);
	close(dev);
	succeed({"destroy", "mine"});
}

TEST("chunks of a busy trace: each complete when rotate returns, and all of them add up",
	seconds(60))
{
	create_and_start("mine");
	pid_t daemon = start_daemon({"mine", "-o", "/tmp/rec-c"}, "/tmp/rec-pid");
	Writers writers(3);
	for (int i = 1; i <= 5; ++i) {
		uint64_t before = writers.written();
		WAIT_UNTIL(writers.written() > before + 500);
		before = writers.written();
		Result r = ltt_ctl({"rotate", "/tmp/rec-c"});
		CHECK_EQ(r.exit(), 0);
		std::string chunk = r.out.substr(0, r.out.find('\n'));
		CHECK_EQ(chunk.find("/tmp/rec-c/chunks/00000" + std::to_string(i) + "-"), 0u);
		Recorded part = recorded(chunk);
		CHECK_GT(part.events, 0u);
		// What was written before it was asked for is in chunks.
		Recorded all = recorded("/tmp/rec-c/chunks");
		CHECK_GE(all.events + all.lost, before);
	}
	uint64_t written = writers.stop();
	succeed({"destroy", "mine"});
	WAIT_UNTIL(is_over(daemon));
	Recorded all = recorded("/tmp/rec-c");
	CHECK_EQ(all.events + all.lost, written);
	CHECK(!exists("/tmp/rec-c/ust"));
}

TEST("idle: the chunk has all that is in open sub-buffers, the next one has nothing")
{
	create_and_start("mine");
	pid_t daemon = start_daemon({"mine", "-o", "/tmp/i"}, "/tmp/rec-pid");
	pid_t writer = spawn([] {
		write_events(0, 0, 10);
		kill(getpid(), SIGSTOP);
	});
	int status;
	REQUIRE_EQ(waitpid(writer, &status, WUNTRACED), writer);
	for (uint64_t events : {10, 0, 0}) {
		Result r = ltt_ctl({"rotate", "/tmp/i"});
		std::string chunk = r.out.substr(0, r.out.find('\n'));
		CHECK_EQ(recorded(chunk).events, events);
		CHECK(exists(chunk + (events ? "/ust/recording/metadata" : "/ust/empty/metadata")));
	}
	kill(writer, SIGCONT);
	CHECK_EQ(wait_for(writer), 0);
	succeed({"destroy", "mine"});
	WAIT_UNTIL(is_over(daemon));
	CHECK_EQ(ltt_ctl({"rotate", "/tmp/i"}).exit(), 1);
}

TEST("recorders are killed while threads write: the next one goes on, and nothing is missing",
	seconds(60))
{
	create_and_start("mine", "16");
	Writers writers(3);
	for (int i = 0; i < 8; ++i) {
		pid_t daemon = start_daemon({"mine", "--continue", "-o", "/tmp/k"}, "/tmp/rec-pid");
		uint64_t before = writers.written();
		WAIT_UNTIL(writers.written() > before + 700);
		REQUIRE_OK(kill(daemon, SIGKILL));
		WAIT_UNTIL(is_over(daemon));
	}
	uint64_t written = writers.stop();
	// In order, this time.
	Result r = ltt_ctl({"record", "mine", "--continue", "--drain", "-o", "/tmp/k"});
	CHECK(r.exit() == 0 || r.exit() == 5);
	CHECK(exists("/tmp/k/.mine.state"));
	succeed({"destroy", "mine"});
	Recorded all = recorded("/tmp/k");
	CHECK_EQ(all.events + all.lost, written);
}

TEST("a signal ends a recorder in order at any instant: while it waits, reads and writes",
	seconds(60, 300))
{
	constexpr useconds_t latest = 20000;
	const unsigned rounds = in_full(20, 4);
	for (unsigned i = 0; i < 2 * rounds; ++i) {
		const bool busy = i % 2; // else it waits most of the time
		const std::string directory = "/tmp/signal-" + std::to_string(i);
		create_and_start("mine", "16");
		Writers writers(2, busy ? 100 : 2000);
		Command recorder(with_tool({"record", "mine", "-o", directory}));
		WAIT_UNTIL(exists(directory + "/.mine.state"));
		usleep(static_cast<useconds_t>(random()) % latest);
		REQUIRE_OK(kill(recorder.pid, i & 2 ? SIGTERM : SIGINT));
		Result r = recorder.finish();
		CHECK(r.exit() == 0 || r.exit() == 5);
		const uint64_t written = writers.stop();
		r = ltt_ctl({"record", "mine", "--continue", "--drain", "-o", directory});
		CHECK(r.exit() == 0 || r.exit() == 5);
		succeed({"destroy", "mine"});
		Recorded all = recorded(directory);
		CHECK_EQ(all.events + all.lost, written);
		CHECK(!exists(directory + "/bad"));
		succeed({"check", directory});
		std::filesystem::remove_all(directory);
	}
}

TEST("one recorder beside two writers at full speed: what waits for it loses nothing, the rest "
     "adds up",
	seconds(60, 300))
{
	const double duration = in_full(3.0, 0.5);
	for (const std::string mode : {"block", "discard"}) {
		std::vector<std::string> words{
			"create", "mine", "--n-subbufs", "16", "--mode", mode};
		if (mode == "block")
			words.insert(words.end(), {"--timeout", "20s"});
		succeed(words);
		succeed({"start", "mine"});
		const std::string directory = "/tmp/full-speed-" + mode;
		Command recorder(with_tool({"record", "mine", "-o", directory}));
		WAIT_UNTIL(exists(directory + "/.mine.state"));
		const double begin = now();
		double cpu = cpu_of_children();
		Writers writers(2, 0);
		usleep(static_cast<useconds_t>(duration * 1e6));
		const uint64_t written = writers.stop();
		const double taken = now() - begin, of_writers = cpu_of_children() - cpu;
		succeed({"destroy", "mine"});
		cpu = cpu_of_children();
		const Result r = recorder.finish();
		const uint64_t events = r.count("events"), lost = r.count("lost");
		CHECK_EQ(events + lost, written);
		CHECK_EQ(r.exit(), lost ? 5 : 0);
		if (mode == "block")
			CHECK_EQ(lost, 0u);
		printf("%s: %.0f events/s written, %.0f recorded, %lu of %lu lost; processor time: "
		       "%.0f ns an event of the writers, %.0f of the recorder\n",
			mode.c_str(), double(written) / taken, double(events) / taken, lost,
			written, of_writers / double(written) * 1e9,
			(cpu_of_children() - cpu) / double(events) * 1e9);
		std::filesystem::remove_all(directory);
	}
}

TEST("a full disk: one line, and what is not written is written when there is room")
{
	REQUIRE_OK(mkdir("/tmp/small", 0755));
	REQUIRE_OK(mount("small", "/tmp/small", "tmpfs", 0, "size=2400k"));
	create_and_start("mine", "64");
	Command recorder(with_tool({"record", "mine", "-o", "/tmp/small/o"}));
	WAIT_UNTIL(exists("/tmp/small/o/.mine.state"));
	Writers writers(3);
	Result r = recorder.finish();
	CHECK_EQ(r.exit(), 1);
	says(r, "No space left on device; make room");
	says(r, "with --continue");
	CHECK_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1);
	CHECK_GT(recorded("/tmp/small/o").events, 0u);
	uint64_t written = writers.stop();
	REQUIRE_OK(mount(nullptr, "/tmp/small", nullptr, MS_REMOUNT, "size=100m"));
	succeed({"stop", "mine"});
	r = ltt_ctl({"record", "mine", "--continue", "--drain", "-o", "/tmp/small/o"});
	CHECK(r.exit() == 0 || r.exit() == 5);
	Recorded all = recorded("/tmp/small/o");
	CHECK_EQ(all.events + all.lost, written);
	succeed({"destroy", "mine"});

	// And one that cannot be written at all.
	REQUIRE_OK(mount(nullptr, "/tmp/small", nullptr, MS_REMOUNT | MS_RDONLY, nullptr));
	create_and_start("mine");
	for (const char *directory : {"/tmp/small/o", "/tmp/small/new"}) {
		r = ltt_ctl({"record", "mine", "--continue", "-o", directory});
		CHECK_EQ(r.exit(), 1);
		says(r, "Read-only file system");
	}
	succeed({"destroy", "mine"});
	CHECK_OK(umount("/tmp/small"));
}

TEST("a directory that is removed while it is recorded to: what is lost is said, programs go on")
{
	create_and_start("mine");
	Command recorder(with_tool({"record", "mine", "-o", "/tmp/gone"}));
	WAIT_UNTIL(exists("/tmp/gone/.mine.state"));
	for (const char *name : {"/.recorder", "/.mine.state", "/.mine.batch"})
		CHECK_OK(unlink((std::string("/tmp/gone") + name).c_str()));
	CHECK_OK(rmdir("/tmp/gone"));
	Writers writers(2);
	Result r = recorder.finish();
	CHECK_EQ(r.exit(), 1);
	says(r, "/tmp/gone");
	says(r, "the rest is lost");
	CHECK_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1);
	writers.stop();
	succeed({"destroy", "mine"});
}

TEST("snapshots of busy threads: nothing twice, and each reaches further than the one before")
{
	succeed({"create", "flight", "--mode", "overwrite", "--subbuf-size", "4k"});
	succeed({"start", "flight"});
	Writers writers(3);
	std::map<uint64_t, uint64_t> newest;
	for (int i = 0; i < 5; ++i) {
		const uint64_t before = writers.written();
		WAIT_UNTIL(writers.written() > before + 3000);
		const std::string directory = "/tmp/s" + std::to_string(i);
		Result r = ltt_ctl({"snapshot", "flight", "-o", directory});
		CHECK_EQ(r.exit(), 0);
		CHECK_EQ(r.err, "");
		Recorded all = recorded(directory);
		CHECK_EQ(all.counts.size(), 3u);
		for (auto &[writer, counts] : all.counts) {
			REQUIRE(!counts.empty());
			CHECK_GT(counts.back(), newest[writer]);
			newest[writer] = counts.back();
		}
	}
	writers.stop();
	succeed({"destroy", "flight"});
}

// The lines in EXAMPLES of ltt-ctl-record(1), in their order (a test of the tool holds the page
// against them).
TEST("ltt-ctl-record(1): the examples do what the page says")
{
	auto line = [](std::string text) {
		std::vector<std::string> words;
		for (size_t at = text.find(' ') + 1, end; at <= text.size(); at = end + 1) {
			end = std::min(text.find(' ', at), text.size());
			words.push_back(text.substr(at, end - at));
		}
		return words;
	};
	succeed(line("ltt-ctl create mine"));
	succeed(line("ltt-ctl start mine"));
	{
		Command recorder(with_tool(line("ltt-ctl record mine -o /tmp/mine")));
		WAIT_UNTIL(exists("/tmp/mine/.mine.state"));
		CHECK_EQ(wait_for(spawn([] { write_events(0, 0, 10); })), 0);
		CHECK_OK(kill(recorder.pid, SIGINT));
		Result r = recorder.finish();
		CHECK_EQ(r.exit(), 0);
		CHECK_EQ(r.count("events"), 10u);
	}
	create_and_start("one");
	create_and_start("two");
	succeed(line("ltt-ctl record -d --pid-file /tmp/record.pid one two -o /tmp/both"));
	CHECK_EQ(wait_for(spawn([] { write_events(0, 0, 10); })), 0);
	succeed(line("ltt-ctl destroy one"));
	succeed(line("ltt-ctl destroy two"));
	WAIT_UNTIL(!exists("/tmp/record.pid"));
	CHECK_EQ(recorded("/tmp/both/one").events, 10u);
	CHECK_EQ(recorded("/tmp/both/two").events, 10u);

	succeed(line("ltt-ctl record -d mine -o /tmp/day --rotate-time 10m --keep 144"));
	Result r = ltt_ctl(line("ltt-ctl rotate /tmp/day"));
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(recorded(r.out.substr(0, r.out.find('\n'))).events, 10u);
	succeed(line("ltt-ctl destroy mine"));
	WAIT_UNTIL(!exists("/tmp/day/.recorder"));

	create_and_start("mine");
	Command recorder(with_tool(line("ltt-ctl record mine -o /tmp/mine --continue")));
	WAIT_UNTIL(exists("/tmp/mine/.recorder"));
	CHECK_EQ(wait_for(spawn([] { write_events(0, 10, 10); })), 0);
	succeed({"destroy", "mine"});
	CHECK_EQ(recorder.finish().exit(), 0);
	CHECK_EQ(recorded("/tmp/mine").events, 20u);
}

TEST("many threads alive, few descriptors: all are recorded", seconds(60), spare_kib(4096))
{
	const unsigned threads = in_full(2000u, 500u);
	succeed({"create", "mine", "--subbuf-size", "4k", "--n-subbufs", "2"});
	succeed({"start", "mine"});
	struct Shared {
		unsigned written, stop;
	};
	auto *state = shared<Shared>();
	pid_t child = spawn([&] {
		std::vector<std::thread> all;
		for (unsigned i = 0; i < threads; ++i)
			all.emplace_back([&, i] {
				write_events(i, 0, 1);
				__atomic_fetch_add(&state->written, 1, __ATOMIC_RELAXED);
				while (!__atomic_load_n(&state->stop, __ATOMIC_RELAXED))
					usleep(20000);
			});
		for (std::thread &t : all)
			t.join();
	});
	WAIT_UNTIL_FOR(30, __atomic_load_n(&state->written, __ATOMIC_RELAXED) == threads);
	Result r = Command(with_tool({"record", "mine", "--drain", "-o", "/tmp/many"}), [] {
		rlimit few = {16, 16};
		setrlimit(RLIMIT_NOFILE, &few);
	}).finish();
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.err, "");
	CHECK_EQ(r.count("events"), threads);
	CHECK_EQ(recorded("/tmp/many").counts.size(), threads);
	__atomic_store_n(&state->stop, 1, __ATOMIC_RELAXED);
	CHECK_EQ(wait_for(child), 0);
	succeed({"destroy", "mine"});
}

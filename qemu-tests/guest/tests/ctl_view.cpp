// SPDX-License-Identifier: MIT
//
// What ltt-ctl reads: traces that go on (view --live), and what it wrote itself (view, check).

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../tool.h"

#include <algorithm>
#include <csignal>

namespace
{

using namespace ktap;
using tool::ltt_ctl;
using tool::succeed;

void go_on_writing(uint64_t from, uint64_t n)
{
	for (uint64_t i = from; i < from + n; ++i)
		UST(guest, count, i);
}

// The command of "ltt-ctl run".
[[gnu::constructor]] void be_another_program(int argc, char **argv, char **)
{
	if (argc != 2 || strcmp(argv[1], "write"))
		return;
	write_events(10);
	_exit(0);
}

// A viewer at work.
class Viewer
{
public:
	explicit Viewer(std::vector<std::string> words) : command_(viewing(std::move(words))) {}

	// Lines with this so far.
	size_t lines(const std::string &word) const
	{
		const std::string text = command_.so_far();
		size_t n = 0;
		for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
			++n;
		return n;
	}
	void stop() const { kill(command_.pid, SIGINT); }
	int end()
	{
		tool::Result r = command_.finish();
		CHECK_EQ(r.err, "");
		return r.exit();
	}

private:
	static std::vector<std::string> viewing(std::vector<std::string> words)
	{
		words.insert(words.begin(), {"view", "--live"});
		return tool::with_tool(std::move(words));
	}

	tool::Command command_;
};

uint64_t milliseconds()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<uint64_t>(t.tv_sec) * 1000 + static_cast<uint64_t>(t.tv_nsec) / 1000000;
}

// Writes when it is let go on.
pid_t stopped_writer(uint64_t rounds, uint64_t events)
{
	return tool::stopped([=] {
		for (uint64_t i = 0; i < rounds; ++i) {
			kill(getpid(), SIGSTOP);
			go_on_writing(i * events, events);
		}
		kill(getpid(), SIGSTOP);
	});
}

// Lets it write once more, and waits until it has.
void write_once_more(pid_t writer)
{
	int status;
	kill(writer, SIGCONT);
	REQUIRE_EQ(waitpid(writer, &status, WUNTRACED), writer);
	REQUIRE(WIFSTOPPED(status));
}

} // namespace

TEST("view --live shows events soon though no sub-buffer is full, each once, and takes nothing",
	seconds(60))
{
	constexpr uint64_t rounds = 5, events = 7;
	succeed({"create", "live"});
	succeed({"start", "live"});
	pid_t writer = stopped_writer(rounds, events);
	Viewer viewer({"live"});
	write_once_more(writer);
	WAIT_UNTIL(viewer.lines("guest:count") == events); // it is up
	for (uint64_t i = 2; i <= rounds; ++i) {
		write_once_more(writer);
		const uint64_t before = milliseconds();
		WAIT_UNTIL(viewer.lines("guest:count") >= i * events);
		const uint64_t took = milliseconds() - before;
		printf("# events were shown after %d ms\n", static_cast<int>(took));
		CHECK_LE(took, 1000u);
	}
	CHECK_EQ(viewer.lines("guest:count"), rounds * events);
	for (uint64_t i = 0; i < rounds * events; ++i)
		CHECK_EQ(viewer.lines("{ value = " + std::to_string(i) + " }"), 1u);

	tool::Result r = ltt_ctl({"record", "live", "--drain", "-o", "/tmp/view-live"});
	CHECK_EQ(r.count("events"), rounds * events);
	CHECK_EQ(r.count("lost"), 0u);
	succeed({"destroy", "live"});
	CHECK_EQ(viewer.end(), 0);
	kill(writer, SIGCONT);
	CHECK_EQ(wait_for(writer), 0);
}

TEST("view --live of a flight recorder leaves it as it is", seconds(60))
{
	constexpr uint64_t events = 2000; // more than a buffer holds
	succeed({"create", "flight", "--mode", "overwrite", "--subbuf-size", "4k"});
	succeed({"start", "flight"});
	pid_t writer = stopped_writer(1, events);
	write_once_more(writer);
	Viewer viewer({"flight"});
	WAIT_UNTIL(viewer.lines("{ value = " + std::to_string(events - 1) + " }") == 1);
	tool::Result r = ltt_ctl({"snapshot", "flight", "-o", "/tmp/view-flight"});
	CHECK_EQ(r.count("events"), viewer.lines("guest:count"));
	viewer.stop();
	CHECK_EQ(viewer.end(), 0);
	succeed({"destroy", "flight"});
	kill(writer, SIGCONT);
	CHECK_EQ(wait_for(writer), 0);
}

TEST("view --live --take empties small buffers, so that nothing is lost", seconds(60))
{
	// One round fits into a buffer, all of them do not.
	constexpr uint64_t rounds = 10, events = 500;
	succeed({"create", "taken", "--subbuf-size", "4k"});
	succeed({"start", "taken"});
	pid_t writer = stopped_writer(rounds, events);
	Viewer viewer({"taken", "--take"});
	for (uint64_t i = 1; i <= rounds; ++i) {
		write_once_more(writer);
		WAIT_UNTIL(viewer.lines("guest:count") == i * events);
	}
	CHECK_EQ(viewer.lines("***"), 0u);
	viewer.stop();
	CHECK_EQ(viewer.end(), 0);
	tool::Result r = ltt_ctl({"record", "taken", "--drain", "-o", "/tmp/view-taken"});
	CHECK_EQ(r.count("events"), 0u);
	succeed({"destroy", "taken"});
	kill(writer, SIGCONT);
	CHECK_EQ(wait_for(writer), 0);
}

TEST("what run wrote is shown by view, found damaged by check, and repaired")
{
	tool::Result r = ltt_ctl({"run", "-o", "/tmp/view-run", "--", tool::own_path(), "write"});
	CHECK_EQ(r.exit(), 0);
	r = ltt_ctl({"view", "/tmp/view-run"});
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 10);
	CHECK_SAYS(r, "guest:count: { vpid = ");
	CHECK_SAYS(r, "{ value = 9 }\n");
	r = ltt_ctl({"check", "/tmp/view-run"});
	CHECK_EQ(r.exit(), 0);
	CHECK_SAYS(r, "sound: 1 trace, 1 packet, 10 events in /tmp/view-run");

	const std::string path = "/tmp/view-run/ust/ctl_view/stream_0";
	std::string bytes = read_file(path);
	REQUIRE(bytes.size() > 200);
	bytes[200] = static_cast<char>(bytes[200] ^ 4);
	int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
	REQUIRE_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
	close(fd);
	r = ltt_ctl({"check", "--repair", "/tmp/view-run"});
	CHECK_EQ(r.exit(), 6);
	CHECK_SAYS(r, path + ": packet 0, byte 0: does not match its checksum");
	CHECK_SAYS(r, "10 events lost");
	r = ltt_ctl({"check", "/tmp/view-run"});
	CHECK_EQ(r.exit(), 0);
	CHECK_SAYS(r, "1 file set aside before");
}

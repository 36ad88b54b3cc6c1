// SPDX-License-Identifier: MIT
// record and run against a kernel that is not one.
#include <catch2/catch.hpp>

#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/runner.h"
#include "support/build.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/fake_kernel.h"

using Catch::Matchers::Contains;

namespace
{

const Bytes definitions = definitions_packet(1, definition(1, "p", "e", {}));

Bytes one_event_packet(uint64_t sequence, uint32_t flags = 0)
{
	ltt_packet h = packet_header();
	h.sequence = sequence;
	h.events = sequence + 1;
	h.flags = flags;
	return packet(h, event(2000 + sequence, 1));
}

// What is printed on stdout and stderr while it lives.
class Capture
{
public:
	Capture()
	{
		std::fflush(nullptr);
		for (int fd : {1, 2}) {
			saved_[fd] = dup(fd);
			int to = open(
				(scratch_ / std::to_string(fd)).c_str(), O_RDWR | O_CREAT, 0600);
			dup2(to, fd);
			close(to);
		}
	}
	~Capture() { end(); }
	std::string out() { return end(), out_; }
	std::string err() { return end(), err_; }

private:
	void end()
	{
		if (saved_[1] < 0)
			return;
		std::fflush(nullptr);
		for (int fd : {1, 2}) {
			dup2(saved_[fd], fd);
			close(saved_[fd]);
			saved_[fd] = -1;
		}
		out_ = content(scratch_ / "1");
		err_ = content(scratch_ / "2");
	}

	Directory scratch_;
	int saved_[3] = {-1, -1, -1};
	std::string out_, err_;
};

ltt::RecordOptions record_options(const Directory &d)
{
	ltt::RecordOptions o;
	o.name = "mine";
	o.directory = d / "out";
	return o;
}

size_t events_on_disk(const Directory &d)
{
	CommandResult r = babeltrace(d / "out");
	CHECK(r.status == 0);
	CHECK(r.err == "");
	return static_cast<size_t>(std::count(r.out.begin(), r.out.end(), '\n'));
}

FakeKernel kernel_with_trace()
{
	FakeKernel k;
	k.state.params.name = "mine";
	k.state.active = true;
	k.state.ready = {definitions, one_event_packet(0)};
	k.state.in_open = {one_event_packet(1)};
	return k;
}

} // namespace

TEST_CASE("record --drain takes open sub-buffers too, and ends")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_trace(k, o) == 0);
	CHECK(c.out() == "2 events, 1 processes, 1 threads, 0 lost, 0.0 MB, " + o.directory + "\n");
	CHECK(c.err() == "");
	CHECK(k.state.calls == std::vector<std::string>{"flush"});
	CHECK(events_on_disk(d) == 2);
}

TEST_CASE("snapshot, twice in a row, writes the same and leaves all of it to a reader")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	k.state.held = {definitions, one_event_packet(0), one_event_packet(1)};
	k.state.on_wait = [] { FAIL("a snapshot does not wait"); };
	for (const char *name : {"out", "again"}) {
		Capture c;
		ltt::SnapshotOptions o{"mine", d / name};
		CHECK(ltt::take_snapshot(k, o) == 0);
		CHECK(c.out() ==
			"2 events, 1 processes, 1 threads, 0 lost, 0.0 MB, " + o.directory + "\n");
		CHECK(c.err() == "");
	}
	CHECK(babeltrace(d / "out").out == babeltrace(d / "again").out);
	CHECK(events_on_disk(d) == 2);
	CHECK(k.state.calls == std::vector<std::string>{"snapshot", "snapshot"});
	CHECK(k.state.ready.size() == 2);
	CHECK(k.state.in_open.size() == 1);
}

TEST_CASE("snapshot is fine though older events were replaced, but not with damaged data")
{
	const bool damaged = GENERATE(false, true);
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt_packet h = packet_header();
	h.events = 10;
	h.overwritten = 9;
	k.state.held = {definitions, packet(h, event(damaged ? 1 : 2000, 1))};
	Capture c;
	CHECK(ltt::take_snapshot(k, {"mine", d / "out"}) == (damaged ? 6 : 0));
	CHECK_THAT(c.out(), Contains(" 9 lost"));
}

TEST_CASE("record of a flight recorder tells of replaced events, with exit status 5")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt_packet h = packet_header();
	h.events = 10;
	h.overwritten = 9;
	k.state.ready = {definitions, packet(h, event(2000, 1))};
	k.state.in_open.clear();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_trace(k, o) == 5);
	CHECK_THAT(c.out(), Contains(" 9 lost"));
	CHECK_THAT(c.err(), Contains("events were lost"));
}

TEST_CASE("record follows the trace until it is destroyed")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	int waits = 0;
	k.state.on_wait = [&] {
		REQUIRE(++waits < 100);
		if (waits == 2)
			k.state.ready.push_back(one_event_packet(2));
		if (waits == 1)
			k.state.close_open();
		if (waits == 3)
			k.state.destroyed = true;
	};
	Capture c;
	CHECK(ltt::record_trace(k, record_options(d)) == 0);
	CHECK_THAT(c.out(), Contains("3 events"));
	CHECK(events_on_disk(d) == 3);
}

TEST_CASE("record ends with all there is on SIGINT and on SIGTERM")
{
	for (int number : {SIGINT, SIGTERM}) {
		Directory d;
		FakeKernel k = kernel_with_trace();
		int waits = 0;
		k.state.on_wait = [&] {
			REQUIRE(++waits < 100);
			kill(getpid(), number);
			// The real one lets signals in while it waits.
			timespec t{0, 1000000};
			sigset_t none;
			sigemptyset(&none);
			pselect(0, nullptr, nullptr, nullptr, &t, &none);
		};
		Capture c;
		CHECK(ltt::record_trace(k, record_options(d)) == 0);
		CHECK_THAT(c.out(), Contains("2 events"));
		CHECK(waits == 1);
		CHECK(events_on_disk(d) == 2);
	}
}

TEST_CASE("record --until-stopped ends when the trace is stopped, or gone")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.until_stopped = true;
	int waits = 0;
	bool destroyed = GENERATE(false, true);
	k.state.on_wait = [&] {
		REQUIRE(++waits < 100);
		k.state.close_open();
		k.state.active = false;
		k.state.destroyed = destroyed;
	};
	Capture c;
	CHECK(ltt::record_trace(k, o) == 0);
	CHECK_THAT(c.out(), Contains("2 events"));
}

TEST_CASE("record says with its exit status what is wrong")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;

	SECTION("events lost")
	{
		ltt_packet h = packet_header();
		h.sequence = 2;
		h.lost = 9;
		k.state.in_open.push_back(packet(h, {}));
		Capture c;
		CHECK(ltt::record_trace(k, o) == 5);
		CHECK_THAT(c.out(), Contains("9 lost"));
		CHECK_THAT(c.err(), Contains("--subbuf-size, --n-subbufs"));
	}
	SECTION("damaged packets")
	{
		ltt_packet h = packet_header();
		h.sequence = 2;
		k.state.in_open.push_back(packet(h, event(5000, 99)));
		Capture c;
		CHECK(ltt::record_trace(k, o) == 6);
		CHECK_THAT(c.out(), Contains("1 bad packets set aside"));
		CHECK_THAT(c.err(), Contains("id 99 is not defined"));
	}
	SECTION("events of a stopped trace that never came")
	{
		k.state.active = false;
		ltt_packet h = packet_header();
		h.sequence = 3; // one packet is missing
		h.events = 10;
		k.state.in_open.push_back(packet(h, {}));
		Capture c;
		CHECK(ltt::record_trace(k, o) == 5);
		CHECK_THAT(c.out(), Contains("8 lost"));
	}
	SECTION("a directory in use")
	{
		std::filesystem::create_directories(d / "out/something");
		CHECK_THROWS_WITH(ltt::record_trace(k, o), Contains("is not empty; -o DIR"));
	}
	SECTION("a directory that cannot be made")
	{
		std::ofstream(d / "file") << "no directory";
		o.directory = d / "file/out";
		CHECK_THROWS_WITH(
			ltt::record_trace(k, o), Contains("file/out: ") && Contains("; -o DIR"));
	}
}

TEST_CASE("record meets a limit on the size of files as it does a full disk")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	signal(SIGXFSZ, SIG_DFL); // it may have come ignored
	rlimit before;
	REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
	rlimit small{1000, before.rlim_max}; // less than the metadata
	REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
	std::string what;
	try {
		ltt::record_trace(k, o);
	} catch (const ltt::Error &e) {
		what = e.what();
	}
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK_THAT(what, Contains("File too large"));
}

namespace
{

ltt::RunOptions run_options(const Directory &d, const std::string &script)
{
	ltt::RunOptions o;
	o.trace.name = "run";
	o.directory = d / "out";
	o.command = {"/bin/sh", "-c", script};
	return o;
}

} // namespace

TEST_CASE("run passes on the exit status of its command")
{
	for (auto [script, status] :
		{std::pair{"exit 0", 0}, {"exit 42", 42}, {"kill -9 $$", 137}}) {
		Directory d;
		FakeKernel k;
		k.state.ready = {definitions, one_event_packet(0)};
		k.state.in_open = {one_event_packet(1)};
		Capture c;
		CHECK(ltt::run_traced(k, run_options(d, script)) == status);
		CHECK_THAT(c.err(), Contains("2 events"));
		CHECK(c.out() == "");
		CHECK(k.state.calls ==
			std::vector<std::string>{"create", "start", "destroy", "flush"});
		CHECK(events_on_disk(d) == 2);
	}
}

TEST_CASE("run tells of losses and damage, but not over its command's own failure")
{
	const bool damaged = GENERATE(false, true);
	for (int status : {0, 42}) {
		Directory d;
		FakeKernel k;
		ltt_packet h = packet_header();
		h.sequence = 1;
		h.lost = damaged ? 0 : 9;
		k.state.ready = {definitions, one_event_packet(0)};
		k.state.in_open = {packet(h, damaged ? event(5000, 99) : Bytes{})};
		Capture c;
		int expected = status ? status : damaged ? 6 : 5;
		CHECK(ltt::run_traced(k, run_options(d, "exit " + std::to_string(status))) ==
			expected);
		if (damaged)
			CHECK_THAT(c.err(),
				Contains("1 bad packets set aside") && !Contains("--subbuf-size"));
		else
			CHECK_THAT(c.err(),
				Contains("9 lost") && Contains("--subbuf-size, --n-subbufs"));
	}
}

TEST_CASE("run says why there is no trace to read")
{
	Directory d, e;
	FakeKernel k, l;
	Capture c;
	CHECK(ltt::run_traced(k, run_options(d, "")) == 0);
	CHECK_THAT(c.err(), Contains("no program with markers") && Contains("ltt-ctl events"));
	l.state.ready = {definitions, one_event_packet(0)};
	Capture f;
	CHECK(ltt::run_traced(l, run_options(e, "")) == 0);
	const std::string err = f.err();
	CHECK(std::count(err.begin(), err.end(), '\n') == 1);
}

TEST_CASE("run gives its command the signals as they were")
{
	signal(SIGXFSZ, SIG_DFL); // it may have come ignored
	const std::string text = content("/proc/self/status");
	const size_t at = text.find("SigIgn:");
	const std::string before = text.substr(at, text.find('\n', at) + 1 - at);
	Directory d;
	FakeKernel k;
	Capture c;
	CHECK(ltt::run_traced(k, run_options(d, "grep SigIgn: /proc/self/status")) == 0);
	CHECK(c.out() == before);
}

TEST_CASE("run leaves stdout to the command, and says so when there is none")
{
	Directory d;
	FakeKernel k;
	Capture c;
	CHECK(ltt::run_traced(k, run_options(d, "echo hello")) == 0);
	CHECK(c.out() == "hello\n");

	Directory e;
	FakeKernel l;
	ltt::RunOptions o = run_options(e, "");
	o.command = {"/nowhere/program"};
	Capture f;
	CHECK(ltt::run_traced(l, o) == 127);
	CHECK_THAT(f.err(), Contains("/nowhere/program"));
	CHECK(l.state.destroyed);
}

TEST_CASE("run hands a signal to its command and ends when that does")
{
	Directory d;
	FakeKernel k;
	int waits = 0;
	bool sent = false;
	k.state.on_wait = [&] {
		REQUIRE(++waits < 1000);
		if (!sent && std::filesystem::exists(d / "ready") && (sent = true))
			kill(getpid(), SIGTERM);
		timespec t{0, 20000000};
		sigset_t none;
		sigemptyset(&none);
		pselect(0, nullptr, nullptr, nullptr, &t, &none);
	};
	Capture c;
	std::string script =
		"trap 'exit 7' TERM; touch " + (d / "ready") + "; while :; do sleep 0.1; done";
	CHECK(ltt::run_traced(k, run_options(d, script)) == 7);
	CHECK(k.state.destroyed);
}

TEST_CASE("run waits for its command although the trace is destroyed by someone else")
{
	Directory d;
	FakeKernel k;
	k.state.on_wait = [&] { k.state.destroyed = true; };
	Capture c;
	CHECK(ltt::run_traced(k, run_options(d, "sleep 0.3; exit 3")) == 3);
}

TEST_CASE("run destroys its trace when it cannot record, and waits for the command")
{
	Directory d;
	FakeKernel k;
	k.state.ready = {definitions, one_event_packet(0)};
	ltt::RunOptions o = run_options(d, "sleep 0.2; touch " + (d / "done"));
	// A file is where the directory of the trace must be, once the recording has begun.
	k.state.on_read = [&] { std::ofstream(d / "out/ust") << "in the way"; };
	Capture c;
	CHECK_THROWS_WITH(
		ltt::run_traced(k, o), Contains("out/ust") && Contains("the rest is lost"));
	CHECK(k.state.destroyed);
	CHECK(std::filesystem::exists(d / "done"));
}

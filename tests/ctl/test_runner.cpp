// SPDX-License-Identifier: MIT
// snapshot and run against a kernel that is not one.
#include <catch2/catch.hpp>

#include <csignal>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/runner.h"
#include "support/capture.h"
#include "support/child.h"
#include "support/recorded.h"

using Catch::Matchers::Contains;

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

namespace
{

// Lets signals in, as the real kernel does while it waits.
void let_signals_in()
{
	timespec t{0, 20000000};
	sigset_t none;
	sigemptyset(&none);
	pselect(0, nullptr, nullptr, nullptr, &t, &none);
}

} // namespace

TEST_CASE("run hands a signal to its command and ends when that does, with all there is")
{
	const int number = GENERATE(SIGTERM, SIGHUP, SIGINT);
	const bool dies = GENERATE(true, false); // of it, or has something to do first
	Directory d;
	FakeKernel k;
	k.state.ready = {definitions, one_event_packet(0)};
	k.state.in_open = {one_event_packet(1)};
	signal(SIGHUP, SIG_DFL); // it may have come ignored
	int waits = 0;
	bool sent = false;
	k.state.on_wait = [&] {
		REQUIRE(++waits < 1000);
		if (!sent && std::filesystem::exists(d / "ready") && (sent = true))
			kill(getpid(), number);
		let_signals_in();
	};
	Capture c;
	const std::string trap = "trap 'exit 7' TERM HUP INT; ";
	const std::string script =
		(dies ? "" : trap) + "touch " + (d / "ready") + "; while :; do sleep 0.1; done";
	CHECK(ltt::run_traced(k, run_options(d, script)) == (dies ? 128 + number : 7));
	CHECK(k.state.destroyed);
	CHECK_THAT(c.err(), Contains("2 events"));
	CHECK(events_on_disk(d) == 2);
}

TEST_CASE("Ctrl-C at a terminal reaches the command once, and run ends with all there is")
{
	Directory d;
	FakeKernel k;
	k.state.ready = {definitions, one_event_packet(0)};
	k.state.in_open = {one_event_packet(1)};
	k.state.on_wait = let_signals_in;
	ltt::RunOptions o = run_options(d, "");
	// A shell would take two signals that come at once for one.
	o.command = {"perl", "-e",
		"$SIG{INT} = sub { ++$n }; open F, '>', '" + (d / "ready") +
			"'; select undef, undef, undef, 0.02 until $n; "
			"select undef, undef, undef, 0.02 for 1 .. 15; exit $n"};
	int terminal;
	const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
	REQUIRE(child >= 0);
	if (child == 0)
		_exit(ltt::run_traced(k, o));
	for (int i = 0; i < 1000 && !std::filesystem::exists(d / "ready"); ++i)
		usleep(10000);
	REQUIRE(write(terminal, "\3", 1) == 1);
	const std::string shown = shown_on(terminal);
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	close(terminal);
	CHECK(WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == 1);
	CHECK_THAT(shown, Contains("2 events"));
	CHECK(events_on_disk(d) == 2);
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

// SPDX-License-Identifier: MIT
// record against a kernel that is not one.
#include <catch2/catch.hpp>

#include <csignal>

#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/recording.h"
#include "lib/signals.h"
#include "support/capture.h"
#include "support/child.h"
#include "support/recorded.h"
#include "support/tool.h"

using Catch::Matchers::Contains;

TEST_CASE("record --drain takes open sub-buffers too, and ends")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK(c.out() == "2 events, 1 processes, 1 threads, 0 lost, 0.0 MB, " + o.directory + "\n");
	CHECK(c.err() == "");
	CHECK(k.state.calls == std::vector<std::string>{"flush"});
	CHECK(events_on_disk(d) == 2);
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
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK_THAT(c.out(), Contains(" 9 lost"));
	CHECK_THAT(c.err(), Contains("events were lost"));
}

TEST_CASE("a recording may be called anything that a directory may")
{
	for (const std::string &name : {std::string(" "), std::string("two words"),
		     std::string("r\xc3\xa9sum\xc3\xa9 \xe2\x98\x83"), std::string("\xff\n\"%s'"),
		     std::string("..."), std::string("-o"), std::string(255, 'x'),
		     std::string("a/../b//c/.")}) {
		INFO(name);
		Directory d;
		FakeKernel k = kernel_with_trace();
		ltt::RecordOptions o = record_options(d);
		o.directory = d / "out/" + name;
		o.drain = true;
		Capture c;
		CHECK(ltt::record_traces(k, o) == 0);
		CHECK_THAT(c.out(), Contains("2 events"));
		CHECK(events_on_disk(d) == 2);
		CHECK(ltt_ctl({"check", o.directory}).status == 0);
		CHECK(ltt_ctl({"view", o.directory}).status == 0);
	}
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt::RecordOptions o = record_options(d);
	o.directory = d / std::string(256, 'x');
	CHECK_THROWS_WITH(ltt::record_traces(k, o),
		Contains("File name too long") && Contains("-o DIR names another"));
	CHECK(k.state.ready.size() == 2); // nothing was taken
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
	CHECK(ltt::record_traces(k, record_options(d)) == 0);
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
		CHECK(ltt::record_traces(k, record_options(d)) == 0);
		CHECK_THAT(c.out(), Contains("2 events"));
		CHECK(waits == 1);
		CHECK(events_on_disk(d) == 2);
	}
}

TEST_CASE("a signal that comes while record reads does not cut it off; it ends with what it read")
{
	for (int number : {SIGINT, SIGTERM}) {
		Directory d;
		FakeKernel k = kernel_with_trace();
		int reads = 0, waits = 0;
		k.state.on_read = [&] {
			if (++reads > 1)
				return;
			// In a system call that waits, as that of the trace may for a page.
			int ends[2];
			REQUIRE(pipe(ends) == 0);
			const pid_t parent = getpid(), child = fork();
			if (child == 0) {
				while (state_of(parent) != 'S')
					usleep(1000);
				kill(parent, number);
				usleep(20000);
				_exit(write(ends[1], "", 1) == 1 ? 0 : 1);
			}
			char byte;
			CHECK(read(ends[0], &byte, 1) == 1);
			close(ends[0]);
			close(ends[1]);
			int status;
			REQUIRE(waitpid(child, &status, 0) == child);
			CHECK(status == 0);
		};
		k.state.on_wait = [&] {
			REQUIRE(++waits < 100);
			ltt::wait_for(nullptr, 0, 0); // as the real one
		};
		Capture c;
		CHECK(ltt::record_traces(k, record_options(d)) == 0);
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
	CHECK(ltt::record_traces(k, o) == 0);
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
		CHECK(ltt::record_traces(k, o) == 5);
		CHECK_THAT(c.out(), Contains("9 lost"));
		CHECK_THAT(c.err(), Contains("--subbuf-size, --n-subbufs"));
	}
	SECTION("damaged packets")
	{
		ltt_packet h = packet_header();
		h.sequence = 2;
		k.state.in_open.push_back(packet(h, event(5000, 99)));
		Capture c;
		CHECK(ltt::record_traces(k, o) == 6);
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
		CHECK(ltt::record_traces(k, o) == 5);
		CHECK_THAT(c.out(), Contains("8 lost"));
	}
	SECTION("a directory in use")
	{
		std::filesystem::create_directories(d / "out/something");
		CHECK_THROWS_WITH(ltt::record_traces(k, o), Contains("is not empty; -o DIR"));
	}
	SECTION("a directory that cannot be made")
	{
		std::ofstream(d / "file") << "no directory";
		o.directory = d / "file/out";
		CHECK_THROWS_WITH(
			ltt::record_traces(k, o), Contains("file/out: ") && Contains("; -o DIR"));
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
		ltt::record_traces(k, o);
	} catch (const ltt::Error &e) {
		what = e.what();
	}
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK_THAT(what, Contains("File too large"));
}

TEST_CASE("record of several traces makes a directory of each, and a line at the end")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	k.others.push_back(kernel_with_trace().state);
	k.others[0].params.name = "other";
	k.others[0].in_open.push_back(one_event_packet(2));
	ltt::RecordOptions o = record_options(d);
	o.names = {"mine", "other"};
	o.drain = true;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	CHECK(c.out() == "2 events, 1 processes, 1 threads, 0 lost, 0.0 MB, " + o.directory +
				 "/mine\n3 events, 1 processes, 1 threads, 0 lost, 0.0 MB, " +
				 o.directory + "/other\n");
	CHECK(events_on_disk(d) == 5);
	CHECK_THAT(content(d / "out/mine/ust/program/metadata"), Contains("\"mine\""));
	CHECK_THAT(content(d / "out/other/ust/program/metadata"), Contains("\"other\""));
}

TEST_CASE("record of several traces ends with the last of them, and takes the worst exit status")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	k.others.push_back(kernel_with_trace().state);
	k.others[0].params.name = "other";
	ltt_packet lossy = packet_header();
	lossy.sequence = 2;
	lossy.lost = 7;
	k.others[0].in_open.push_back(packet(lossy, {}));
	ltt::RecordOptions o = record_options(d);
	o.names = {"mine", "other"};
	o.until_stopped = GENERATE(false, true);
	int waits = 0;
	k.state.on_wait = [&] {
		REQUIRE(++waits < 100);
		FakeState &over = waits == 3 ? k.state : k.others[0];
		if (waits != 1 && waits != 3)
			return;
		over.close_open();
		over.active = false;
		over.destroyed = !o.until_stopped;
	};
	Capture c;
	CHECK(ltt::record_traces(k, o) == 5);
	CHECK_THAT(c.out(), Contains(" 7 lost") && Contains(" 0 lost"));
	CHECK_THAT(c.err(), Contains("events were lost"));
	CHECK(waits == 3);
}

TEST_CASE("record ends although a thread writes faster than it reads")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	uint64_t sequence = 1;
	k.state.in_open.clear();
	k.state.memory = 1 << 20;
	k.state.on_read = [&] {
		ltt_packet h = packet_header();
		h.sequence = sequence++;
		Bytes body;
		while (body.size() < 256 * 1024)
			append(body, event(3000 + sequence, 1));
		if (sequence < 10000)
			k.state.ready.push_back(packet(h, body));
	};
	ltt::RecordOptions o = record_options(d);
	o.drain = true;
	Capture c;
	CHECK(ltt::record_traces(k, o) == 0);
	// What the buffers held, and some more.
	CHECK(sequence > 4);
	CHECK(sequence < 200);
}

TEST_CASE("record refuses a trace that another process records, before anything is on disk")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	k.others.push_back(kernel_with_trace().state);
	k.others[0].params.name = "other";
	k.others[0].reader = 4711;
	ltt::RecordOptions o = record_options(d);
	o.names = {"mine", "other"};
	o.drain = true;
	CHECK_THROWS_WITH(ltt::record_traces(k, o), Contains("process 4711"));
	CHECK_FALSE(std::filesystem::exists(o.directory));
}

TEST_CASE("record shows on a terminal how it goes: events, megabytes, losses, and how fast")
{
	Directory d;
	FakeKernel k = kernel_with_trace();
	ltt_packet h = packet_header();
	h.sequence = 1;
	h.lost = 7;
	k.state.ready.push_back(packet(h, event(3000, 1)));
	const ltt::RecordOptions o = record_options(d);
	int terminal;
	const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
	REQUIRE(child >= 0);
	if (child == 0) {
		int waits = 0;
		k.state.on_wait = [&] {
			usleep(20000);
			k.state.destroyed = ++waits == 60; // it shows something twice in a second
		};
		const int code = ltt::record_traces(k, o);
		std::fflush(nullptr);
		_exit(code);
	}
	const std::string shown = shown_on(terminal);
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	close(terminal);
	CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 5));
	CHECK_THAT(shown, Contains("\r2 events, 0.0 MB, 7 lost, ") && Contains(" events/s"));
	// It does not stay.
	const size_t cleared = shown.rfind("\r\033[K");
	CHECK((cleared != std::string::npos && cleared > shown.rfind("events/s")));
	CHECK_THAT(shown, Contains("2 events, 1 processes"));
}

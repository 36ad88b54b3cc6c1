// SPDX-License-Identifier: MIT
//
// A forked child has streams of its own, at the addresses where its parent has
// its; and an event that was half written when a handler forked ends well in
// both.

// Stops a marker at each step of the write protocol.
static void (*at_step)(const char *);
#define UST_DETAIL_STEP(name) (at_step ? at_step(#name) : void())

#include "../streams.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

ltt::Buffer buffer; // of the test's main thread, and so of its children

// Events of everything that ended, and of what goes on.
std::map<uint64_t, ltt::Stream> read_all(ltt::Trace &trace, size_t n)
{
	trace.flush();
	return ltt::read_streams(trace, n);
}

// Buffers have two mappings each, of a file of that name.
int mappings()
{
	std::string maps = ktap::read_file("/proc/self/maps");
	int n = 0;
	for (size_t at = 0; (at = maps.find("ltt", at)) != std::string::npos; ++at)
		++n;
	if (n != 2)
		printf("%s\n", maps.c_str());
	return n;
}

void tell(const char *step)
{
	printf("step %s\n", step);
	fflush(stdout); // or children say it again
}

// In a marker that has come to this step.
const char *wanted_step;
pid_t forked;
void (*in_child)();

// A handler, though called as a function: what counts is where the marker is.
void fork_at_step(const char *step)
{
	if (strcmp(step, wanted_step) != 0)
		return;
	at_step = nullptr;
	buffer.write(uint64_t{1000});
	forked = fork();
	REQUIRE(forked >= 0);
	buffer.write(uint64_t{forked ? 1001u : 2000u});
	if (!forked && in_child)
		in_child();
}

std::vector<uint64_t> sorted_numbers(const ltt::Stream &stream)
{
	std::vector<uint64_t> numbers;
	for (const ltt::Event &e : stream.events)
		numbers.push_back(e.as<uint64_t>());
	std::sort(numbers.begin(), numbers.end());
	return numbers;
}

// Before the reservation the event is each one's own; after it, the parent's.
bool after_reservation(const std::string &step)
{
	return step != "begun" && step != "before_clock" && step != "before_reserve" &&
	       step != "no_room";
}

struct Outcome {
	ltt::Stream parent, child;
};

// A marker is interrupted at a step, its handler forks, both finish it (or the
// child does what in_child says) and write one event more.
Outcome fork_in_marker(const char *step)
{
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 8;
	ltt::Trace trace(params);
	trace.start();
	buffer = ltt::Buffer::of(trace);
	size_t filled = 3;
	if (!strcmp(step, "no_room"))
		filled = 4096 / 16;
	ltt::write_numbers(buffer, 0, filled);
	wanted_step = step;
	forked = -1;
	at_step = fork_at_step;
	buffer.write(uint64_t{500});
	if (!CHECK(!at_step))
		printf("the step %s was not reached\n", step);
	buffer.write(uint64_t{forked ? 1002u : 2001u});
	if (!forked)
		ktap::end_test(0);
	wait_for(forked);
	auto streams = read_all(trace, 2);
	Outcome outcome = {ltt::stream_of(streams, getpid()), ltt::stream_of(streams, forked)};
	trace.destroy();
	void *address = buffer.address();
	int active, filter;
	CHECK_ERRNO(ltt_update(&address, &active, &filter), ENOENT);
	REQUIRE_EQ(munmap(buffer.address(), buffer.size()), 0);
	return outcome;
}

const char *const steps[] = {"begun", "before_clock", "before_reserve", "reserved", "stored",
	"before_commit", "committed", "ended", "no_room"};

} // namespace

TEST("fork: the child has a stream of its own at the same address")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 10);
	pid_t child = spawn([] {
		CHECK_EQ(mappings(), 2);
		ltt::write_numbers(buffer, 100, 10);
		// There is none beside the one it was born with.
		CHECK_EQ(ltt::Buffer::next().address(), nullptr);
	});
	ltt::write_numbers(buffer, 10, 10);
	CHECK_EQ(wait_for(child), 0);
	auto streams = read_all(trace, 2);
	ltt::Stream mine = ltt::stream_of(streams, getpid()), its = ltt::stream_of(streams, child);
	mine.check_numbers(0, 20);
	its.check_ended(100, 10);
	CHECK_NE(mine.header.process, its.header.process);
	CHECK_EQ(its.header.pid, child);
}

TEST("fork: many children in turn, each with one event, and the memory comes back")
{
	constexpr int n = 100;
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	std::vector<pid_t> children;
	for (uint64_t i = 0; i < n; ++i) {
		children.push_back(spawn([&] { buffer.write(i); }));
		CHECK_EQ(wait_for(children.back()), 0);
	}
	auto streams = read_all(trace, n + 1);
	for (uint64_t i = 0; i < n; ++i)
		ltt::stream_of(streams, children[i]).check_ended(i, 1);
	CHECK_EQ(trace.info().buffers, 1);
	WAIT_UNTIL(trace.memory() == 4 * 4096);
}

TEST("fork: a child that writes nothing has no stream and costs no buffer")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	pid_t child = spawn([&] {
		CHECK_EQ(trace.info().buffers, 1);
		CHECK_EQ(trace.memory(), 4 * 4096);
		CHECK_EQ(buffer->active, 1); // the first page costs none
		CHECK_EQ(trace.info().buffers, 1);
	});
	CHECK_EQ(wait_for(child), 0);
	read_all(trace, 1);
}

TEST("fork: of a child that has not touched its buffer yet, six deep")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{0});
	pid_t *pids = *shared<pid_t[7]>();
	pids[0] = getpid();
	for (int depth = 1; depth <= 6; ++depth) {
		pid_t child = fork();
		REQUIRE(child >= 0);
		if (child) {
			CHECK_EQ(wait_for(child), 0);
			break;
		}
		pids[depth] = getpid();
		// Every other one writes before it forks.
		if (depth % 2)
			ltt::write_numbers(buffer, static_cast<uint64_t>(depth), 1);
	}
	if (getpid() != pids[0]) {
		if (getpid() == pids[6])
			buffer.write(uint64_t{6});
		ktap::end_test(0);
	}
	auto streams = read_all(trace, 5);
	for (int depth : {1, 3, 5, 6})
		ltt::stream_of(streams, pids[depth]).check_ended(static_cast<uint64_t>(depth), 1);
}

TEST("fork: from a thread among 30: the child has that one's buffer alone")
{
	constexpr uint64_t n = 30;
	ltt::Trace trace(ltt::params());
	trace.start();
	std::atomic<uint64_t> ready{0};
	std::atomic<bool> end{false};
	std::vector<std::thread> threads;
	pid_t child = 0, forking = 0;
	for (uint64_t t = 0; t < n; ++t)
		threads.emplace_back([&, t] {
			ltt::Buffer own = ltt::Buffer::of(trace);
			ltt::write_numbers(own, t * 100, 10);
			++ready;
			if (t == n / 2) {
				WAIT_UNTIL(ready == n);
				forking = ktap::gettid();
				child = spawn([&] {
					CHECK_EQ(mappings(), 2);
					ltt::write_numbers(own, 7777, 10);
				});
				CHECK_EQ(wait_for(child), 0);
				own.write(t * 100 + 10);
				end = true;
			}
			WAIT_UNTIL(end);
		});
	for (std::thread &thread : threads)
		thread.join();
	auto streams = read_all(trace, n + 1);
	ltt::stream_of(streams, child).check_ended(7777, 10);
	ltt::stream_of(streams, forking).check_numbers(n / 2 * 100, 11);
}

TEST("fork: a process of 1000 writing threads forks: exact, and no mapping too many", seconds(40))
{
	constexpr uint64_t n = 1000;
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 2;
	ltt::Trace trace(params);
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	std::atomic<uint64_t> ready{0};
	int hold[2];
	REQUIRE_EQ(pipe(hold), 0);
	std::vector<std::thread> threads;
	for (uint64_t t = 0; t < n; ++t)
		threads.emplace_back([&, t] {
			ltt::Buffer own = ltt::Buffer::of(trace);
			own.write(t);
			++ready;
			char end;
			CHECK_EQ(read(hold[0], &end, 1), 0);
		});
	WAIT_UNTIL_FOR(30, ready == n);
	pid_t child = spawn([&] {
		CHECK_EQ(mappings(), 2);
		ltt::write_numbers(buffer, 100, 5);
	});
	CHECK_EQ(wait_for(child), 0);
	close(hold[1]);
	for (std::thread &thread : threads)
		thread.join();
	auto streams = read_all(trace, n + 2);
	ltt::stream_of(streams, child).check_ended(100, 5);
}

TEST("fork in a handler inside a marker, at each of its steps: both streams are exact")
{
	in_child = nullptr;
	for (const char *step : steps) {
		tell(step);
		Outcome outcome = fork_in_marker(step);
		bool before = !after_reservation(step);
		uint64_t first = before && !strcmp(step, "no_room") ? 256 : 3;
		std::vector<uint64_t> parent, child = {2000, 2001};
		for (uint64_t i = 0; i < first; ++i)
			parent.push_back(i);
		parent.insert(parent.end(), {500, 1000, 1001, 1002});
		if (before)
			child.insert(child.begin(), 500);
		CHECK(sorted_numbers(outcome.parent) == parent);
		if (!CHECK(sorted_numbers(outcome.child) == child))
			for (uint64_t number : sorted_numbers(outcome.child))
				printf("the child's: %lu\n", number);
		CHECK(outcome.child.last());
		CHECK(!outcome.child.torn());
	}
}

TEST("fork in a handler inside a marker, at each of its steps: the events are counted right")
{
	in_child = nullptr;
	for (const char *step : steps) {
		tell(step);
		Outcome outcome = fork_in_marker(step);
		CHECK_EQ(outcome.parent.header.events, outcome.parent.events.size());
		CHECK_EQ(outcome.child.header.events, outcome.child.events.size());
		CHECK_EQ(outcome.parent.header.lost + outcome.child.header.lost, 0);
	}
}

TEST("fork in a handler inside a marker, which the child never ends: its own events are there")
{
	in_child = [] { _exit(0); };
	for (const char *step : steps) {
		tell(step);
		Outcome outcome = fork_in_marker(step);
		CHECK_EQ(sorted_numbers(outcome.child).size(), 1);
		CHECK_EQ(outcome.child.header.events, 1);
		CHECK(!outcome.child.torn());
		CHECK_EQ(outcome.parent.header.events, outcome.parent.events.size());
	}
}

namespace
{

// Handlers run deeper in the stack than the markers that they interrupt.
[[gnu::noinline]] void write_deeper(uint64_t value)
{
	buffer.write(value);
}

template <class Inner>
[[gnu::noinline]] void write_around(Inner inner)
{
	ltt::write_event(buffer.operator->(), 16, 8, [=](char *at) {
		uint64_t own = 500;
		memcpy(at, &own, sizeof(own));
		inner();
	});
}

} // namespace

TEST("fork in a handler inside a handler's marker inside a marker: both streams are exact")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	write_around([] {
		write_around([] {
			forked = fork();
			REQUIRE(forked >= 0);
			if (!forked)
				write_deeper(2000);
		});
		write_deeper(forked ? 1000 : 2001);
	});
	if (!forked) {
		buffer.write(uint64_t{2002});
		ktap::end_test(0);
	}
	CHECK_EQ(wait_for(forked), 0);
	auto streams = read_all(trace, 2);
	ltt::Stream parent = ltt::stream_of(streams, getpid());
	CHECK_EQ(parent.events.size(), 3);
	CHECK_EQ(parent.header.events, 3);
	ltt::stream_of(streams, forked).check_ended(2000, 3);
}

TEST("fork between the destruction of a trace and the thread's next update: the child lives")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	trace.destroy();
	pid_t child = spawn([] {
		// As a marker does that has not heard of it yet:
		CHECK_EQ(buffer->active, 0);
		void *address = buffer.address();
		int active, filter;
		CHECK_ERRNO(ltt_update(&address, &active, &filter), ENOENT);
	});
	CHECK_EQ(wait_for(child), 0);
}

TEST("fork in the middle of an event of a trace destroyed meanwhile: both live")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	ltt::write_event(buffer.operator->(), 16, 8, [&](char *at) {
		trace.destroy();
		forked = fork();
		REQUIRE(forked >= 0);
		memset(at, 1, 8);
	});
	if (!forked)
		ktap::end_test(0);
	CHECK_EQ(wait_for(forked), 0);
}

TEST("fork after a buffer was unmapped and another one mapped at its address")
{
	ltt::Trace first(ltt::params("first"));
	ltt::Buffer old = ltt::Buffer::of(first);
	ltt::write_numbers(old, 0, 1);
	REQUIRE_EQ(munmap(old.address(), old.size()), 0);
	ltt::Trace second(ltt::params("second"));
	second.start();
	buffer = ltt::Buffer::of(second);
	if (buffer.address() != old.address())
		SKIP("the kernel chose another address");
	ltt::write_numbers(buffer, 0, 1);
	CHECK_EQ(ltt_switch(buffer.address()), 0);
	pid_t child = spawn([] { ltt::write_numbers(buffer, 10, 1); });
	CHECK_EQ(wait_for(child), 0);
	auto streams = read_all(second, 2);
	CHECK_EQ(ltt::stream_of(streams, getpid()).packets, 1);
	ltt::stream_of(streams, child).check_ended(10, 1);
}

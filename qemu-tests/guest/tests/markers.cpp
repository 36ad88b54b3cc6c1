// SPDX-License-Identifier: MIT
//
// Real markers on the real kernel: what UST() wrote is what a reader gets,
// whatever becomes of trace, thread and process.

#include "../streams.h"

#include <ust/definition.h>
#include <ust/ust.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <map>
#include <random>
#include <sys/time.h>
#include <thread>

UST_EVENT(guest, number, UST_BIT(0), (std::uint64_t, value))
UST_EVENT(guest, pair, UST_BIT(1), (std::uint64_t, value)(std::uint32_t, half))
UST_EVENT(guest, nothing, UST_BIT(2))

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

// An event as a reader knows it, by the definitions of its process.
struct Known {
	std::string name;
	uint64_t value = 0;
};

struct Definition {
	std::string name;
	size_t size = 0; // of the payload
};

using Definitions = std::map<uint16_t, Definition>;

size_t size_of_type(char type)
{
	switch (type) {
	case UST_TYPE_U64:
		return 8;
	case UST_TYPE_U32:
		return 4;
	}
	ktap::fail(__FILE__, __LINE__, "a field of type %d", type);
	return 0;
}

void add_definitions(Definitions &all, const std::vector<uint8_t> &bytes)
{
	for (size_t at = 0; at + sizeof(ust_definition) <= bytes.size();) {
		ust_definition d;
		memcpy(&d, &bytes[at], sizeof(d));
		if (d.magic != UST_DEFINITION_MAGIC) {
			at += 8;
			continue;
		}
		const char *text = reinterpret_cast<const char *>(&bytes[at]) + sizeof(d);
		text += strlen(text) + 1; // provider
		Definition definition{text, 0};
		text += strlen(text) + 1;
		for (int field = 0; field < d.n_fields; ++field) {
			definition.size += size_of_type(*text);
			text += strlen(text) + 1; // type and name
		}
		auto [known, fresh] = all.emplace(d.id, definition);
		CHECK(fresh || known->second.name == definition.name);
		CHECK_NE(d.id, 0);
		at += d.size;
	}
}

// One thread's stream.
struct Reading {
	ltt_packet header = {};
	std::vector<Known> events;
	uint32_t flags = 0;
	size_t paddings = 0;

	size_t count(const char *name) const
	{
		size_t n = 0;
		for (const Known &e : events)
			n += e.name == name;
		return n;
	}
};

void walk(const ltt::Packet &p, const Definitions &definitions, Reading &r)
{
	uint64_t time = p.header.begin;
	for (size_t at = 0; at < p.data.size();) {
		uint64_t word;
		REQUIRE(p.data.size() - at >= sizeof(word));
		memcpy(&word, &p.data[at], sizeof(word));
		if (!(word & 0xffff)) { // padding, perhaps beyond the packet
			CHECK_GE(word >> 16, sizeof(word));
			at += word >> 16;
			++r.paddings;
			continue;
		}
		auto found = definitions.find(static_cast<uint16_t>(word));
		REQUIRE(found != definitions.end());
		CHECK_GE(word >> 16, time);
		CHECK_LE(word >> 16, p.header.end);
		time = word >> 16;
		at += sizeof(word);
		const Definition &d = found->second;
		REQUIRE(p.data.size() - at >= d.size);
		Known event{d.name, 0};
		if (d.size)
			memcpy(&event.value, &p.data[at], sizeof(event.value));
		if (d.size == 12) {
			uint32_t half;
			memcpy(&half, &p.data[at + 8], sizeof(half));
			CHECK_EQ(half, static_cast<uint32_t>(event.value / 2));
		}
		r.events.push_back(event);
		at += d.size;
	}
}

// What can be read now, by thread. Definitions must come before their events,
// and come once, so they are kept.
std::map<pid_t, Reading> read_all(ltt::Trace &trace)
{
	static std::map<uint64_t, Definitions> definitions;
	std::map<pid_t, Reading> readings;
	for (const ltt::Packet &p : trace.read_packets()) {
		if (p.header.type == LTT_PACKET_DEFINITIONS) {
			add_definitions(definitions[p.header.process], p.data);
			continue;
		}
		Reading &r = readings[static_cast<pid_t>(p.header.tid)];
		CHECK(!p.corrupt());
		r.header = p.header;
		r.flags |= p.header.flags;
		walk(p, definitions[p.header.process], r);
	}
	return readings;
}

Reading read_mine(ltt::Trace &trace)
{
	trace.flush();
	return read_all(trace)[ktap::gettid()];
}

struct Progress {
	std::atomic<uint64_t> started, done;
};

void emit_for_ever(Progress &progress)
{
	for (uint64_t i = 1;; ++i) {
		progress.started = i;
		if (i % 3)
			UST(guest, number, i);
		else
			UST(guest, pair, i, static_cast<uint32_t>(i / 2));
		progress.done = i;
	}
}

ltt_trace_params big()
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 16384;
	p.n_subbufs = 16;
	return p;
}

} // namespace

TEST("events come with their definitions, once for each process and descriptor")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	UST(guest, number, 42u);
	UST(guest, nothing);
	UST(guest, pair, 7u, 3u);
	trace.flush();
	ltt::Trace other = ltt::Trace::open("test");
	size_t definitions = 0, events = 0;
	for (const ltt::Packet &p : other.read_packets())
		(p.header.type == LTT_PACKET_DEFINITIONS ? definitions : events)++;
	CHECK_EQ(definitions, 1);
	CHECK_EQ(events, 1);
	UST(guest, number, 43u);
	Reading mine = read_mine(trace);
	REQUIRE_EQ(mine.events.size(), 1);
	CHECK_EQ(mine.events[0].name, "number");
	CHECK_EQ(mine.events[0].value, 43);
	CHECK_EQ(mine.header.events, 4);
}

TEST("the filter chooses the events, and a change of it shows at the next marker")
{
	ltt_trace_params params = ltt::params();
	params.filter = UST_BIT(0);
	ltt::Trace trace(params);
	trace.start();
	auto emit = [] {
		for (unsigned i = 0; i < 5; ++i) {
			UST(guest, number, i);
			UST(guest, pair, i, i / 2);
			UST(guest, nothing);
		}
	};
	auto expect = [&](size_t number, size_t pair, size_t nothing) {
		emit();
		Reading mine = read_mine(trace);
		CHECK_EQ(mine.count("number"), number);
		CHECK_EQ(mine.count("pair"), pair);
		CHECK_EQ(mine.count("nothing"), nothing);
	};
	expect(5, 0, 0);
	trace.filter(UST_BIT(1));
	expect(0, 5, 0);
	trace.filter(UST_BIT(1) | UST_BIT(2));
	expect(0, 5, 5);
	trace.filter(UST_BIT(31));
	expect(0, 0, 0);
	trace.filter(0);
	CHECK(!UST_ENABLED(guest, number));
	expect(0, 0, 0);
	trace.filter(~0u);
	expect(5, 5, 5);
	trace.stop();
	CHECK(!UST_ENABLED(guest, number));
	expect(0, 0, 0);
	trace.start();
	expect(5, 5, 5);
}

TEST("two traces with different filters get each what they want")
{
	ltt_trace_params first = ltt::params("first"), second = ltt::params("second");
	first.filter = UST_BIT(0) | UST_BIT(1);
	second.filter = UST_BIT(1);
	ltt::Trace a(first), b(second);
	a.start();
	UST(guest, pair, 2u, 1u);
	b.start();
	UST(guest, number, 1u);
	UST(guest, pair, 4u, 2u);
	a.destroy();
	UST(guest, number, 1u);
	UST(guest, pair, 6u, 3u);
	Reading in_a = read_all(a)[getpid()], in_b = read_mine(b);
	CHECK_EQ(in_a.count("pair"), 2);
	CHECK_EQ(in_a.count("number"), 1);
	CHECK_EQ(in_b.count("pair"), 2);
	CHECK_EQ(in_b.count("number"), 0);
}

TEST("a process with markers is killed at 60 random instants: emitted = recorded + lost",
	seconds(60))
{
	std::mt19937 random(7);
	ltt::Trace trace(big());
	trace.start();
	size_t torn = 0;
	for (int i = 0; i < 60; ++i) {
		auto &progress = *shared<Progress>();
		pid_t child = spawn([&] { emit_for_ever(progress); });
		uint64_t enough = random() % 1500;
		WAIT_UNTIL(progress.done > enough);
		kill(child, i % 2 ? SIGKILL : SIGSEGV);
		wait_for(child);
		Reading r = read_all(trace)[child];
		uint64_t all = r.events.size() + r.header.lost;
		CHECK_GE(all, progress.done.load());
		CHECK_LE(all, progress.started.load());
		CHECK(r.flags & LTT_PACKET_LAST);
		torn += (r.flags & LTT_PACKET_TORN) != 0;
		uint64_t next = 1;
		for (const Known &e : r.events)
			if (!CHECK_EQ(e.value, next++))
				break;
		munmap(&progress, sizeof(progress));
	}
	printf("%zu of 60 torn\n", torn);
}

namespace
{

sigjmp_buf back;

struct Left {
	std::atomic<uint64_t> started, left;
	std::atomic<bool> enough, quiet, go_on, ended;
};

// Numbers events; each of a timer's signals leaves the loop, wherever it is.
void leave_markers(Left &counts)
{
	static Left *the_counts;
	the_counts = &counts;
	UST(guest, number, ++counts.started); // takes up the buffer
	signal(SIGALRM, [](int) {
		++the_counts->left;
		siglongjmp(back, 1);
	});
	sigsetjmp(back, 1);
	itimerval timer = {{0, 100}, {0, 100}};
	setitimer(ITIMER_REAL, &timer, nullptr);
	while (!counts.enough) {
		UST(guest, number, ++counts.started);
		for (volatile int i = 0; i < 100; i = i + 1)
			; // the reader shall keep up
	}
	signal(SIGALRM, SIG_IGN);
	counts.quiet = true;
	while (!counts.go_on)
		usleep(1000);
	for (int i = 0; i < 10; ++i)
		UST(guest, number, ++counts.started);
	counts.ended = true;
}

} // namespace

TEST("a handler leaves by longjmp, often in the midst of a marker: that event alone is lost",
	seconds(60))
{
	ltt_trace_params params = big();
	params.n_subbufs = 64;
	ltt::Trace trace(params);
	trace.start();
	auto &counts = *shared<Left>();
	pid_t child = spawn([&] { leave_markers(counts); });
	uint64_t recorded = 0, last = 0, paddings = 0, lost = 0;
	for (bool over = false; !over;) {
		bool quiet = counts.quiet;
		over = counts.ended;
		if (over)
			CHECK_EQ(wait_for(child), 0);
		auto all = read_all(trace);
		counts.go_on = quiet; // there is room for the last ones
		if (!all.count(child)) {
			usleep(1000);
			continue;
		}
		for (const Known &e : all[child].events) {
			CHECK_GT(e.value, last);
			last = e.value;
			++recorded;
		}
		paddings += all[child].paddings;
		counts.enough = paddings > 2; // hit in the midst, by chance
		lost = all[child].header.lost;
	}
	printf("%llu recorded, %llu lost, %llu left, %llu in their midst\n",
		static_cast<unsigned long long>(recorded), static_cast<unsigned long long>(lost),
		static_cast<unsigned long long>(counts.left),
		static_cast<unsigned long long>(paddings));
	CHECK_LE(recorded + lost, counts.started.load());
	CHECK_GE(recorded + lost + counts.left, counts.started.load());
	CHECK_EQ(last, counts.started.load());
	munmap(&counts, sizeof(counts));
}

TEST("one marker, then _exit: 100 processes, 100 events")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	std::vector<pid_t> children;
	for (uint64_t i = 0; i < 100; ++i) {
		children.push_back(spawn([=] {
			UST(guest, number, i);
			_exit(0);
		}));
		CHECK_EQ(wait_for(children.back()), 0);
	}
	auto all = read_all(trace);
	for (uint64_t i = 0; i < 100; ++i) {
		Reading &r = all[children[i]];
		REQUIRE_EQ(r.events.size(), 1);
		CHECK_EQ(r.events[0].value, i);
		CHECK(r.flags & LTT_PACKET_LAST);
	}
}

TEST("a thread that blocks all signals and spins on markers follows the trace by the gate")
{
	auto *end = shared<std::atomic<bool>>();
	auto *spins = shared<std::atomic<uint64_t>>();
	pid_t child = spawn([&] {
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, nullptr);
		while (!*end) {
			UST(guest, number, 1u);
			++*spins;
		}
	});
	WAIT_UNTIL(*spins > 100);
	for (int round = 0; round < 8; ++round) {
		ltt::Trace trace(ltt::params());
		CHECK_EQ(trace.info().buffers, 0);
		trace.start();
		WAIT_UNTIL(trace.info().buffers == 1);
		uint64_t first = *spins;
		WAIT_UNTIL(*spins > first + 1); // one whole marker
		trace.stop();
		CHECK_GT(read_all(trace)[child].events.size(), 0);
		uint64_t before = *spins;
		WAIT_UNTIL(*spins > before + 2); // the marker in flight has ended
		trace.flush();
		read_all(trace);
		WAIT_UNTIL(*spins > before + 100);
		trace.flush();
		CHECK_EQ(read_all(trace)[child].events.size(), 0);
	}
	*end = true;
	CHECK_EQ(wait_for(child), 0);
}

TEST("8 threads, a timer whose handler has markers, and forks: nothing lost, nothing torn",
	seconds(40))
{
	constexpr uint64_t n = 3000;
	static std::atomic<uint64_t> in_handler;
	ltt_trace_params params = big();
	params.n_subbufs = 64;
	ltt::Trace trace(params);
	trace.start();
	signal(SIGALRM, [](int) {
		UST(guest, nothing);
		++in_handler;
	});
	// A thread has its buffer from its first marker on: a handler on top of
	// that one comes too early.
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
	UST(guest, number, 0u);
	itimerval timer = {{0, 300}, {0, 300}};
	REQUIRE_OK(setitimer(ITIMER_REAL, &timer, nullptr));
	std::vector<std::thread> threads;
	for (int t = 0; t < 8; ++t)
		threads.emplace_back([=] {
			UST(guest, number, 0u);
			pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
			for (uint64_t i = 1; i < n; ++i)
				UST(guest, number, i);
		});
	pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
	std::vector<pid_t> children;
	for (uint64_t i = 0; i < 20; ++i)
		children.push_back(spawn([=] {
			// A child has no timer.
			UST(guest, pair, i, static_cast<uint32_t>(i / 2));
		}));
	for (std::thread &thread : threads)
		thread.join();
	timer = {};
	REQUIRE_OK(setitimer(ITIMER_REAL, &timer, nullptr));
	for (pid_t child : children)
		CHECK_EQ(wait_for(child), 0);
	trace.flush();
	size_t numbers = 0, nothings = 0, pairs = 0;
	for (auto &[tid, r] : read_all(trace)) {
		numbers += r.count("number");
		nothings += r.count("nothing");
		pairs += r.count("pair");
		CHECK_EQ(r.header.lost, 0);
		CHECK_EQ(r.header.events, r.events.size());
		CHECK(!(r.flags & LTT_PACKET_TORN));
		uint64_t next = 0;
		for (const Known &e : r.events)
			if (e.name == "number" && !CHECK_EQ(e.value, next++))
				break;
	}
	CHECK_EQ(numbers, 8 * n + 1);
	CHECK_EQ(pairs, 20);
	CHECK_EQ(nothings, in_handler.load());
	CHECK_GT(nothings, 10);
}

// SPDX-License-Identifier: MIT
//
// Great numbers: of programs with one event, of threads that are alive at once.
// short_threads.cpp has those of threads that live for one event.
//
// qemu: memory=2G

#include "../streams.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <spawn.h>
#include <thread>

namespace
{

using ktap::spawn;
using ktap::wait_for;

// This program, told by its name to be another one.
pid_t begin_program(const char *what, uint64_t number)
{
	char name[] = "many-program", is[16], text[32];
	snprintf(is, sizeof(is), "%s", what);
	snprintf(text, sizeof(text), "%lu", number);
	char *arguments[] = {name, is, text, nullptr};
	pid_t pid = -1;
	CHECK_EQ(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ), 0);
	return pid;
}

// A program with one marker, which may kill it.
void one_event(bool killed, uint64_t number)
{
	ltt::Buffer buffer = ltt::Buffer::next();
	if (!killed)
		buffer.write(number);
	else
		ltt::write_event(buffer.operator->(), 16, 8, [](char *) { raise(SIGKILL); });
	_exit(0);
}

} // namespace

// Before main(), so that the harness does not take the arguments for its own.
[[gnu::constructor]] static void program(int argc, char **argv, char **)
{
	if (argc == 3 && !strcmp(argv[0], "many-program"))
		one_event(!strcmp(argv[1], "killed"), strtoul(argv[2], nullptr, 10));
}

TEST("programs with one event each, as fast as they can be begun: each is there", seconds(60, 300))
{
	const uint64_t n = ktap::in_full(20000u, 800u);
	constexpr uint64_t spawners = 4;
	ltt::Trace trace(ltt::params());
	trace.start();
	double begin = ktap::now();
	std::vector<pid_t> pids;
	for (uint64_t s = 0; s < spawners; ++s)
		pids.push_back(spawn([=] {
			// Every other one dies in its first marker.
			for (uint64_t i = s; i < n; i += spawners) {
				bool killed = i / spawners % 2;
				pid_t child = begin_program(killed ? "killed" : "one", i);
				int status;
				REQUIRE_EQ(waitpid(child, &status, 0), child);
				CHECK_EQ(status, killed ? SIGKILL : 0);
			}
		}));
	for (pid_t pid : pids) {
		int status = -1;
		WAIT_UNTIL_FOR(280, waitpid(pid, &status, WNOHANG) == pid);
		CHECK_EQ(status, 0);
	}
	printf("%.0f programs a second\n", static_cast<double>(n) / (ktap::now() - begin));
	std::vector<bool> seen(n);
	uint64_t torn = 0;
	for (auto &[number, stream] : ltt::streams_of(trace.read_packets())) {
		CHECK(stream.last());
		CHECK_EQ(stream.header.events, 1);
		CHECK_EQ(stream.events.size(), stream.torn() ? 0 : 1);
		torn += stream.torn();
		for (const ltt::Event &e : stream.events)
			seen.at(e.as<uint64_t>()) = true;
	}
	CHECK_EQ(torn, n / 2);
	CHECK_EQ(static_cast<uint64_t>(std::count(seen.begin(), seen.end(), true)), n - n / 2);
	CHECK_EQ(trace.info().buffers, 0);
	trace.destroy();
	WAIT_UNTIL(trace.info().memory == 0);
}

namespace
{

// The default is 65530; each thread needs two for its stack and two for each buffer.
void allow_mappings(const char *n)
{
	int fd = open("/proc/sys/vm/max_map_count", O_WRONLY);
	REQUIRE(fd >= 0);
	CHECK_GT(write(fd, n, strlen(n)), 0);
	close(fd);
}

template <class Work>
double timed(const char *what, Work work)
{
	double begin = ktap::now();
	work();
	double seconds = ktap::now() - begin;
	printf("%s: %.1f ms\n", what, seconds * 1000);
	return seconds;
}

// Threads that are all alive until the crowd leaves.
class Crowd
{
public:
	template <class Work>
	Crowd(uint64_t n, Work work) : each([=](uint64_t number) { work(number); })
	{
		REQUIRE_OK(pipe(hold));
		pthread_attr_t small;
		pthread_attr_init(&small);
		pthread_attr_setstacksize(&small, 64 * 1024);
		threads.resize(n);
		for (pthread_t &thread : threads)
			REQUIRE_EQ(pthread_create(&thread, &small, member, this), 0);
		WAIT_UNTIL_FOR(100, ready == n);
	}

	void leave()
	{
		close(hold[1]);
		for (pthread_t thread : threads)
			pthread_join(thread, nullptr);
		close(hold[0]);
	}

private:
	static void *member(void *data)
	{
		Crowd &crowd = *static_cast<Crowd *>(data);
		crowd.each(crowd.begun++);
		++crowd.ready;
		char byte;
		CHECK_EQ(read(crowd.hold[0], &byte, 1), 0);
		return nullptr;
	}

	std::function<void(uint64_t)> each;
	std::atomic<uint64_t> begun{0}, ready{0};
	int hold[2];
	std::vector<pthread_t> threads;
};

} // namespace

TEST("ten thousand threads in three traces: all are told, all is read, nothing stays",
	seconds(90, 300))
{
	const uint64_t n = ktap::in_full(10000u, 800u);
	constexpr size_t n_traces = 3;
	allow_mappings("200000");
	ltt_trace_params p = ltt::params("a");
	p.n_subbufs = 2;
	std::vector<ltt::Trace> traces;
	for (char name : {'a', 'b', 'c'}) {
		p.name[0] = name;
		traces.emplace_back(p);
		traces.back().start();
	}
	ltt::handle_signal();
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	double begin = ktap::now();
	Crowd crowd(n, [](uint64_t number) {
		for (unsigned i = 0; i < n_traces; ++i) {
			ltt::Buffer buffer = ltt::Buffer::next();
			REQUIRE(buffer);
			if (i == number % n_traces)
				buffer.write(number);
		}
	});
	printf("%lu threads begun in %.1f s\n", n, ktap::now() - begin);
	uint64_t buffers = 0;
	for (const ltt::Trace &trace : traces)
		buffers += trace.info().buffers;
	CHECK_EQ(buffers, n);
	double limit = 0.5 * ktap::patience();
	CHECK_LT(timed("stop", [&] { traces[0].stop(); }), limit);
	CHECK_LT(timed("start", [&] { traces[0].start(); }), limit);
	CHECK_LT(timed("filter", [&] { traces[0].filter(0x3); }), limit);
	CHECK_LT(timed("destroy", [&] { traces[1].destroy(); }), 4 * limit);
	timed("end of all threads", [&] { crowd.leave(); });
	uint64_t events = 0;
	for (ltt::Trace &trace : traces) {
		for (auto &[number, stream] : ltt::streams_of(trace.read_packets())) {
			CHECK_EQ(stream.events.size(), 1);
			CHECK(stream.last());
			events += stream.events.size();
		}
		CHECK_EQ(trace.info().refused, 0);
		CHECK_EQ(trace.info().buffers, 0);
	}
	traces[0].destroy();
	traces[2].destroy();
	for (ltt::Trace &trace : traces)
		WAIT_UNTIL(trace.info().memory == 0);
	CHECK_EQ(events, n);
	allow_mappings("65530");
}

// SPDX-License-Identifier: MIT
//
// Processors that go and come, and processors that are taken by real-time
// threads: markers neither wait nor lose count.

#include "../streams.h"

#include <atomic>
#include <sched.h>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

void set(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, value, strlen(value)), static_cast<ssize_t>(strlen(value)));
	close(fd);
}

constexpr const char *cpu1 = "/sys/devices/system/cpu/cpu1/online";

} // namespace

TEST("a processor goes and comes under writers and readers: nothing is lost or torn", seconds(60))
{
	constexpr int n = 4;
	auto &end = *shared<std::atomic<bool>>();
	auto &written = *shared<std::atomic<uint64_t>[n]>();
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 64;
	ltt::Trace trace(params);
	trace.start();
	std::vector<pid_t> writers;
	for (int i = 0; i < n; ++i)
		writers.push_back(spawn([&, i] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			for (; !end; written[i] += 10) {
				ltt::write_numbers(buffer, written[i], 10);
				// Else a slow kernel's reader never comes to an end.
				usleep(i % 2 ? 500 : 1);
			}
		}));
	std::map<uint64_t, ltt::Stream> streams;
	std::map<pid_t, uint64_t> recorded;
	auto take = [&] {
		trace.flush();
		for (const ltt::Packet &p : trace.read_packets()) {
			ltt::add_packet(streams, p);
			// On a slow machine they are more than fit into memory.
			std::vector<ltt::Event> &events = streams[p.header.stream].events;
			recorded[static_cast<pid_t>(p.header.tid)] += events.size();
			events.clear();
		}
	};
	for (int round = 0; round < 5; ++round) {
		set(cpu1, "0");
		CHECK_EQ(ktap::read_file(cpu1), "0\n");
		take();
		// A trace that only knows one processor, and outlives that.
		ltt::Trace other(ltt::params("other"));
		other.start();
		pid_t child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(other), 0, 5); });
		CHECK_EQ(wait_for(child), 0);
		set(cpu1, "1");
		take();
		ltt::stream_of(ltt::read_streams(other, 1), child).check_ended(0, 5);
		uint64_t before[n];
		for (int i = 0; i < n; ++i)
			before[i] = written[i];
		for (int i = 0; i < n; ++i)
			WAIT_UNTIL(written[i] > before[i]);
	}
	end = true;
	for (pid_t writer : writers)
		CHECK_EQ(wait_for(writer), 0);
	take();
	for (int i = 0; i < n; ++i) {
		ltt::Stream stream = ltt::stream_of(streams, writers[static_cast<size_t>(i)]);
		uint64_t events = recorded[writers[static_cast<size_t>(i)]];
		CHECK_EQ(events + stream.header.lost, written[i].load());
		CHECK(stream.last());
		CHECK(!stream.torn());
		CHECK_GT(events, 100);
	}
}

TEST("real-time threads have all processors, and the reader none: markers neither wait nor abort",
	seconds(60))
{
	constexpr int n = 2;
	constexpr double duration = 1.5;
	struct Hog {
		std::atomic<uint64_t> written;
		double longest; // of one marker, in seconds
		uint64_t turns_of_reader;
	};
	struct Talk {
		std::atomic<uint64_t> turns;
		std::atomic<int> ready;
		Hog hogs[n];
	};
	Talk &talk = *shared<Talk>();
	set("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	ltt::Trace trace(ltt::params());
	trace.start();
	// Stands for a reader: as long as it does not run, no reader does.
	pid_t reader = spawn([&] {
		for (;;)
			++talk.turns;
	});
	WAIT_UNTIL(talk.turns > 0);
	uint64_t turns = talk.turns;
	usleep(300000);
	double usual = static_cast<double>(talk.turns - turns) / 0.3;
	std::vector<pid_t> hogs;
	for (int i = 0; i < n; ++i)
		hogs.push_back(spawn([&, i] {
			Hog &hog = talk.hogs[i];
			cpu_set_t own;
			CPU_ZERO(&own);
			CPU_SET(static_cast<size_t>(i), &own);
			REQUIRE_OK(sched_setaffinity(0, sizeof(own), &own));
			sched_param high = {50};
			REQUIRE_OK(sched_setscheduler(0, SCHED_FIFO, &high));
			++talk.ready;
			while (talk.ready < n)
				;
			// From here on nobody else runs.
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			uint64_t before_all = talk.turns;
			double begin = ktap::now(), before = begin, after;
			do {
				buffer.write(hog.written++);
				after = ktap::now();
				hog.longest = std::max(hog.longest, after - before);
				before = after;
			} while (after - begin < duration);
			hog.turns_of_reader = talk.turns - before_all;
		}));
	for (pid_t hog : hogs)
		CHECK_EQ(wait_for(hog), 0);
	set("/proc/sys/kernel/sched_rt_runtime_us", "950000");
	kill(reader, SIGKILL);
	wait_for(reader);
	auto streams = ltt::read_streams(trace, n);
	for (int i = 0; i < n; ++i) {
		Hog &hog = talk.hogs[i];
		ltt::Stream stream = ltt::stream_of(streams, hogs[static_cast<size_t>(i)]);
		printf("%lu written, %zu of them recorded, the longest took %.3f ms\n",
			hog.written.load(), stream.events.size(), hog.longest * 1000);
		CHECK_EQ(stream.events.size() + stream.header.lost, hog.written.load());
		CHECK_GT(stream.header.lost, 0);
		// It was starved indeed, but for what the kernel grants everybody.
		CHECK_LT(static_cast<double>(hog.turns_of_reader), usual * duration / 4);
		CHECK_LT(hog.longest, 0.5 * ktap::patience());
		CHECK_GT(hog.written * ktap::patience(), 1000);
	}
}

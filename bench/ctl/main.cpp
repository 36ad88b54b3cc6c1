// SPDX-License-Identifier: MIT
//
// What it takes ltt-ctl to turn what it read of a trace into CTF, as samples for
// bench/ctl/run. A round is one read() of 2 MiB; the counter "events" says how many events
// that is.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <sched.h>

#include "lib/ctf/encode.h"
#include "lib/definitions.h"
#include "lib/session.h"
#include "recorded.h"
#include "support/build.h"

namespace
{

using bench::Kind;
using bench::Recorded;
using Clock = std::chrono::steady_clock;

// Tells how many of what a round is made of.
void count(benchmark::State &state, std::size_t events)
{
	state.counters["events"] = static_cast<double>(events);
}

// What a packet goes through, but for the file: its checks alone,
void check(benchmark::State &state, Kind kind)
{
	const Recorded recorded(kind);
	const ltt::EventTable table = recorded.table();
	const std::vector<ltt::Packet> packets = recorded.packets();

	for (auto _ : state)
		for (const ltt::Packet &packet : packets)
			ltt::check_packet(packet, table, 0, 0, [](const ltt::EventRef &event) {
				benchmark::DoNotOptimize(event.size);
			});
	count(state, recorded.events());
}
BENCHMARK_CAPTURE(check, number, Kind::number);
BENCHMARK_CAPTURE(check, text, Kind::text);
BENCHMARK_CAPTURE(check, mixture, Kind::mixture);
BENCHMARK_CAPTURE(check, shuffled, Kind::shuffled);

// and these together with its encoding.
void encode(benchmark::State &state, Kind kind)
{
	const Recorded recorded(kind);
	const ltt::EventTable table = recorded.table();
	const std::vector<ltt::Packet> packets = recorded.packets();
	const ltt::Clock clock = bench::clock();
	ltt::ctf::PacketWriter out;

	for (auto _ : state)
		for (const ltt::Packet &packet : packets) {
			ltt::ctf::PacketInfo info;
			info.origin = packet.header;
			out.clear();
			out.put_events(packet, table, 0, 0, clock, nullptr);
			out.put_header(info);
			benchmark::DoNotOptimize(out.data());
		}
	count(state, recorded.events());
}
BENCHMARK_CAPTURE(encode, number, Kind::number);
BENCHMARK_CAPTURE(encode, text, Kind::text);
BENCHMARK_CAPTURE(encode, mixture, Kind::mixture);
BENCHMARK_CAPTURE(encode, shuffled, Kind::shuffled);

// A directory in memory.
class Scratch
{
public:
	Scratch()
	{
		if (!mkdtemp(path_.data()))
			throw std::runtime_error("cannot make " + path_);
	}
	~Scratch()
	{
		std::error_code ignored;
		std::filesystem::remove_all(path_, ignored);
	}
	Scratch(const Scratch &) = delete;
	const std::string &path() const { return path_; }

private:
	std::string path_ = "/dev/shm/ltt-bench-XXXXXX";
};

// Has each of the workers on a processor of its own, where they would be if nobody else ran.
class Apart
{
public:
	Apart(ltt::Workers &workers, unsigned n)
	{
		sched_getaffinity(0, sizeof(before_), &before_);
		workers.run(n, [&](unsigned number) {
			int processor = -1;
			for (unsigned found = 0; processor + 1 < CPU_SETSIZE && found <= number;)
				found += CPU_ISSET(++processor, &before_) ? 1 : 0;
			cpu_set_t one;
			CPU_ZERO(&one);
			CPU_SET(processor, &one);
			sched_setaffinity(0, sizeof(one), &one);
			// So that the next thread takes the next number.
			std::this_thread::sleep_for(std::chrono::milliseconds(5));
		});
	}
	~Apart() { sched_setaffinity(0, sizeof(before_), &before_); }
	Apart(const Apart &) = delete;

private:
	cpu_set_t before_;
};

// All that the recorder does with what it read: checks, encoding, files. A recording of some
// MiB, with the trace's first one.
class Recording
{
public:
	Recording(benchmark::State &state, ltt::Workers &workers, Kind kind, unsigned writers)
		: state_(state), recorded_(kind, writers),
		  session_(
			  scratch_.path(), environment(), bench::clock(), ltt::ctf::random_uuid,
			  [&](const std::string &line) { state.SkipWithError(line.c_str()); },
			  ltt::Session::From::reader, &workers)
	{
		const Bytes definitions = definitions_packet(1, recorded_.definitions());
		session_.take(definitions.data(), definitions.size(), 0);
	}

	// Measures that alone. Returns what the fastest read took.
	Clock::duration take(unsigned reads)
	{
		auto fastest = Clock::duration::max();
		for (unsigned n = 0; n < reads; ++n) {
			state_.ResumeTiming();
			const auto begin = Clock::now();
			session_.take(recorded_.bytes().data(), recorded_.bytes().size(), 0);
			fastest = std::min(fastest, Clock::now() - begin);
			state_.PauseTiming();
			recorded_.later();
		}
		if (session_.totals().events != reads * recorded_.events())
			state_.SkipWithError("events are missing");
		return fastest;
	}

	const ltt::Totals &totals() const { return session_.totals(); }

private:
	static ltt::ctf::Environment environment()
	{
		ltt::ctf::Environment e;
		e.hostname = "host";
		e.trace_name = "bench";
		return e;
	}

	benchmark::State &state_;
	Recorded recorded_;
	Scratch scratch_;
	ltt::Session session_;
};

void session(benchmark::State &state, Kind kind, unsigned writers = 1, unsigned threads = 1)
{
	constexpr unsigned reads = 8;
	ltt::Workers workers(threads);
	const Apart apart(workers, threads);
	ltt::Totals totals;
	auto fastest = Clock::duration::max();

	for (auto _ : state) {
		state.PauseTiming();
		{
			Recording recording(state, workers, kind, writers);
			fastest = std::min(fastest, recording.take(reads));
			totals = recording.totals();
		}
		state.ResumeTiming();
	}
	count(state, totals.events);
	state.counters["bytes"] = static_cast<double>(totals.bytes);
	// Of all rounds, for as many events; that one was not disturbed.
	state.counters["fastest"] =
		reads * std::chrono::duration<double, std::nano>(fastest).count();
}
BENCHMARK_CAPTURE(session, number, Kind::number);
BENCHMARK_CAPTURE(session, text, Kind::text);
BENCHMARK_CAPTURE(session, mixture, Kind::mixture);

// Of two programs, by one thread and by two.
void workers(benchmark::State &state)
{
	session(state, Kind::number, 2, static_cast<unsigned>(state.range(0)));
}
BENCHMARK(workers)->Arg(1)->Arg(2);

// What a program registers: events with three fields each.
void definitions(benchmark::State &state)
{
	constexpr std::uint16_t events = 1000;
	Bytes all;
	for (std::uint16_t id = 1; id <= events; ++id)
		append(all, definition(id, "provider", "event_" + std::to_string(id),
				    {{UST_TYPE_I32, "number"}, {UST_TYPE_DOUBLE, "value"},
					    {UST_TYPE_STRING, "text"}}));

	for (auto _ : state) {
		ltt::EventTable table;
		table.add(ltt::parse_definitions(all.data(), all.size()));
		benchmark::DoNotOptimize(table);
	}
	count(state, events);
}
BENCHMARK(definitions);

} // namespace

BENCHMARK_MAIN();

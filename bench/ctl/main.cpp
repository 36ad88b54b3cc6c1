// SPDX-License-Identifier: MIT
//
// What it takes ltt-ctl to turn what it read of a trace into CTF, as samples for
// bench/ctl/run. A round is one read() of a MiB; the counter "events" says how many events
// that is.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "lib/ctf/encode.h"
#include "lib/definitions.h"
#include "lib/session.h"
#include "recorded.h"
#include "support/build.h"

namespace
{

using bench::Kind;
using bench::Recorded;

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

// All that the recorder does with what it read: checks, encoding, files. A recording of some
// MiB, with the trace's first one.
void session(benchmark::State &state, Kind kind)
{
	constexpr unsigned reads = 16;
	std::uint64_t recorded_events = 0, bytes = 0;
	ltt::ctf::Environment environment;
	environment.hostname = "host";
	environment.trace_name = "bench";

	for (auto _ : state) {
		state.PauseTiming();
		Recorded recorded(kind);
		const Bytes definitions = definitions_packet(1, recorded.definitions());
		const Scratch scratch;
		ltt::Session session(scratch.path(), environment, bench::clock(),
			ltt::ctf::random_uuid,
			[&](const std::string &line) { state.SkipWithError(line.c_str()); });
		session.take(definitions.data(), definitions.size(), 0);
		for (unsigned n = 0; n < reads; ++n) {
			state.ResumeTiming();
			session.take(recorded.bytes().data(), recorded.bytes().size(), 0);
			state.PauseTiming();
			recorded.later();
		}
		recorded_events = session.totals().events;
		bytes = session.totals().bytes;
		if (recorded_events != reads * recorded.events())
			state.SkipWithError("events are missing");
		state.ResumeTiming();
	}
	count(state, recorded_events);
	state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(session, number, Kind::number);
BENCHMARK_CAPTURE(session, text, Kind::text);
BENCHMARK_CAPTURE(session, mixture, Kind::mixture);

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

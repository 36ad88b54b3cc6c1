// SPDX-License-Identifier: MIT
//
// ltt-ctl as it is used for days: commands in any order, traces that are stopped and started
// again, a clock that is set.

// qemu: tool=ltt-ctl

#include "../counted.h"
#include "../tool.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>

namespace
{

using namespace ktap;
using namespace tool;

// What there should be.
struct Model {
	bool active = false;
	bool takes_all = true; // else its filter lets nothing through
	uint64_t unread = 0;
};

// Commands at random, each of which does what the model says and leaves what it says.
class Commands
{
public:
	explicit Commands(uint32_t seed) : random_(seed) {}

	void step()
	{
		static void (Commands::*const steps[])() = {&Commands::create, &Commands::start,
			&Commands::start, &Commands::stop, &Commands::filter, &Commands::destroy,
			&Commands::write, &Commands::write, &Commands::write, &Commands::record,
			&Commands::snapshot};
		(this->*steps[random_() % std::size(steps)])();
		list();
	}
	void end()
	{
		while (!traces_.empty()) {
			succeed({"destroy", traces_.begin()->first});
			traces_.erase(traces_.begin());
		}
	}

private:
	std::string any()
	{
		static const char *const names[] = {"one", "two", "three"};
		return names[random_() % std::size(names)];
	}
	// Of a trace that is there it does what @f says; else it is refused.
	template <class F>
	void change(const std::string &name, std::vector<std::string> words, F f)
	{
		const auto trace = traces_.find(name);
		CHECK_EQ(ltt_ctl(std::move(words)).exit(), trace == traces_.end() ? 1 : 0);
		if (trace != traces_.end())
			f(trace->second);
	}
	void create()
	{
		const std::string name = any();
		const bool is_new = traces_.find(name) == traces_.end();
		CHECK_EQ(ltt_ctl({"create", name, "--subbuf-size", "4k"}).exit(), is_new ? 0 : 1);
		traces_.emplace(name, Model());
	}
	void start()
	{
		const std::string name = any();
		change(name, {"start", name}, [](Model &m) { m.active = true; });
	}
	void stop()
	{
		const std::string name = any();
		change(name, {"stop", name}, [](Model &m) { m.active = false; });
	}
	void filter()
	{
		const std::string name = any();
		const bool all = random_() % 2;
		change(name, {"filter", name, all ? "all" : "bit5"},
			[=](Model &m) { m.takes_all = all; });
	}
	void destroy()
	{
		const std::string name = any();
		change(name, {"destroy", name}, [](Model &) {});
		traces_.erase(name);
	}
	void write()
	{
		constexpr uint64_t events = 10;
		CHECK_EQ(wait_for(spawn([] { write_events(events); })), 0);
		for (auto &[name, trace] : traces_)
			trace.unread += trace.active && trace.takes_all ? events : 0;
	}
	void take(const std::string &name, const std::vector<std::string> &words, uint64_t events)
	{
		const std::string directory = "/tmp/commands";
		std::vector<std::string> all = words;
		all.insert(all.end(), {name, "-o", directory});
		const Result r = ltt_ctl(all);
		CHECK_EQ(r.exit(), traces_.count(name) ? 0 : 1);
		if (traces_.count(name))
			CHECK_EQ(r.count("events"), events);
		std::filesystem::remove_all(directory);
	}
	void record()
	{
		const std::string name = any();
		const auto trace = traces_.find(name);
		take(name, {"record", "--drain"},
			trace == traces_.end() ? 0 : trace->second.unread);
		if (trace != traces_.end())
			trace->second.unread = 0;
	}
	void snapshot()
	{
		const std::string name = any();
		const auto trace = traces_.find(name);
		take(name, {"snapshot"}, trace == traces_.end() ? 0 : trace->second.unread);
	}
	void list()
	{
		const Result r = ltt_ctl({"list"});
		CHECK_EQ(r.exit(), 0);
		for (const char *name : {"one", "two", "three"}) {
			const auto trace = traces_.find(name);
			const std::string line = "\n" + std::string(name) + " ";
			const size_t at = r.out.find(line);
			CHECK_EQ(at != std::string::npos, trace != traces_.end());
			if (at == std::string::npos || trace == traces_.end())
				continue;
			const std::string its = r.out.substr(at + 1, r.out.find('\n', at + 1) - at);
			CHECK_EQ(its.find(" active ") != std::string::npos, trace->second.active);
		}
	}

	std::mt19937 random_;
	std::map<std::string, Model> traces_;
};

// A program that writes some events each time it is told to, and stops itself in between.
class Idle
{
public:
	Idle()
		: pid_(stopped([] {
			  for (;;) {
				  kill(getpid(), SIGSTOP);
				  write_events(events);
			  }
		  }))
	{
	}
	~Idle()
	{
		kill(pid_, SIGKILL);
		waitpid(pid_, nullptr, 0);
	}
	void write() const
	{
		int status;
		kill(pid_, SIGCONT);
		REQUIRE_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
		REQUIRE(WIFSTOPPED(status));
	}
	static constexpr uint64_t events = 10;

private:
	pid_t pid_;
};

uint64_t events_in(const std::string &directory)
{
	succeed({"check", directory});
	const Result r = ltt_ctl({"view", directory});
	CHECK_EQ(r.exit(), 0);
	return static_cast<uint64_t>(std::count(r.out.begin(), r.out.end(), '\n'));
}

} // namespace

TEST("random sequences of commands do what a model of them says", seconds(120, 600))
{
	for (uint32_t seed = 1; seed <= in_full(5u, 1u); ++seed) {
		printf("seed %u\n", seed);
		Commands commands(seed);
		for (unsigned i = in_full(300u, 80u); i; --i)
			commands.step();
		commands.end();
	}
}

TEST("start, stop, start, with a thread that is idle: each chunk can be read, empty ones too",
	seconds(60))
{
	succeed({"create", "mine"});
	Command recorder(with_tool({"record", "mine", "-o", "/tmp/again"}));
	WAIT_UNTIL(access("/tmp/again/.mine.state", F_OK) == 0);
	Idle program;
	uint64_t sum = 0;
	for (const bool active : {false, true, true, false, true, false, false, true}) {
		succeed({active ? "start" : "stop", "mine"});
		program.write();
		const Result r = ltt_ctl({"rotate", "/tmp/again"});
		CHECK_EQ(r.exit(), 0);
		const uint64_t events = events_in(r.out.substr(0, r.out.find('\n')));
		CHECK_EQ(events, active ? Idle::events : 0);
		sum += events;
	}
	succeed({"destroy", "mine"});
	const Result r = recorder.finish();
	CHECK_EQ(r.exit(), 0);
	CHECK_EQ(r.count("events"), sum);
}

TEST("the date is set while a recorder runs, a year on and back: order and distances stay right")
{
	constexpr time_t year = 365 * 24 * 3600;
	succeed({"create", "mine"});
	succeed({"start", "mine"});
	Command recorder(with_tool({"record", "mine", "-o", "/tmp/date"}));
	WAIT_UNTIL(access("/tmp/date/.mine.state", F_OK) == 0);
	Idle program;
	timespec before;
	REQUIRE_OK(clock_gettime(CLOCK_REALTIME, &before));
	for (const time_t change : {year, -2 * year, year}) {
		program.write();
		timespec t;
		REQUIRE_OK(clock_gettime(CLOCK_REALTIME, &t));
		t.tv_sec += change;
		REQUIRE_OK(clock_settime(CLOCK_REALTIME, &t));
		succeed({"rotate", "/tmp/date"}); // the next chunk is of the same time
	}
	program.write();
	succeed({"destroy", "mine"});
	CHECK_EQ(recorder.finish().exit(), 0);

	const Result r = ltt_ctl({"view", "/tmp/date", "--json"});
	CHECK_EQ(r.exit(), 0);
	const std::string key = "\"time_ns\":";
	std::vector<uint64_t> times;
	for (size_t at = 0; (at = r.out.find(key, at)) != std::string::npos; at += key.size())
		times.push_back(strtoull(&r.out[at + key.size()], nullptr, 10));
	REQUIRE_EQ(times.size(), 4 * Idle::events);
	CHECK(std::is_sorted(times.begin(), times.end()));
	const auto second = [](uint64_t ns) { return static_cast<time_t>(ns / 1000000000); };
	CHECK_GE(second(times.front()) + 1, before.tv_sec);
	CHECK_LE(second(times.back()), before.tv_sec + 60);
}

// SPDX-License-Identifier: MIT
//
// Writing processes are killed at random instants, many at once, in three ways:
// by a signal, by a fault of their own, by the kernel for want of memory. What
// each had written is there to the last event.

#include "../cgroup.h"
#include "../streams.h"

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

namespace
{

using ktap::spawn;

// What a writer tells through shared memory, so that it survives the writer.
struct Progress {
	std::atomic<uint64_t> begun, ended; // events: the write began, it returned
	std::atomic<bool> die;		    // now, by its own fault
};

enum Way {
	BY_SIGNAL,
	BY_FAULT,
	BY_MEMORY
};

// Events of four sizes, each with its number.
void write_on(const ltt::Buffer &buffer, Progress &progress)
{
	char payload[32] = {};
	volatile char *nowhere = nullptr;
	for (uint64_t number = 0;; ++number) {
		progress.begun.store(number + 1, std::memory_order_release);
		memcpy(payload, &number, sizeof(number));
		buffer.write(payload, static_cast<uint16_t>(sizeof(number) + number % 4 * 8));
		progress.ended.store(number + 1, std::memory_order_release);
		if (progress.die.load(std::memory_order_relaxed))
			*nowhere = 1;
	}
}

class Victim
{
public:
	Victim(const ltt::Trace &trace, Way way) : way(way)
	{
		pid = spawn([&] {
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			write_on(buffer, *progress);
		});
	}

	~Victim() { munmap(progress, sizeof(Progress)); }

	bool writes() const { return progress->ended; }

	void kill()
	{
		if (way == BY_FAULT)
			progress->die = true;
		else
			REQUIRE_OK(::kill(pid, SIGKILL));
	}

	void reap()
	{
		int status = ktap::wait_for(pid);
		CHECK(WIFSIGNALED(status) &&
			WTERMSIG(status) == (way == BY_FAULT ? SIGSEGV : SIGKILL));
	}

	// Its stream holds all it wrote, but for what is counted as lost.
	void check(const ltt::Stream &stream) const
	{
		uint64_t all = stream.events.size() + stream.header.lost;
		CHECK_GE(all, progress->ended.load());
		CHECK_LE(all, progress->begun.load());
		CHECK(stream.last());
		// The torn one is counted, unless it died before the next instruction.
		CHECK_GE(stream.header.events, stream.events.size());
		CHECK_LE(stream.header.events, stream.events.size() + stream.torn());
		if (stream.torn())
			CHECK_EQ(progress->begun.load(), progress->ended + 1);
		uint64_t next = 0;
		for (const ltt::Event &e : stream.events) {
			CHECK_GE(e.as<uint64_t>(), next);
			next = e.as<uint64_t>() + 1;
		}
	}

	pid_t pid = 0;

private:
	Way way;
	Progress *progress = ktap::shared<Progress>();
};

struct Total {
	uint64_t kills = 0, recorded = 0, lost = 0, torn = 0;

	void operator+=(const Total &other)
	{
		kills += other.kills;
		recorded += other.recorded;
		lost += other.lost;
		torn += other.torn;
	}

	void print() const
	{
		printf("%lu kills, %lu recorded, %lu lost, %lu torn\n", kills, recorded, lost,
			torn);
	}
};

// One writer after the other, each killed at some instant of its life.
void kill_writers(Total &total, const char *name, unsigned kills, Way way, uint32_t seed)
{
	std::mt19937 random(seed);
	ltt_trace_params params = ltt::params(name);
	params.subbuf_size = 16384;
	ltt::Trace trace(params);
	trace.start();
	for (unsigned i = 0; i < kills; ++i) {
		Victim victim(trace, way);
		// Some before their first event, the others after it.
		if (way == BY_FAULT || random() % 8)
			WAIT_UNTIL(victim.writes());
		for (volatile uint32_t spin = random() % 20000; spin; spin = spin - 1)
			;
		victim.kill();
		victim.reap();
		auto streams = ltt::streams_of(trace.read_packets());
		++total.kills;
		// Who has no stream has not come to its first event.
		if (streams.empty() && !victim.writes())
			continue;
		ltt::Stream stream = ltt::stream_of(streams, victim.pid);
		CHECK_EQ(streams.size(), 1);
		victim.check(stream);
		total.recorded += stream.events.size();
		total.lost += stream.header.lost;
		total.torn += stream.torn();
	}
	CHECK_EQ(trace.info().buffers, 0);
}

// Several at once, so that they disturb each other.
Total kill_at_once(unsigned kills, Way way, uint32_t seed)
{
	constexpr unsigned n = 3;
	Total *totals = *ktap::shared<Total[n]>();
	pid_t drivers[n];
	for (unsigned i = 0; i < n; ++i)
		drivers[i] = spawn([=] {
			kill_writers(totals[i], ("kills" + std::to_string(i)).c_str(),
				(kills + n - 1) / n, way, seed * n + i);
		});
	Total sum;
	for (unsigned i = 0; i < n; ++i) {
		int status;
		REQUIRE_EQ(waitpid(drivers[i], &status, 0), drivers[i]);
		CHECK_EQ(status, 0);
		sum += totals[i];
	}
	printf("seed %u: ", seed);
	sum.print();
	CHECK_GE(sum.kills, kills);
	CHECK_GT(sum.recorded, kills);
	return sum;
}

} // namespace

TEST("killed by SIGKILL at random instants, several at once: recorded + lost is exact",
	seconds(120, 900))
{
	Total total = kill_at_once(ktap::in_full(10000u, 2000u), BY_SIGNAL, 31);
	// Else the instants were not random enough.
	CHECK_GE(total.torn, 1);
}

TEST("killed by faults of their own: recorded + lost is exact", seconds(60, 300))
{
	kill_at_once(ktap::in_full(2000u, 100u), BY_FAULT, 32);
}

TEST("killed by the kernel when its control group's memory is used up: recorded + lost is exact",
	seconds(60, 300))
{
	Total total;
	ktap::Cgroup group("oom");
	group.set("memory.max", "8M");
	for (unsigned i = 0; i < ktap::in_full(100u, 5u); ++i) {
		ltt::Trace trace(ltt::params());
		trace.start();
		long before = group.event("memory.events", "oom_kill");
		auto &progress = *ktap::shared<Progress>();
		pid_t child = spawn([&] {
			group.enter();
			std::thread eater([] {
				for (;;) {
					void *p = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
					if (p == MAP_FAILED)
						usleep(1);
				}
			});
			write_on(ltt::Buffer::of(trace), progress);
		});
		int status = ktap::wait_for(child);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		CHECK_GT(group.event("memory.events", "oom_kill"), before);
		ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
		uint64_t all = stream.events.size() + stream.header.lost;
		CHECK_GE(all, progress.ended.load());
		CHECK_LE(all, progress.begun.load());
		CHECK(stream.last());
		++total.kills;
		total.recorded += stream.events.size();
		total.lost += stream.header.lost;
		total.torn += stream.torn();
		munmap(&progress, sizeof(progress));
	}
	total.print();
}

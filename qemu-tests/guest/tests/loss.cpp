// SPDX-License-Identifier: MIT
//
// Emitted = recorded + lost, exactly and per thread, however a program ends.

#include "../ltt.h"

#include <csignal>
#include <pthread.h>
#include <random>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>

namespace
{

// What a writer tells through shared memory, so that it survives the writer.
struct Progress {
	uint64_t begun; // events whose write began
	uint64_t ended; // events whose write returned
};

Progress *share_progress()
{
	void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	return static_cast<Progress *>(p);
}

// Events carry their number, and something of varying size behind it.
void write_number(const ltt::Buffer &buffer, uint64_t number)
{
	char payload[64] = {};
	memcpy(payload, &number, sizeof(number));
	buffer.write(payload, static_cast<uint16_t>(sizeof(number) + number % 5 * 8));
}

void write_on(const ltt::Buffer &buffer, Progress *progress)
{
	for (uint64_t number = 0;; ++number) {
		__atomic_store_n(&progress->begun, number + 1, __ATOMIC_RELEASE);
		write_number(buffer, number);
		__atomic_store_n(&progress->ended, number + 1, __ATOMIC_RELEASE);
	}
}

struct Stream {
	uint64_t recorded = 0, lost = 0;
	bool torn = false, ended = false;
};

// Puts the packets of one thread together; numbers may be missing, never disordered.
Stream check_stream(const std::vector<ltt::Packet> &packets)
{
	Stream s;
	uint64_t sequence = 0, next = 0;
	for (const ltt::Packet &p : packets) {
		CHECK_EQ(p.header.sequence, sequence++);
		CHECK(!p.corrupt());
		CHECK(!s.ended);
		for (const ltt::Event &e : p.events()) {
			CHECK_GE(e.as<uint64_t>(), next);
			next = e.as<uint64_t>() + 1;
			++s.recorded;
		}
		s.lost = p.header.lost + p.header.too_big;
		s.torn = s.torn || p.torn();
		s.ended = p.last();
	}
	return s;
}

struct Killed {
	pid_t pid;
	Progress progress;
};

// A process that writes without end, killed after some microseconds of writing.
Killed kill_a_writer(ltt::Trace &trace, int signal, unsigned microseconds)
{
	Progress *progress = share_progress();
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		write_on(ltt::Buffer::of(trace), progress);
		_exit(0);
	}
	WAIT_UNTIL(__atomic_load_n(&progress->ended, __ATOMIC_ACQUIRE) > 0);
	usleep(microseconds);
	REQUIRE_OK(kill(pid, signal));
	int status;
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
	Killed killed{pid, *progress};
	munmap(progress, 4096);
	return killed;
}

void check_killed(const Killed &killed, const Stream &stream)
{
	uint64_t accounted = stream.recorded + stream.lost;
	bool right = accounted >= killed.progress.ended && accounted <= killed.progress.begun;
	if (!right)
		printf("%llu recorded, %llu lost\n",
			static_cast<unsigned long long>(stream.recorded),
			static_cast<unsigned long long>(stream.lost));
	CHECK_GE(accounted, killed.progress.ended);
	CHECK_LE(accounted, killed.progress.begun);
	CHECK(stream.ended);
	if (stream.torn)
		CHECK_EQ(killed.progress.begun, killed.progress.ended + 1);
}

} // namespace

TEST("a process killed at 200 random instants loses nothing that it had written", seconds(120))
{
	std::mt19937 random(20);
	ltt_trace_params p = ltt::params();
	p.n_subbufs = 64;
	ltt::Trace trace(p);
	trace.start();
	uint64_t recorded = 0, lost = 0;
	for (int i = 0; i < 200; ++i) {
		Killed killed = kill_a_writer(trace, i % 4 ? SIGKILL : SIGSEGV, random() % 1000);
		Stream stream = check_stream(trace.read_events(killed.pid));
		check_killed(killed, stream);
		recorded += stream.recorded;
		lost += stream.lost;
	}
	CHECK_GT(recorded, 200u);
	printf("%llu recorded, %llu lost\n", static_cast<unsigned long long>(recorded),
		static_cast<unsigned long long>(lost));
}

TEST("so it is while somebody reads at the same time", seconds(120))
{
	std::mt19937 random(21);
	ltt::Trace trace(ltt::params());
	trace.start();
	for (int i = 0; i < 50; ++i) {
		std::vector<ltt::Packet> packets;
		bool stop = false;
		ltt::Trace reader = ltt::Trace::open("test");
		std::thread reading([&] {
			while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
				auto more = reader.read_packets();
				packets.insert(packets.end(), more.begin(), more.end());
				trace.flush();
			}
			auto more = reader.read_packets();
			packets.insert(packets.end(), more.begin(), more.end());
		});
		Killed killed = kill_a_writer(trace, SIGKILL, random() % 3000);
		__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
		reading.join();
		std::vector<ltt::Packet> own;
		for (const ltt::Packet &p : packets)
			if (p.header.type == LTT_PACKET_EVENTS &&
				p.header.tid == static_cast<__u32>(killed.pid))
				own.push_back(p);
		check_killed(killed, check_stream(own));
	}
}

TEST("a full buffer counts each event that it drops, and goes on when there is room")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	for (uint64_t n = 0; n < 5000; ++n)
		write_number(buffer, n);
	CHECK_EQ(buffer.control().full, 1u);
	uint64_t lost = buffer.control().lost;
	CHECK_GT(lost, 0u);

	std::vector<ltt::Packet> first = trace.read_events();
	CHECK_EQ(buffer.control().full, 0u);
	for (uint64_t n = 5000; n < 5010; ++n)
		write_number(buffer, n);
	CHECK_EQ(buffer.control().lost, lost);
	trace.stop();
	std::vector<ltt::Packet> rest = trace.read_events();
	first.insert(first.end(), rest.begin(), rest.end());
	Stream stream = check_stream(first);
	CHECK_EQ(stream.lost, lost);
	CHECK_EQ(stream.recorded + stream.lost, 5010u);
	CHECK_EQ(trace.info().lost, lost);
}

TEST("an event that fills a sub-buffer fits, one byte more is too big")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	std::vector<char> payload(4096);
	const uint16_t fits = 4096 - sizeof(uint64_t);
	buffer.write(payload.data(), fits);
	buffer.write(payload.data(), fits + 1);
	buffer.write(payload.data(), fits - 1);
	buffer.write(payload.data(), 1);
	buffer.write(payload.data(), fits);
	trace.stop();
	std::vector<ltt::Packet> packets = trace.read_events();
	std::vector<size_t> sizes;
	for (const ltt::Event &e : ltt::events_of(packets))
		sizes.push_back(e.payload.size());
	CHECK(sizes == std::vector<size_t>({fits, fits - 1, 1, fits}));
	REQUIRE(!packets.empty());
	CHECK_EQ(packets.back().header.too_big, 1u);
	CHECK_EQ(packets.back().header.lost, 0u);
}

TEST("threads lose and record each for itself")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	constexpr int n = 8;
	std::vector<std::thread> threads;
	pid_t tids[n] = {};
	for (int i = 0; i < n; ++i)
		threads.emplace_back([&, i] {
			tids[i] = gettid();
			ltt::Buffer buffer = ltt::Buffer::of(trace);
			for (uint64_t number = 0; number < 300u * (static_cast<unsigned>(i) + 1);
				++number)
				write_number(buffer, number);
		});
	for (std::thread &thread : threads)
		thread.join();
	std::vector<ltt::Packet> all = trace.read_events();
	for (int i = 0; i < n; ++i) {
		std::vector<ltt::Packet> own;
		for (const ltt::Packet &p : all)
			if (p.header.tid == static_cast<__u32>(tids[i]))
				own.push_back(p);
		Stream stream = check_stream(own);
		CHECK_EQ(stream.recorded + stream.lost, 300u * (static_cast<unsigned>(i) + 1));
		CHECK(stream.ended);
	}
}

namespace
{

ltt::Buffer handlers_buffer;
uint64_t handlers_number;

} // namespace

TEST("a handler that writes on top of a write tears nothing and counts right", seconds(60))
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 65536;
	ltt::Trace trace(p);
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	handlers_buffer = buffer;
	// Odd sizes mark the handler's events; both kinds are numbered from 0.
	signal(SIGALRM, [](int) {
		char payload[9] = {};
		memcpy(payload, &handlers_number, sizeof(handlers_number));
		++handlers_number;
		handlers_buffer.write(payload, sizeof(payload));
	});
	itimerval timer = {{0, 100}, {0, 100}};
	REQUIRE_OK(setitimer(ITIMER_REAL, &timer, nullptr));
	uint64_t mine = 0;
	std::vector<ltt::Packet> packets;
	while (handlers_number < 2000) {
		for (int i = 0; i < 200; ++i)
			write_number(buffer, mine++);
		auto more = trace.read_events();
		packets.insert(packets.end(), more.begin(), more.end());
	}
	timer = {};
	setitimer(ITIMER_REAL, &timer, nullptr);
	trace.stop();
	auto more = trace.read_events();
	packets.insert(packets.end(), more.begin(), more.end());

	uint64_t next_mine = 0, next_handler = 0, recorded = 0;
	for (const ltt::Event &e : ltt::events_of(packets)) {
		uint64_t &next = e.payload.size() == 9 ? next_handler : next_mine;
		CHECK_GE(e.as<uint64_t>(), next);
		next = e.as<uint64_t>() + 1;
		++recorded;
	}
	REQUIRE(!packets.empty());
	CHECK_EQ(recorded + packets.back().header.lost, mine + handlers_number);
	CHECK(!packets.back().torn());
}

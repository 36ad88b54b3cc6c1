// SPDX-License-Identifier: MIT
//
// Programs that play with their buffers' mappings, at random, by every call that
// changes mappings or memory: kernel and readers survive, and the streams of
// others are as exact as ever.

#include "../streams.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <random>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

constexpr size_t page = 4096;

thread_local sigjmp_buf back;

// One thread that ruins its own buffer.
class Player
{
public:
	Player(const ltt::Trace &trace, uint32_t seed)
		: random(seed), buffer(ltt::Buffer::of(trace)), size(buffer.size()),
		  base(static_cast<char *>(buffer.address()))
	{
	}

	// Whatever of its addresses is left at the end shall not be in the way.
	~Player() { munmap(base, size); }

	void play()
	{
		static void (Player::*const moves[])() = {&Player::unmap, &Player::protect,
			&Player::move, &Player::advise, &Player::map_over, &Player::remap_pages,
			&Player::lock, &Player::write_by_proc, &Player::write_by_vm,
			&Player::scribble, &Player::emit, &Player::emit, &Player::ask,
			&Player::fork};
		// What breaks is its own loss: it goes on with the next move.
		if (sigsetjmp(back, 1))
			return;
		(this->*moves[random() % (sizeof(moves) / sizeof(*moves))])();
	}

private:
	// A part of the mapping, or all of it, or a little more.
	void choose()
	{
		size_t pages = size / page + 2;
		size_t first = random() % pages, n = 1 + random() % pages;
		if (random() % 4 == 0) {
			first = 1;
			n = size / page;
		}
		at = base + first * page - page;
		length = n * page;
		// Not over what somebody else has mapped there.
		if (at < base)
			at = base;
		if (at + length > base + size)
			length = static_cast<size_t>(base + size - at);
	}

	void unmap()
	{
		choose();
		if (random() % 8 == 0)
			munmap(at, length);
	}

	void protect()
	{
		choose();
		mprotect(at, length, static_cast<int>(random() % 8));
	}

	void move()
	{
		choose();
		static const int flags[] = {0, MREMAP_MAYMOVE, MREMAP_MAYMOVE | 4 /* DONTUNMAP */};
		void *to = mremap(
			at, random() % 4 ? length : 0, random() % 4 * length, flags[random() % 3]);
		if (to != MAP_FAILED && to != at)
			munmap(to, length);
	}

	void advise()
	{
		choose();
		madvise(at, length, static_cast<int>(random() % 26));
	}

	void map_over()
	{
		choose();
		if (random() % 8 == 0)
			mmap(at, length, static_cast<int>(random() % 4),
				MAP_FIXED | MAP_ANONYMOUS |
					(random() % 2 ? MAP_SHARED : MAP_PRIVATE),
				-1, 0);
	}

	void remap_pages()
	{
		choose();
		syscall(SYS_remap_file_pages, at, length, 0, random() % 64, 0);
	}

	void lock()
	{
		choose();
		if (random() % 2)
			mlock(at, length);
		else
			munlock(at, length);
	}

	void write_by_proc()
	{
		int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		choose();
		uint64_t rubbish[4] = {random(), random(), 0, ~0ull};
		ssize_t n = pwrite(mem, rubbish, sizeof(rubbish), reinterpret_cast<off_t>(at));
		if (n > 0 && at == base && is_trace_page())
			ktap::fail(__FILE__, __LINE__, "the trace page was written by /proc");
		char byte;
		n = pread(mem, &byte, 1, reinterpret_cast<off_t>(at + length - 1));
		close(mem);
	}

	void write_by_vm()
	{
		choose();
		uint64_t rubbish[4] = {random(), random(), 0, ~0ull};
		iovec from = {rubbish, sizeof(rubbish)}, to = {at, sizeof(rubbish)};
		ssize_t n = process_vm_writev(getpid(), &from, 1, &to, 1, 0);
		if (n > 0 && at == base && is_trace_page())
			ktap::fail(__FILE__, __LINE__, "the trace page was written by its address");
	}

	void scribble()
	{
		size_t where = page + random() % (size - page - 8);
		uint64_t rubbish = random();
		memcpy(base + where, &rubbish, sizeof(rubbish));
	}

	void emit() { ltt::write_numbers(buffer, 0, random() % 400); }

	void ask()
	{
		void *address = base;
		int active, filter;
		ltt_update(&address, &active, &filter);
		ltt_switch(base);
	}

	// A child of such a parent begins and ends.
	void fork()
	{
		if (random() % 8)
			return;
		pid_t child = ::fork();
		if (child == 0) {
			if (sigsetjmp(back, 1) == 0)
				ltt::write_numbers(buffer, 0, 10);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, nullptr, 0);
	}

	bool is_trace_page() const
	{
		char start[32];
		snprintf(start, sizeof(start), "%lx-", reinterpret_cast<unsigned long>(base));
		std::string maps = "\n" + ktap::read_file("/proc/self/maps");
		size_t line = maps.find("\n" + std::string(start));
		return line != std::string::npos &&
		       maps.substr(line + 1, maps.find('\n', line + 1) - line).find("[ltt]") !=
			       std::string::npos;
	}

	std::mt19937 random;
	ltt::Buffer buffer;
	size_t size;
	char *base, *at = nullptr;
	size_t length = 0;
};

void play_threads(const ltt::Trace &trace, uint32_t seed, int rounds)
{
	for (int signal_number : {SIGSEGV, SIGBUS}) {
		struct sigaction action = {};
		action.sa_handler = [](int) { siglongjmp(back, 1); };
		action.sa_flags = SA_NODEFER;
		sigaction(signal_number, &action, nullptr);
	}
	for (int round = 0; round < rounds; ++round) {
		std::vector<std::thread> threads;
		// Nobody plays before all have their stacks, buffers and arenas of malloc():
		// these would be mapped where another one has just unmapped, and plays on.
		std::atomic<uint32_t> ready{0};
		constexpr uint32_t n = 2;
		for (uint32_t t = 0; t < n; ++t)
			threads.emplace_back([&, t] {
				Player player(
					trace, seed * 1000 + t + n * static_cast<uint32_t>(round));
				ktap::read_file("/proc/self/maps");
				++ready;
				while (ready < n)
					std::this_thread::yield();
				for (int i = 0; i < 40; ++i)
					player.play();
			});
		for (std::thread &thread : threads)
			thread.join();
	}
}

} // namespace

TEST("random games with mappings, while others write and read: theirs is exact", seconds(60, 600))
{
	auto &end = *shared<std::atomic<bool>>();
	auto &written = *shared<std::atomic<uint64_t>>();
	ltt_trace_params params = ltt::params();
	params.n_subbufs = 16;
	ltt::Trace trace(params);
	trace.start();
	pid_t honest = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		for (; !end; written += 10) {
			ltt::write_numbers(buffer, written, 10);
			usleep(200);
		}
	});
	std::vector<pid_t> players;
	for (uint32_t seed = 1; seed <= 3; ++seed) {
		printf("seed %u\n", seed);
		players.push_back(
			spawn([&, seed] { play_threads(trace, seed, ktap::in_full(500, 30)); }));
	}
	std::map<uint64_t, ltt::Stream> streams;
	auto take = [&] {
		trace.flush();
		for (const ltt::Packet &p : trace.read_packets())
			if (p.header.tid == static_cast<__u32>(honest))
				ltt::add_packet(streams, p);
	};
	for (pid_t player : players) {
		int status = -1;
		WAIT_UNTIL_FOR(500, (take(), waitpid(player, &status, WNOHANG) == player));
		CHECK_EQ(status, 0);
	}
	end = true;
	CHECK_EQ(wait_for(honest), 0);
	take();
	ltt::stream_of(streams, honest).check_ended(0, written);
}

TEST("a debugger writes the control page, not the trace page")
{
	auto &ready = *shared<std::atomic<void *>>();
	ltt::Trace trace(ltt::params());
	trace.start();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 3);
		ready = buffer.address();
		raise(SIGSTOP);
		ltt_switch(buffer.address());
	});
	WAIT_UNTIL(ready && ktap::state_of(child) == 'T');
	REQUIRE_OK(ptrace(PTRACE_SEIZE, child, 0, 0));
	REQUIRE_OK(ptrace(PTRACE_INTERRUPT, child, 0, 0));
	int status;
	WAIT_UNTIL(waitpid(child, &status, WNOHANG) == child);
	char *at = static_cast<char *>(ready.load());
	CHECK_LT(ptrace(PTRACE_POKEDATA, child, at + offsetof(ltt_trace_page, active), 0), 0);
	CHECK_OK(ptrace(PTRACE_POKEDATA, child, at + page + offsetof(ltt_control, lost), 77));
	REQUIRE_OK(ptrace(PTRACE_DETACH, child, 0, 0));
	REQUIRE_OK(kill(child, SIGCONT));
	CHECK_EQ(wait_for(child), 0);
	ltt::Stream stream = ltt::stream_of(ltt::read_streams(trace, 1), child);
	stream.check_numbers(0, 3);
	CHECK_EQ(stream.header.lost, 77);
}

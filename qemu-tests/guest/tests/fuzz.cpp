// SPDX-License-Identifier: MIT
//
// Hostile programs of several users draw one attack after the other, while a
// witness behaves. What it writes must arrive, whatever they do; and the kernel
// must not complain. qemu-tests/fuzz/run does this for as long as one likes.
//
// qemu: memory=1G timeout=120

#include "../../fuzz/attacker.h"
#include "../../fuzz/witness.h"

#include "../guest.h"
#include "../process.h"
#include "../streams.h"

#include <csignal>
#include <memory>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace
{

constexpr unsigned n_attackers = 4;
constexpr double round_seconds = 10;

uint64_t number_from(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text && *text ? strtoull(text, nullptr, 0) : otherwise;
}

// A minute has its rounds; what is left after them is for the ends and the boot.
unsigned wanted_seconds()
{
	return static_cast<unsigned>(number_from("FUZZ_SECONDS", 20));
}

// Is this a kernel that finds faults in itself?
bool checks_itself()
{
	std::string symbols = ktap::read_file("/proc/kallsyms");
	return symbols.find(" kasan_report\n") != std::string::npos ||
	       symbols.find(" __kcsan_check_access\n") != std::string::npos;
}

// What the attackers did, as they say.
class Counts
{
public:
	Counts() { REQUIRE_OK(pipe2(ends, O_NONBLOCK | O_CLOEXEC)); }
	~Counts()
	{
		close(ends[0]);
		close(ends[1]);
	}

	int writing() const { return ends[1]; }

	void take()
	{
		uint8_t bytes[4096];
		for (ssize_t n; (n = read(ends[0], bytes, sizeof(bytes))) > 0;)
			for (ssize_t i = 0; i < n; ++i)
				++of[bytes[i]];
	}

	void log() const
	{
		const std::vector<fuzz::Attack> &all = fuzz::all_attacks();
		unsigned long long sum = 0;
		for (size_t i = 0; i < all.size(); ++i) {
			sum += of[i];
			guest::log("fuzz:   %8llu  %s", of[i], all[i].name);
		}
		guest::log("fuzz: %llu attacks, %llu of them ended by a signal; %llu buffers", sum,
			of[fuzz::report_recovery], of[fuzz::report_buffer]);
	}

private:
	int ends[2];
	unsigned long long of[256] = {};
};

class Round
{
public:
	Round(uint64_t seed, Counts &counts)
		: counts(counts), random(seed), seed(seed), trace(parameters(random)),
		  testimony(ktap::shared<fuzz::Testimony>()), judge(*testimony, trace.info()),
		  memory(2 << 20)
	{
		trace.start();
		fcntl(trace.descriptor(), F_SETFL, O_NONBLOCK);
	}

	void run(double seconds)
	{
		auto number = static_cast<unsigned long long>(seed);
		guest::log("fuzz: seed %llu begins", number);
		printf("again: make fuzz-kernel SEED=%llu T=30s\n", number);
		fflush(stdout);
		witness = ktap::spawn(
			[&] { fuzz::be_the_witness(random.branch(1000), trace, *testimony); });
		double limit = ktap::now() + seconds;
		while (ktap::now() < limit) {
			for (Seat &seat : seats)
				renew(seat);
			read();
			reap();
			if (random.one_in(4))
				trace.flush();
			if (random.one_in(16))
				destroy_orphans();
		}
		end();
	}

private:
	// One attacking process after the other, each with a life of random length.
	struct Seat {
		unsigned number;
		pid_t pid = 0;	 // 0: it has ended
		pid_t group = 0; // of it and its children
		double end = 0;
		uint64_t lives = 0;
	};

	static ltt_trace_params parameters(fuzz::Random random)
	{
		ltt_trace_params p = ltt::params(fuzz::witness_name);
		p.n_subbufs = 8;
		p.mode = random.of<__u32>({LTT_MODE_DISCARD, LTT_MODE_OVERWRITE, LTT_MODE_BLOCK});
		p.timeout_us = p.mode == LTT_MODE_BLOCK ? 2000 : 0;
		return p;
	}

	void renew(Seat &seat)
	{
		if (seat.pid && ktap::now() < seat.end)
			return;
		clear(seat);
		fuzz::Random its = random.branch(seat.number * 10000 + ++seat.lives);
		auto kind = static_cast<fuzz::Kind>((seat.number + seat.lives) % 4);
		seat.end = ktap::now() + (0.1 + 0.001 * static_cast<double>(its.below(3000)));
		seat.pid = fork();
		REQUIRE(seat.pid >= 0);
		if (seat.pid == 0) {
			// Stray stores must not hit what the witness says.
			munmap(testimony, sizeof(*testimony));
			fuzz::attack(its, seat.number, kind, counts.writing());
		}
		setpgid(seat.pid, seat.pid);
		seat.group = seat.pid;
	}

	// Orphans come to this process. Their zombies would hold up the first process
	// of a pid namespace when it ends.
	void reap()
	{
		int status;
		pid_t pid;
		while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
			if (pid == witness)
				witness = 0;
			for (Seat &seat : seats) {
				if (pid != seat.pid)
					continue;
				seat.pid = 0;
				// An unprivileged one must not find the witness's trace.
				CHECK(!WIFEXITED(status) ||
					WEXITSTATUS(status) != fuzz::exit_forbidden);
			}
		}
	}

	// Waits, reading on; a fault if it takes too long, with what everybody does.
	template <class Condition>
	void await(const char *what, Condition condition)
	{
		auto poll = [&] {
			read();
			reap();
			return condition();
		};
		double begin = ktap::now();
		if (ktap::wait_until(poll, 30)) {
			if (ktap::now() - begin > 5)
				guest::log("fuzz: %s took %.1f s", what, ktap::now() - begin);
			return;
		}
		std::string text;
		for (pid_t pid : ktap::descendants_of(getpid()))
			text += ktap::describe(pid);
		printf("%s", text.c_str());
		ktap::fail(__FILE__, __LINE__, "waited in vain for %s", what);
		ktap::end_test(ktap::exit_failed);
	}

	void clear(Seat &seat)
	{
		if (seat.group)
			kill(-seat.group, SIGKILL);
		if (seat.pid)
			kill(seat.pid, SIGKILL);
		await("the end of an attacker", [&] { return !seat.pid; });
		seat.group = 0;
	}

	void read()
	{
		counts.take();
		pollfd p = {trace.descriptor(), POLLIN, 0};
		poll(&p, 1, 5);
		ssize_t n = ::read(trace.descriptor(), memory.data(), memory.size());
		if (n < 0) {
			REQUIRE(errno == EAGAIN || errno == EINTR);
			return;
		}
		auto size = static_cast<size_t>(n);
		for (const ltt::Packet &packet : ltt::split_packets(memory.data(), size))
			judge.take(packet);
	}

	// Traces outlive who made them; there are but 32.
	void destroy_orphans(bool all = false)
	{
		int device = ltt::open_device();
		std::vector<std::string> names;
		for (__u32 slot = 0; slot < LTT_MAX_TRACES; ++slot) {
			ltt_trace_info info = {};
			info.size = sizeof(info);
			info.trace = slot;
			if (ioctl(device, LTT_IOC_INFO, &info) != 0)
				break;
			slot = info.trace;
			if (strcmp(info.name, fuzz::witness_name) != 0)
				names.push_back(info.name);
		}
		close(device);
		if (!all && names.size() < 20)
			return;
		for (const std::string &name : names) {
			int fd = ltt::open_trace(name.c_str());
			ioctl(fd, LTT_IOC_DESTROY);
			close(fd);
		}
	}

	void end()
	{
		testimony->stop = true;
		await("the end of the witness", [&] { return !witness; });
		for (Seat &seat : seats)
			clear(seat);
		await("the end of all children", [&] { return nobody_is_left(); });
		destroy_orphans(true);
		trace.stop();
		await("memory to come back", [&] { return trace.memory() == 0; });
		judge.check_witness();
		CHECK_EQ(trace.info().buffers, 0);
		munmap(testimony, sizeof(*testimony));
		guest::log(
			"fuzz: seed %llu ends: %llu packets, %llu of liars, %llu events witnessed",
			static_cast<unsigned long long>(seed),
			static_cast<unsigned long long>(judge.packets()),
			static_cast<unsigned long long>(judge.corrupt()),
			static_cast<unsigned long long>(judge.witnessed()));
		CHECK_GT(judge.witnessed(), 0);
	}

	bool nobody_is_left()
	{
		std::vector<pid_t> left = ktap::descendants_of(getpid());
		for (pid_t pid : left)
			kill(pid, SIGKILL);
		return left.empty();
	}

	Counts &counts;
	fuzz::Random random;
	uint64_t seed;
	ltt::Trace trace;
	fuzz::Testimony *testimony;
	fuzz::Judge judge;
	std::vector<uint8_t> memory;
	pid_t witness = 0;
	Seat seats[n_attackers] = {{0}, {1}, {2}, {3}};
};

void set_system_up()
{
	int fd = open("/proc/sys/vm/unprivileged_userfaultfd", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		CHECK_EQ(write(fd, "1", 1), 1);
	close(fd);
}

} // namespace

TEST("whatever hostile programs do, a witness's streams stay whole and the kernel well",
	seconds(wanted_seconds() + 60), spare_kib(64 << 10), may_skip)
{
	if (!getenv("FUZZ_SECONDS") && !checks_itself())
		SKIP("a kernel that does not look for its faults would hide them");
	set_system_up();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	// Or the attackers take all the time from those who watch them.
	setpriority(PRIO_PROCESS, 0, -5);
	Counts counts;
	uint64_t seed = number_from("FUZZ_SEED", static_cast<uint64_t>(time(nullptr)) % 1000000);
	double limit = ktap::now() + wanted_seconds();
	while (ktap::now() < limit) {
		auto round = std::make_unique<Round>(seed++, counts);
		round->run(std::min(round_seconds, limit - ktap::now()));
	}
	counts.log();
}

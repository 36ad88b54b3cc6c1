// SPDX-License-Identifier: MIT
//
// Each allocation and each copy that an operation makes fails once: the first,
// the second and so on, until the operation comes through. Whatever failed, the
// answer is one that is documented, the operation works right afterwards, and
// nothing is left behind.
//
// A kernel with kmemleak (it makes the boot slow, so it has to be asked for with
// --append kmemleak=on) also looks for what is allocated and referred to by nobody.

#include "../streams.h"

#include <algorithm>
#include <set>

#include <pthread.h>
#include <sys/rseq.h>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

// Failures are made where the kernel's configuration has them, for root.
constexpr char per_thread[] = "/proc/thread-self/fail-nth";
constexpr char settings[] = "/sys/kernel/debug/";

void write_setting(const std::string &name, const char *value)
{
	int fd = open((settings + name).c_str(), O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE(write(fd, value, strlen(value)) > 0);
	close(fd);
}

// A thread that has been preempted gets its CPU's number written into its rseq area on
// the way back to user space. If the page there has to be copied, as after fork(), and
// the copy is what fails, the kernel kills: a death that has to do with injection alone.
void leave_rseq()
{
	void *area = static_cast<char *>(__builtin_thread_pointer()) + __rseq_offset;
	// glibc registers 32 bytes, whatever of them it uses.
	if (__rseq_size)
		REQUIRE_EQ(syscall(SYS_rseq, area, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG), 0);
}

void need_injection()
{
	if (access(per_thread, W_OK) != 0)
		SKIP("the kernel cannot let allocations fail (CONFIG_FAULT_INJECTION)");
	// Without these, allocations that may wait never fail.
	for (const char *kind : {"failslab", "fail_page_alloc"}) {
		write_setting(std::string(kind) + "/ignore-gfp-wait", "N");
		write_setting(std::string(kind) + "/verbose", "0");
	}
	write_setting("fail_page_alloc/min-order", "0");
	write_setting("fail_page_alloc/ignore-gfp-highmem", "N");
	write_setting("fail_usercopy/verbose", "0");
	leave_rseq();
}

// The n-th allocation or copy that the calling thread makes from now on fails.
class Failure
{
public:
	Failure() : fd(open(per_thread, O_RDWR | O_CLOEXEC)) { REQUIRE(fd >= 0); }
	~Failure() { close(fd); }

	void arm(int n)
	{
		std::string text = std::to_string(n);
		REQUIRE_EQ(pwrite(fd, text.data(), text.size(), 0), text.size());
	}

	/* Takes it back; true if it had happened. */
	bool disarm()
	{
		char text[16] = "";
		// The copy of this answer may be what fails, and so may that of the 0.
		bool happened = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
		if (pwrite(fd, "0", 1, 0) != 1)
			REQUIRE_EQ(pwrite(fd, "0", 1, 0), 1);
		return happened;
	}

private:
	int fd;
};

// While it lives, no small allocation of this process's main thread succeeds.
class Drought
{
public:
	Drought() : fd(open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC))
	{
		REQUIRE(fd >= 0);
		write_setting("failslab/task-filter", "Y");
		write_setting("failslab/times", "-1");
		write_setting("failslab/probability", "100");
		set("1");
	}

	~Drought()
	{
		set("0");
		write_setting("failslab/probability", "0");
		close(fd);
	}

private:
	void set(const char *value) { REQUIRE_EQ(pwrite(fd, value, 1, 0), 1); }

	int fd;
};

// What came of one attempt.
struct Attempt {
	int error;     // errno, 0: it worked
	bool happened; // the failure, that is: there was something left to fail
};

int answer(long result)
{
	return result >= 0 ? 0 : errno;
}

template <class Operation>
Attempt attempt(int n, Operation operation)
{
	Failure failure;
	failure.arm(n);
	int error = operation();
	return {error, failure.disarm()};
}

std::set<int> seen; // errors of the last walk

// Lets everything fail in turn that try_it(n) does. Returns how many failures there were.
template <class Try>
int walk(const char *name, std::initializer_list<int> allowed, Try try_it)
{
	seen.clear();
	for (int n = 1;; ++n) {
		REQUIRE(n < 1000);
		Attempt result = try_it(n);
		seen.insert(result.error);
		bool documented =
			std::find(allowed.begin(), allowed.end(), result.error) != allowed.end();
		if (result.error && (!result.happened || !documented))
			ktap::fail(__FILE__, __LINE__, "%s with failure %d: %s", name, n,
				strerror(result.error));
		if (result.happened)
			continue;
		printf("%s: %d failures\n", name, n - 1);
		return n - 1;
	}
}

// For operations that a process does but once: each attempt has a child of its own,
// which prepares itself, tries, and then works with what it has.
template <class Prepare, class Operation, class After>
int walk_in_children(const char *name, std::initializer_list<int> allowed, Prepare prepare,
	Operation operation, After after)
{
	auto *result = shared<Attempt>();
	return walk(name, allowed, [&](int n) {
		pid_t child = spawn([&] {
			prepare();
			*result = attempt(n, operation);
			after(result->error);
		});
		CHECK_EQ(wait_for(child), 0);
		return *result;
	});
}

const char definitions[5000] = "anything";
ltt_gate gate; // of the test's process, and of each of its children

int register_program()
{
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.gate = reinterpret_cast<uintptr_t>(&gate);
	r.events = reinterpret_cast<uintptr_t>(definitions);
	r.events_size = sizeof(definitions);
	return ltt_register(&r, sizeof(r)) ? errno : 0;
}

ltt::Buffer buffer; // of the thread that the test is about

void nothing() {}

struct Started : ltt::Trace {
	Started() : ltt::Trace(ltt::params()) { start(); }
};

// What a read() gave, if it gave anything, and what comes after it: together the
// definitions, once, and a stream of n events.
void check_arrived_once(
	ltt::Trace &trace, const std::vector<uint8_t> &memory, ssize_t size, size_t n)
{
	std::vector<ltt::Packet> packets, rest;
	if (size > 0)
		packets = ltt::split_packets(memory.data(), static_cast<size_t>(size));
	rest = trace.read_packets();
	packets.insert(packets.end(), rest.begin(), rest.end());
	CHECK_EQ(std::count_if(packets.begin(), packets.end(),
			 [](const ltt::Packet &p) {
				 return p.header.type == LTT_PACKET_DEFINITIONS;
			 }),
		1);
	for (auto &[number, stream] : ltt::streams_of(packets))
		stream.check_ended(0, n);
}

} // namespace

TEST("failures while a trace is made or opened: there is none, or a whole one", seconds(60),
	may_skip)
{
	need_injection();
	int device = ltt::open_device();
	ltt_trace_params p = ltt::params();
	int n = walk("create", {ENOMEM, EFAULT}, [&](int n) {
		int fd = -1;
		Attempt a =
			attempt(n, [&] { return answer(fd = ioctl(device, LTT_IOC_CREATE, &p)); });
		if (!a.error)
			ioctl(fd, LTT_IOC_DESTROY);
		close(fd);
		CHECK_ERRNO(ltt::open_trace("test"), ENOENT);
		return a;
	});
	CHECK_GT(n, 5);

	ltt::Trace trace(p);
	ltt_trace_name name = {"test"};
	n = walk("open", {ENOMEM, EFAULT}, [&](int n) {
		int fd = -1;
		Attempt a =
			attempt(n, [&] { return answer(fd = ioctl(device, LTT_IOC_OPEN, &name)); });
		close(fd);
		return a;
	});
	CHECK_GT(n, 2);
	// errno: LTT_IOC_OPEN ENOMEM
	CHECK(seen.count(ENOMEM));

	n = walk("snapshot", {ENOMEM}, [&](int n) {
		int fd = -1;
		Attempt a = attempt(n,
			[&] { return answer(fd = ioctl(trace.descriptor(), LTT_IOC_SNAPSHOT)); });
		close(fd);
		return a;
	});
	CHECK_GT(n, 2);
	// errno: LTT_IOC_SNAPSHOT ENOMEM
	CHECK(seen.count(ENOMEM));
}

TEST("failures in a request to a trace: it is done or refused", seconds(60), may_skip)
{
	need_injection();
	ltt::Trace trace(ltt::params());
	int device = ltt::open_device(), fd = trace.descriptor();
	ltt_trace_info info = {};
	info.size = sizeof(info);
	for (int from : {fd, device})
		CHECK_GT(walk("info", {EFAULT},
				 [&](int n) {
					 return attempt(n, [&] {
						 return answer(ioctl(from, LTT_IOC_INFO, &info));
					 });
				 }),
			1);

	REQUIRE_EQ(register_program(), 0);
	ltt::write_numbers(ltt::Buffer::of(trace), 0, 1);
	walk("start", {}, [&](int n) {
		trace.stop();
		Attempt a = attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_START)); });
		CHECK_EQ(gate.mask, ~0u);
		return a;
	});
	__u32 mask = 5;
	walk("filter", {EFAULT}, [&](int n) {
		trace.filter(1);
		Attempt a = attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_FILTER, &mask)); });
		CHECK_EQ(gate.mask, a.error ? 1u : 5u);
		return a;
	});
	ltt_trace_rules rules = {3, 0, reinterpret_cast<uintptr_t>("a:b")};
	CHECK_GT(walk("rules", {EFAULT, ENOMEM},
			 [&](int n) {
				 return attempt(n,
					 [&] { return answer(ioctl(fd, LTT_IOC_RULES, &rules)); });
			 }),
		2);
	// errno: LTT_IOC_RULES ENOMEM
	CHECK(seen.count(ENOMEM));
	char text[8];
	rules = {sizeof(text), 0, reinterpret_cast<uintptr_t>(text)};
	walk("get rules", {EFAULT, ENOMEM}, [&](int n) {
		rules.size = sizeof(text);
		return attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_GET_RULES, &rules)); });
	});
	// errno: LTT_IOC_GET_RULES ENOMEM
	CHECK(seen.count(ENOMEM));
	ltt_kernel_events events = {sizeof("sched") - 1, 0, reinterpret_cast<uintptr_t>("sched")};
	CHECK_GT(walk("select events", {EFAULT, ENOMEM},
			 [&](int n) {
				 return attempt(n, [&] {
					 return answer(ioctl(fd, LTT_IOC_KERNEL, &events));
				 });
			 }),
		5);
	events = {sizeof(text), 0, reinterpret_cast<uintptr_t>(text)};
	walk("get events", {EFAULT, ENOMEM}, [&](int n) {
		events.size = sizeof(text);
		return attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_GET_KERNEL, &events)); });
	});
	// errno: LTT_IOC_GET_KERNEL ENOMEM
	CHECK(seen.count(ENOMEM));
	walk("flush", {}, [&](int n) {
		return attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_FLUSH)); });
	});
	walk("stop", {}, [&](int n) {
		trace.start();
		Attempt a = attempt(n, [&] { return answer(ioctl(fd, LTT_IOC_STOP)); });
		CHECK_EQ(gate.mask, 0u);
		return a;
	});
}

TEST("failures in ltt_register(): nothing has changed, and the next call works", seconds(60),
	may_skip)
{
	need_injection();
	Started trace;
	int n = walk_in_children(
		"register", {ENOMEM, EFAULT}, nothing, register_program, [](int error) {
			CHECK_EQ(gate.mask, error ? 0u : ~0u);
			if (error)
				CHECK_EQ(register_program(), 0);
			CHECK_EQ(gate.mask, ~0u);
		});
	CHECK_GT(n, 4);
	// errno: ltt_register ENOMEM
	CHECK(seen.count(ENOMEM));
}

TEST("failures in ltt_update(): no buffer, and the next call gets it", seconds(60), may_skip)
{
	need_injection();
	Started trace;
	void *address;
	auto update = [&] {
		int active, filter;
		address = nullptr;
		return ltt_update(&address, &active, &filter) ? errno : 0;
	};
	int n = walk_in_children("update", {ENOMEM, EFAULT}, nothing, update, [&](int error) {
		CHECK_EQ(!address, error != 0);
		if (error)
			CHECK_EQ(update(), 0);
		REQUIRE(address);
		ltt::write_numbers(ltt::Buffer(address), 0, 3);
		// Nothing of the first attempt is in the way.
		CHECK_EQ(update(), 0);
		CHECK(!address);
	});
	CHECK_GT(n, 4);
	for (auto &[number, stream] : ltt::streams_of(trace.read_packets()))
		stream.check_ended(0, 3);
}

TEST("failures at the first touch: the program goes on, its event is there or counted", seconds(60),
	may_skip)
{
	need_injection();
	auto *result = shared<Attempt>();
	uint64_t refused = 0;
	int n = walk("first touch", {}, [&](int n) {
		// The pool of an older trace would leave less to allocate.
		Started trace;
		pid_t child = spawn([&] {
			buffer = ltt::Buffer::of(trace);
			*result = attempt(n, [] {
				// Not an event: its time might be what fails.
				volatile const uint8_t *data = buffer.data();
				static_cast<void>(
					__atomic_load_n(&buffer.control().full, __ATOMIC_RELAXED));
				static_cast<void>(*data);
				return 0;
			});
			ltt::write_numbers(buffer, 0, 2);
		});
		CHECK_EQ(wait_for(child), 0);
		const ltt::Stream stream = ltt::read_streams(trace, 1).begin()->second;
		CHECK_EQ(stream.events.size() + stream.header.lost, 2);
		bool empty = stream.events.empty();
		CHECK_EQ(trace.info().refused, empty);
		refused += empty;
		return *result;
	});
	CHECK_GT(n, 4);
	CHECK_GT(refused, 0);
}

TEST("failures in ltt_switch(): there are none", may_skip)
{
	need_injection();
	Started trace;
	buffer = ltt::Buffer::of(trace);
	CHECK_EQ(walk("switch", {},
			 [&](int n) {
				 ltt::write_numbers(buffer, 0, 1);
				 return attempt(n,
					 [] { return ltt_switch(buffer.address()) ? errno : 0; });
			 }),
		0);
}

TEST("failures in fork(): the parent goes on, a child lives, traced or not", seconds(120), may_skip)
{
	need_injection();
	Started trace;
	REQUIRE_EQ(register_program(), 0);
	buffer = ltt::Buffer::of(trace);
	uint64_t written = 0;
	int n = walk("fork", {ENOMEM, EAGAIN}, [&](int n) {
		buffer.write(written++);
		pid_t child = -1;
		Attempt a = attempt(n, [&] {
			child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
			if (child == 0) {
				buffer.write(uint64_t{0});
				ltt_switch(buffer.address());
				_exit(0);
			}
			return answer(child);
		});
		if (child > 0)
			CHECK_EQ(wait_for(child), 0);
		return a;
	});
	CHECK_GT(n, 10);
	trace.flush();
	std::map<uint64_t, ltt::Stream> streams = ltt::streams_of(trace.read_packets());
	ltt::stream_of(streams, getpid()).check_numbers(0, written);
	for (auto &[number, stream] : streams)
		if (stream.header.pid != static_cast<__u32>(getpid()) && !stream.header.lost)
			stream.check_ended(0, 1);
	CHECK_GT(streams.size(), 1);
}

TEST("failures in exec: what was written before is there, and more if exec fails", seconds(120),
	may_skip)
{
	need_injection();
	Started trace;
	constexpr int failed = 42, attempts = 60;
	size_t after_failure = 0;
	for (int n = 1; n <= attempts; ++n) {
		pid_t child = spawn([&] {
			char name[] = "failures", list[] = "--list";
			char *arguments[] = {name, list, nullptr}, *environment[] = {nullptr};
			buffer = ltt::Buffer::of(trace);
			ltt::write_numbers(buffer, 0, 3);
			dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
			attempt(n, [&] {
				return answer(execve("/proc/self/exe", arguments, environment));
			});
			ltt::write_numbers(buffer, 3, 1);
			_exit(failed);
		});
		int status = wait_for(child);
		bool goes_on = WIFEXITED(status) && WEXITSTATUS(status) == failed;
		after_failure += goes_on;
		ltt::stream_of(ltt::read_streams(trace, 1), child).check_ended(0, goes_on ? 4 : 3);
	}
	CHECK_GT(after_failure, 5);
	CHECK_LT(after_failure, attempts);
}

TEST("failures when a thread starts: it does not, or it writes", seconds(60), may_skip)
{
	need_injection();
	Started trace;
	static ltt::Trace *its_trace;
	its_trace = &trace;
	REQUIRE_EQ(register_program(), 0);
	int n = walk("thread", {EAGAIN, ENOMEM, EFAULT}, [&](int n) {
		pthread_t thread;
		Attempt a = attempt(n, [&] {
			return pthread_create(
				&thread, nullptr,
				[](void *) -> void * {
					ltt::write_numbers(ltt::Buffer::of(*its_trace), 0, 2);
					return nullptr;
				},
				nullptr);
		});
		if (!a.error)
			CHECK_EQ(pthread_join(thread, nullptr), 0);
		std::map<uint64_t, ltt::Stream> streams = ltt::read_streams(trace, !a.error);
		for (auto &[number, stream] : streams)
			stream.check_ended(0, 2);
		return a;
	});
	CHECK_GT(n, 5);
}

TEST("failures when a thread ends: what it wrote is there", seconds(60), may_skip)
{
	need_injection();
	Started trace;
	// The end of a thread cannot tell: enough for all that it allocates.
	static int n;
	static ltt::Trace *its_trace;
	its_trace = &trace;
	size_t kept_whole = 0;
	for (n = 1; n <= 8; ++n) {
		pthread_t thread;
		REQUIRE_EQ(pthread_create(
				   &thread, nullptr,
				   [](void *) -> void * {
					   ltt::write_numbers(ltt::Buffer::of(*its_trace), 0, 300);
					   Failure().arm(n);
					   syscall(SYS_exit, 0);
					   return nullptr;
				   },
				   nullptr),
			0);
		CHECK_EQ(pthread_join(thread, nullptr), 0);
		// Without memory for what is left, it stays where it is.
		kept_whole += trace.memory() == 4 * 4096;
		ltt::read_streams(trace, 1).begin()->second.check_ended(0, 300);
		WAIT_UNTIL(trace.memory() == 0);
	}
	CHECK_GT(kept_whole, 0);
	CHECK_LT(kept_whole, 8);
}

TEST("failures in read(): each packet arrives once", seconds(120), may_skip)
{
	need_injection();
	Started trace;
	std::vector<uint8_t> memory(1 << 16);
	int n = walk("read", {ENOMEM, EFAULT}, [&](int n) {
		pid_t child = spawn([&] {
			REQUIRE_EQ(register_program(), 0);
			ltt::write_numbers(ltt::Buffer::of(trace), 0, 600);
		});
		CHECK_EQ(wait_for(child), 0);
		ssize_t size = 0;
		Attempt a = attempt(n, [&] {
			return answer(
				size = read(trace.descriptor(), memory.data(), memory.size()));
		});
		check_arrived_once(trace, memory, size, 600);
		return a;
	});
	CHECK_GT(n, 4);
}

TEST("a reader without any memory: the packets arrive once, when there is some", may_skip)
{
	need_injection();
	Started trace;
	pid_t child = spawn([&] {
		REQUIRE_EQ(register_program(), 0);
		ltt::write_numbers(ltt::Buffer::of(trace), 0, 10);
	});
	CHECK_EQ(wait_for(child), 0);
	std::vector<uint8_t> memory(1 << 16);
	ssize_t size = 0;
	int error = 0;
	{
		Drought drought;
		size = read(trace.descriptor(), memory.data(), memory.size());
		error = errno;
	}
	if (size <= 0)
		// errno: read ENOMEM
		CHECK_EQ(error, ENOMEM);
	check_arrived_once(trace, memory, size, 10);
}

TEST("a trace destroyed without any memory: what was written is there", may_skip)
{
	need_injection();
	Started trace;
	buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 300);
	{
		Drought drought;
		CHECK_EQ(ioctl(trace.descriptor(), LTT_IOC_DESTROY), 0);
	}
	ltt::stream_of(ltt::read_streams(trace, 1), getpid()).check_ended(0, 300);
	WAIT_UNTIL(trace.memory() == 0);
}

TEST("failures when a trace is destroyed: it is, and what was written is there", seconds(60),
	may_skip)
{
	need_injection();
	int n = walk("destroy", {}, [&](int n) {
		Started trace;
		pid_t dead = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, 20); });
		CHECK_EQ(wait_for(dead), 0);
		buffer = ltt::Buffer::of(trace);
		ltt::write_numbers(buffer, 0, 300);
		Attempt a = attempt(
			n, [&] { return answer(ioctl(trace.descriptor(), LTT_IOC_DESTROY)); });
		std::map<uint64_t, ltt::Stream> streams = ltt::read_streams(trace, 2);
		ltt::stream_of(streams, dead).check_ended(0, 20);
		ltt::stream_of(streams, getpid()).check_ended(0, 300);
		WAIT_UNTIL(trace.memory() == 0);
		munmap(buffer.address(), buffer.size());
		return a;
	});
	CHECK_GT(n, 1);
}

TEST("of all that, nothing is left that nobody knows", seconds(60), may_skip)
{
	int kmemleak = open("/sys/kernel/debug/kmemleak", O_RDWR | O_CLOEXEC);
	if (kmemleak < 0 || write(kmemleak, "scan", 4) != 4)
		SKIP("the kernel does not look for leaks (CONFIG_DEBUG_KMEMLEAK, kmemleak=on)");
	sleep(6);		    // younger ones are not reported
	for (int i = 0; i < 2; ++i) // what a register pointed to, it does no more
		REQUIRE_EQ(write(kmemleak, "scan", 4), 4);
	close(kmemleak);
	std::string report = ktap::read_file("/sys/kernel/debug/kmemleak");
	if (!CHECK(report.find("ltt_") == std::string::npos))
		printf("%s\n", report.c_str());
}

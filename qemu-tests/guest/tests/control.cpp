// SPDX-License-Identifier: MIT
//
// /dev/ltt: what its requests refuse, and who may do what.

#include "../ltt.h"
#include "../users.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace
{

using namespace users;

template <class Change>
void refused(int error, Change change)
{
	ltt_trace_params p = ltt::params();
	change(p);
	int fd = -1;
	CHECK_ERRNO(fd = ltt::create(p), error);
	if (fd >= 0)
		ioctl(fd, LTT_IOC_DESTROY);
}

} // namespace

TEST("the device tells the version of the ABI, and everybody may open it")
{
	__u32 version = 0;
	int device = ltt::open_device();
	REQUIRE(device >= 0);
	CHECK_OK(ioctl(device, LTT_IOC_VERSION, &version));
	CHECK_EQ(version, LTT_ABI_VERSION);
	struct stat st;
	REQUIRE_OK(stat("/dev/ltt", &st));
	CHECK_EQ(st.st_mode, static_cast<mode_t>(S_IFCHR | 0666));
	// errno: LTT_IOC_VERSION EFAULT
	CHECK_ERRNO(ioctl(device, LTT_IOC_VERSION, nullptr), EFAULT);
	CHECK_ERRNO(ioctl(device, LTT_IOC_START), ENOTTY);
	CHECK_ERRNO(ioctl(device, 0x1234), ENOTTY);
}

TEST("without memory that is reserved for it nothing persists")
{
	ltt_trace_params p = ltt::params();
	p.flags |= LTT_TRACE_PERSIST;
	// errno: LTT_IOC_CREATE ENXIO
	CHECK_ERRNO(ltt::create(p), ENXIO);
	int device = ltt::open_device();
	REQUIRE(device >= 0);
	// errno: LTT_IOC_PREVIOUS ENXIO
	CHECK_ERRNO(ioctl(device, LTT_IOC_PREVIOUS), ENXIO);
}

TEST("create refuses geometries, names, flags and modes that are not described")
{
	// errno: LTT_IOC_CREATE EINVAL: size is not that
	refused(EINVAL, [](ltt_trace_params &p) { p.size = 0; });
	refused(EINVAL, [](ltt_trace_params &p) { p.size += 8; });
	// errno: LTT_IOC_CREATE EINVAL: has other bits
	refused(EINVAL, [](ltt_trace_params &p) { p.flags |= LTT_TRACE_BOOT; });
	refused(EINVAL, [](ltt_trace_params &p) { p.flags |= 1u << 31; });
	// errno: LTT_IOC_CREATE EINVAL: no such mode
	refused(EINVAL, [](ltt_trace_params &p) { p.mode = 17; });
	// errno: LTT_IOC_CREATE EINVAL: power of two
	refused(EINVAL, [](ltt_trace_params &p) { p.subbuf_size = 2048; });
	refused(EINVAL, [](ltt_trace_params &p) { p.subbuf_size = 4097; });
	refused(EINVAL, [](ltt_trace_params &p) { p.subbuf_size = 32 << 20; });
	refused(EINVAL, [](ltt_trace_params &p) { p.subbuf_size = 0; });
	refused(EINVAL, [](ltt_trace_params &p) { p.n_subbufs = 0; });
	refused(EINVAL, [](ltt_trace_params &p) { p.n_subbufs = 1; });
	refused(EINVAL, [](ltt_trace_params &p) { p.n_subbufs = 3; });
	refused(EINVAL, [](ltt_trace_params &p) { p.n_subbufs = 8192; });
	// 512 MiB in all; the product in 32 bits would be 0:
	refused(EINVAL, [](ltt_trace_params &p) {
		p.subbuf_size = 1 << 20;
		p.n_subbufs = 512;
	});
	refused(EINVAL, [](ltt_trace_params &p) {
		p.subbuf_size = 16 << 20;
		p.n_subbufs = 256;
	});
	// errno: LTT_IOC_CREATE EINVAL: contexts
	refused(EINVAL, [](ltt_trace_params &p) { p.contexts = 0x80; });
	refused(EINVAL, [](ltt_trace_params &p) { p.contexts = 1u << 31; });
	refused(EINVAL, [](ltt_trace_params &p) { p.reserved = 1; });
	for (const char *name : {"", ".", ".x", "-x", "a/b", "a b", "../x", "\xc3\xa4", "x\n"})
		// errno: LTT_IOC_CREATE EINVAL: the name
		refused(EINVAL, [name](ltt_trace_params &p) {
			memset(p.name, 0, sizeof(p.name));
			strcpy(p.name, name);
		});
	refused(EINVAL, [](ltt_trace_params &p) { memset(p.name, 'x', sizeof(p.name)); });
	refused(EINVAL, [](ltt_trace_params &p) { p.name[sizeof(p.name) - 1] = 'x'; });
	// errno: LTT_IOC_CREATE EFAULT: params
	CHECK_ERRNO(ioctl(ltt::open_device(), LTT_IOC_CREATE, nullptr), EFAULT);
}

TEST("the smallest and the largest geometry are taken, and 63 bytes of name")
{
	ltt_trace_params p = ltt::params();
	p.subbuf_size = 4096;
	p.n_subbufs = 2;
	{
		ltt::Trace smallest(p);
		CHECK_EQ(smallest.info().n_subbufs, 2u);
	}
	p.subbuf_size = 16 << 20;
	p.n_subbufs = 16;
	memset(p.name, 'x', sizeof(p.name) - 1);
	ltt::Trace largest(p);
	CHECK_EQ(std::string(largest.info().name), std::string(LTT_NAME_SIZE - 1, 'x'));
	// Memory comes at the first touch, and 256 MiB in a guest of 512 may be refused.
	CHECK_EQ(largest.info().memory, 0u);
}

TEST("a second trace of the same name gives EEXIST, an unknown name ENOENT")
{
	ltt::Trace trace(ltt::params());
	// errno: LTT_IOC_CREATE EEXIST
	CHECK_ERRNO(ltt::create(ltt::params()), EEXIST);
	// errno: LTT_IOC_OPEN ENOENT
	CHECK_ERRNO(ltt::open_trace("another"), ENOENT);
	CHECK_ERRNO(ltt::open_trace(""), ENOENT);
	trace.destroy();
	CHECK_ERRNO(ltt::open_trace("test"), ENOENT);
	ltt::Trace again(ltt::params());
}

TEST("the 33rd trace gives ENOSPC; the list shows the 32 in their slots")
{
	std::vector<ltt::Trace> traces;
	for (int i = 0; i < LTT_MAX_TRACES; ++i)
		traces.emplace_back(ltt::params(("t" + std::to_string(i)).c_str()));
	// errno: LTT_IOC_CREATE ENOSPC: LTT_MAX_TRACES
	CHECK_ERRNO(ltt::create(ltt::params("one-more")), ENOSPC);

	int device = ltt::open_device();
	for (__u32 slot = 0; slot < LTT_MAX_TRACES; ++slot) {
		ltt_trace_info info = {};
		info.size = sizeof(info);
		info.trace = slot;
		REQUIRE_OK(ioctl(device, LTT_IOC_INFO, &info));
		CHECK_EQ(info.trace, slot);
		CHECK_EQ(std::string(info.name), "t" + std::to_string(slot));
	}
	ltt_trace_info info = {};
	info.size = sizeof(info);
	// errno: LTT_IOC_INFO ENOENT
	info.trace = LTT_MAX_TRACES;
	CHECK_ERRNO(ioctl(device, LTT_IOC_INFO, &info), ENOENT);
	info.trace = ~0u;
	CHECK_ERRNO(ioctl(device, LTT_IOC_INFO, &info), ENOENT);

	traces[7].destroy();
	ltt::Trace again(ltt::params("one-more"));
	CHECK_EQ(again.info().trace, 7u);
}

TEST("all 32 traces at once get every event")
{
	std::vector<ltt::Trace> traces;
	for (int i = 0; i < LTT_MAX_TRACES; ++i) {
		traces.emplace_back(ltt::params(("t" + std::to_string(i)).c_str()));
		traces.back().start();
	}
	for (int i = 0; i < LTT_MAX_TRACES; ++i) {
		ltt::Buffer buffer = ltt::Buffer::next();
		REQUIRE(buffer);
		buffer.write(uint64_t{buffer->trace});
	}
	CHECK(!ltt::Buffer::next());
	for (ltt::Trace &trace : traces) {
		trace.stop();
		std::vector<ltt::Event> events = ltt::events_of(trace.read_events());
		REQUIRE_EQ(events.size(), 1u);
		CHECK_EQ(events[0].as<uint64_t>(), trace.info().trace);
	}
}

TEST("info tells what was asked for, and three clocks that fit")
{
	ltt_trace_params p = ltt::params();
	p.filter = 0x1234;
	p.subbuf_size = 8192;
	p.n_subbufs = 8;
	p.contexts = LTT_CONTEXT_IP | LTT_CONTEXT_VPID;
	ltt::Trace trace(p);
	ltt_trace_info a = trace.info();
	CHECK_EQ(a.contexts, LTT_CONTEXT_IP | LTT_CONTEXT_VPID);
	CHECK_EQ(a.flags, LTT_TRACE_SYSTEM);
	CHECK_EQ(a.active, 0u);
	CHECK_EQ(a.filter, 0x1234u);
	CHECK_EQ(a.mode, LTT_MODE_DISCARD);
	CHECK_EQ(a.subbuf_size, 8192u);
	CHECK_EQ(a.n_subbufs, 8u);
	CHECK_EQ(a.uid, 0u);
	CHECK_GT(a.clock_freq, 1000000u);
	timespec realtime, monotonic;
	clock_gettime(CLOCK_REALTIME, &realtime);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	auto ns = [](timespec t) {
		return static_cast<uint64_t>(t.tv_sec) * 1000000000u +
		       static_cast<uint64_t>(t.tv_nsec);
	};
	auto patience = static_cast<uint64_t>(5e9 * ktap::patience());
	CHECK_LT(ns(realtime) - a.realtime_ns, patience);
	CHECK_LT(ns(monotonic) - a.monotonic_ns, patience);
	usleep(100000);
	ltt_trace_info b = trace.info();
	double by_clock =
		static_cast<double>(b.clock_now - a.clock_now) / static_cast<double>(b.clock_freq);
	double by_monotonic = static_cast<double>(b.monotonic_ns - a.monotonic_ns) * 1e-9;
	CHECK_LT(by_clock, by_monotonic * 1.01);
	CHECK_GT(by_clock, by_monotonic * 0.99);
	ltt_trace_info wrong = {};
	wrong.size = sizeof(wrong) - 8;
	// errno: LTT_IOC_INFO EINVAL
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_INFO, &wrong), EINVAL);
	// errno: LTT_IOC_INFO EFAULT
	CHECK_ERRNO(ioctl(trace.descriptor(), LTT_IOC_INFO, nullptr), EFAULT);
}

TEST("requests to a destroyed trace give ENOENT; it can be closed, and read to its end")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	trace.destroy();
	int fd = trace.descriptor();
	__u32 filter = 1;
	char byte;
	// errno: LTT_IOC_START ENOENT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_START), ENOENT);
	// errno: LTT_IOC_STOP ENOENT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_STOP), ENOENT);
	// errno: LTT_IOC_FILTER ENOENT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_FILTER, &filter), ENOENT);
	// errno: LTT_IOC_DESTROY ENOENT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_DESTROY), ENOENT);
	CHECK_EQ(read(fd, &byte, 1), 0);
}

TEST("poll and a blocking read wake up for data and for the end of the trace")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	pollfd set = {trace.descriptor(), POLLIN, 0};
	CHECK_EQ(poll(&set, 1, 0), 0);
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	CHECK_EQ(poll(&set, 1, 0), 0);
	ltt_switch(buffer.address());
	CHECK_EQ(poll(&set, 1, 10000), 1);
	CHECK_EQ(set.revents, POLLIN);
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 1u);
	CHECK_EQ(poll(&set, 1, 0), 0);

	// With nothing to be read, a read sleeps until the trace is destroyed.
	pid_t tid = 0;
	ssize_t result = -1;
	std::vector<char> memory(1 << 20);
	std::thread reader([&] {
		__atomic_store_n(&tid, gettid(), __ATOMIC_RELEASE);
		while ((result = read(trace.descriptor(), memory.data(), memory.size())) > 0)
			;
	});
	WAIT_UNTIL(__atomic_load_n(&tid, __ATOMIC_ACQUIRE) && ktap::state_of(tid) == 'S');
	trace.destroy();
	reader.join();
	CHECK_EQ(result, 0);
}

TEST("a user may trace its own processes, not the system")
{
	as_user(user_a, [] {
		// errno: LTT_IOC_CREATE EPERM: without CAP_PERFMON
		CHECK_ERRNO(ltt::create(ltt::params()), EPERM);
		ltt::Trace trace(own_params("mine"));
		trace.start();
		CHECK_EQ(trace.info().uid, user_a);
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		buffer.write(uint64_t{1});
		trace.stop();
		CHECK_EQ(ltt::events_of(trace.read_events()).size(), 1u);
	});
}

TEST("a process that its user may not look into is covered by system traces only")
{
	as_user(user_a, [] {
		prctl(PR_SET_DUMPABLE, 0);
		ltt::Trace trace(own_params("mine"));
		trace.start();
		CHECK(!ltt::Buffer::next());
	});
}

TEST("root's system trace covers the processes of users, and tells whose they are")
{
	ltt::Trace system(ltt::params("system"));
	system.start();
	as_user(user_b, [] {
		ltt::Buffer buffer = ltt::Buffer::next();
		REQUIRE(buffer);
		buffer.write(uint64_t{user_b});
		CHECK(!ltt::Buffer::next());
	});
	std::vector<ltt::Packet> packets = system.read_events();
	REQUIRE(!packets.empty());
	CHECK_EQ(packets[0].header.uid, user_b);
	CHECK_EQ(packets[0].header.gid, user_b);
}

TEST("nobody lists, opens or is covered by another's trace; its owner and root are not kept out")
{
	int ready[2], go[2];
	REQUIRE_OK(pipe(ready));
	REQUIRE_OK(pipe(go));
	pid_t owner = fork();
	if (owner == 0) {
		as_user(user_a, [&] {
			ltt::Trace mine(own_params("mine"));
			mine.start();
			char byte = 'x';
			CHECK_EQ(write(ready[1], &byte, 1), 1);
			CHECK_EQ(read(go[0], &byte, 1), 1);
		});
		_exit(0);
	}
	char byte;
	REQUIRE_EQ(read(ready[0], &byte, 1), 1);
	as_user(user_b, [] {
		CHECK_ERRNO(ltt::open_trace("mine"), ENOENT);
		ltt_trace_info info = {};
		info.size = sizeof(info);
		CHECK_ERRNO(ioctl(ltt::open_device(), LTT_IOC_INFO, &info), ENOENT);
		CHECK(!ltt::Buffer::next());
	});
	as_user(user_a, [] {
		CHECK_OK(ltt::open_trace("mine"));
		CHECK(ltt::Buffer::next());
	});
	CHECK_OK(ltt::open_trace("mine"));
	CHECK(!ltt::Buffer::next());
	CHECK_EQ(write(go[1], &byte, 1), 1);
	waitpid(owner, nullptr, 0);
}

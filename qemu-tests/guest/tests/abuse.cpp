// SPDX-License-Identifier: MIT
//
// What a program can do to the facility through other system calls, and what
// who lacks a right cannot see.

#include "../streams.h"

#include <atomic>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>

namespace
{

using ktap::shared;
using ktap::spawn;
using ktap::wait_for;

constexpr size_t page = 4096;

void drop_capabilities()
{
	__user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct none[2] = {};
	REQUIRE_EQ(syscall(SYS_capset, &header, none), 0);
}

} // namespace

TEST("remap_file_pages makes no mapping of its own, and mremap and fork survive it")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	for (size_t offset : {size_t(0), size_t(1), size_t(100)})
		for (size_t skipped : {size_t(0), page}) {
			CHECK_EQ(wait_for(spawn([&] {
				ltt::Buffer buffer = ltt::Buffer::of(trace);
				ltt::write_numbers(buffer, 0, 3);
				size_t size = skipped ? buffer.size() - page : page;
				char *at = static_cast<char *>(buffer.address()) + skipped;
				// Where it fails, the old mapping may be gone: its own loss.
				CHECK(syscall(SYS_remap_file_pages, at, size, 0, offset, 0) < 0);
				void *elsewhere = mmap(nullptr, size, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				CHECK(mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
					      elsewhere) == MAP_FAILED);
				CHECK_EQ(wait_for(spawn([] {})), 0);
			})),
				0);
		}
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 6u * 3);
}

TEST("MADV_KEEPONFORK on a buffer changes nothing: the child has its own")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 1);
	char *mapping = static_cast<char *>(buffer.address());
	madvise(mapping, page, MADV_KEEPONFORK);
	madvise(mapping + page, buffer.size() - page, MADV_KEEPONFORK);
	pid_t child = spawn([&] { ltt::write_numbers(buffer, 200, 700); });
	ltt::write_numbers(buffer, 1, 700);
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	auto streams = ltt::streams_of(trace.read_packets());
	ltt::stream_of(streams, getpid()).check_numbers(0, 701);
	ltt::stream_of(streams, child).check_ended(200, 700);
}

TEST("a thread that touches a buffer while it dies does not come back to life")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	ltt::write_numbers(buffer, 0, 1);
	// Without it, fork() cannot hand the child's copy over to the child.
	REQUIRE_EQ(munmap(buffer.address(), page), 0);
	char *stub = static_cast<char *>(buffer.address()) + page;
	for (int i = 0; i < 50; ++i) {
		CHECK_EQ(wait_for(spawn([=] {
			syscall(SYS_set_robust_list, stub, 24);
			_exit(0);
		})),
			0);
		CHECK_EQ(wait_for(spawn([=] {
			syscall(SYS_set_tid_address, stub);
			_exit(0);
		})),
			0);
	}
	// Whom of them would this reach?
	ltt::Trace other(ltt::params("other"));
	other.start();
	other.stop();
	trace.read_packets();
	CHECK_EQ(trace.info().buffers, 1); // this process's own
}

TEST("a program that closes sub-buffers without committing does not keep its reader")
{
	ltt_trace_params params = ltt::params();
	ltt::Trace trace(params);
	trace.start();
	auto *full = shared<std::atomic<bool>>();
	pid_t child = spawn([&] {
		ltt::Buffer buffer = ltt::Buffer::of(trace);
		ltt_control &control = buffer.control();
		for (unsigned i = 0; i < params.n_subbufs; ++i) {
			control.reserve = control.limit;
			ltt_switch(buffer.address());
		}
		std::thread another([&] {
			for (;;)
				ltt_switch(buffer.address());
		});
		*full = true;
		for (;;)
			ltt_switch(buffer.address());
	});
	WAIT_UNTIL(*full);
	double begin = ktap::now();
	for (int i = 0; i < 20; ++i)
		trace.read_packets();
	CHECK_LT(ktap::now() - begin, 5 * ktap::patience());
	kill(child, SIGKILL);
	wait_for(child);
	trace.read_packets();

	ltt::Buffer own = ltt::Buffer::of(trace);
	for (unsigned i = 0; i < params.n_subbufs; ++i) {
		own.control().reserve = own.control().limit;
		ltt_switch(own.address());
	}
	trace.read_packets();
	// All are closed: one more switch has nothing to tell a reader.
	ltt_switch(own.address());
	pollfd p = {trace.descriptor(), POLLIN, 0};
	CHECK_EQ(poll(&p, 1, 0), 0);
}

TEST("a descriptor that cannot be had costs nothing", ktap::seconds(30))
{
	ltt_trace_params large = ltt::params();
	large.subbuf_size = 1 << 20;
	ltt::Trace trace(large);
	trace.start();
	ltt::write_numbers(ltt::Buffer::of(trace), 0, 200000); // the leak check would see them
	int device = ltt::open_device();
	REQUIRE(device >= 0);
	rlimit old, none;
	REQUIRE_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	REQUIRE_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	ltt_trace_name name = {"test"};
	ltt_trace_params params = ltt::params("other");
	for (int i = 0; i < 200; ++i) {
		CHECK_ERRNO(ioctl(device, LTT_IOC_OPEN, &name), EMFILE);
		CHECK_ERRNO(ioctl(device, LTT_IOC_CREATE, &params), EMFILE);
	}
	REQUIRE_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(device);
	CHECK_ERRNO(ltt::open_trace("other"), ENOENT);
	CHECK_EQ(trace.info().buffers, 1);
}

TEST("a program stays registered when the thread that registered it ends")
{
	static ltt_gate gate;
	gate = {};
	std::thread([] {
		ltt_registration r = {};
		r.signal = LTT_SIGNAL_DEFAULT;
		r.gate = reinterpret_cast<unsigned long>(&gate);
		REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	}).join();
	ltt_trace_params params = ltt::params();
	params.filter = 0x12;
	ltt::Trace trace(params);
	CHECK_EQ(__atomic_load_n(&gate.mask, __ATOMIC_RELAXED), 0u);
	trace.start();
	CHECK_EQ(__atomic_load_n(&gate.mask, __ATOMIC_RELAXED), 0x12u);
	// Another thread belongs to the same program: the gate is known.
	std::thread([] {
		ltt_registration r = {};
		r.signal = LTT_SIGNAL_DEFAULT;
		r.gate = reinterpret_cast<unsigned long>(&gate);
		CHECK_ERRNO(ltt_register(&r, sizeof(r)), EEXIST);
	}).join();
	trace.stop();
	CHECK_EQ(__atomic_load_n(&gate.mask, __ATOMIC_RELAXED), 0u);
}

TEST("root without capabilities does not see a trace of the whole system")
{
	ltt::Trace trace(ltt::params());
	CHECK_EQ(wait_for(spawn([] {
		int fd = ltt::open_trace("test");
		CHECK_GE(fd, 0);
		close(fd);
		drop_capabilities();
		CHECK_ERRNO(ltt::open_trace("test"), ENOENT);
		ltt_trace_params own = ltt::params("own");
		CHECK_ERRNO(ltt::create(own), EPERM);
		own.flags = 0;
		ltt::Trace mine(own);
		mine.destroy();
	})),
		0);
}

TEST("one's own trace does not cover a process with more capabilities, nor one that hides")
{
	ltt::Buffer::next(); // this process registers, with all of root's capabilities
	CHECK_EQ(wait_for(spawn([] {
		ltt_trace_params own = ltt::params("own");
		own.flags = 0;
		auto *ready = shared<std::atomic<bool>>();
		pid_t mighty = spawn([=] {
			WAIT_UNTIL(*ready);
			CHECK(!ltt::Buffer::next());
		});
		drop_capabilities();
		ltt::Trace trace(own);
		*ready = true;
		CHECK_EQ(wait_for(mighty), 0);
		CHECK_EQ(wait_for(spawn([] { CHECK(ltt::Buffer::next()); })), 0);
		CHECK_EQ(wait_for(spawn([] {
			prctl(PR_SET_DUMPABLE, 0);
			CHECK(!ltt::Buffer::next());
		})),
			0);
	})),
		0);
}

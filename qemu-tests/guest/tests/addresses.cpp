// SPDX-License-Identifier: MIT
//
// The system calls with addresses in every kind of memory, also in one that
// does not come: then they wait, and nobody waits with them.

#include "../streams.h"

#include <atomic>
#include <csignal>
#include <linux/userfaultfd.h>
#include <sys/resource.h>
#include <thread>

namespace
{

using ktap::spawn;
using ktap::wait_for;

constexpr size_t page = 4096;

char *map(size_t size, int prot = PROT_READ | PROT_WRITE, int flags = MAP_PRIVATE | MAP_ANONYMOUS,
	int fd = -1)
{
	void *p = mmap(nullptr, size, prot, flags, fd, 0);
	REQUIRE(p != MAP_FAILED);
	return static_cast<char *>(p);
}

// ltt_update() with its three words from this address on.
int update_at(char *at)
{
	return ltt_update(reinterpret_cast<void **>(at), reinterpret_cast<int *>(at + 8),
		reinterpret_cast<int *>(at + 12));
}

void *pointer_at(const char *at)
{
	void *value;
	memcpy(&value, at, sizeof(value));
	return value;
}

void unmap_buffer(void *address)
{
	ltt::Buffer buffer(address);
	REQUIRE_OK(munmap(address, buffer.size()));
}

// With one trace started: the words are written, and the buffer is a buffer.
void expect_buffer(char *at)
{
	REQUIRE_EQ(update_at(at), 0);
	int active;
	memcpy(&active, at + 8, sizeof(active));
	CHECK_EQ(active, 1);
	REQUIRE(pointer_at(at));
	ltt::Buffer(pointer_at(at)).write(uint64_t{7});
}

} // namespace

TEST("ltt_update: words that lie across the end of what is mapped give EFAULT, and map nothing")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	char *end = map(2 * page) + page;
	REQUIRE_OK(mprotect(end, page, PROT_NONE));
	for (int beyond : {1, 4, 7, 8, 11, 12, 15}) {
		memset(end - 16, 0, 16);
		CHECK_ERRNO(update_at(end - 16 + beyond), EFAULT);
		CHECK_EQ(ktap::read_file("/proc/self/maps").find("[ltt"), std::string::npos);
	}
	expect_buffer(end - 16);
	CHECK_EQ(trace.info().buffers, 1);
}

TEST("ltt_update: PROT_NONE gives EFAULT; made writable again, it is written")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	char *at = map(page);
	REQUIRE_OK(mprotect(at, page, PROT_NONE));
	CHECK_ERRNO(update_at(at), EFAULT);
	REQUIRE_OK(mprotect(at, page, PROT_READ | PROT_WRITE));
	expect_buffer(at);
}

TEST("ltt_update: into a shared file, into memory never touched, dropped, and locked")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	int file = memfd_create("words", 0);
	REQUIRE_OK(ftruncate(file, page));
	CHECK_EQ(wait_for(spawn([&] {
		char *at = map(page, PROT_READ | PROT_WRITE, MAP_SHARED, file);
		expect_buffer(at);
		char words[16];
		REQUIRE_EQ(pread(file, words, sizeof(words), 0), 16);
		CHECK_EQ(pointer_at(words), pointer_at(at));
		// The file is cut off under the mapping: SIGBUS for a program, not here.
		REQUIRE_OK(ftruncate(file, 0));
		CHECK_ERRNO(update_at(at), EFAULT);
	})),
		0);
	CHECK_EQ(wait_for(spawn([&] { expect_buffer(map(page)); })), 0);
	CHECK_EQ(wait_for(spawn([&] {
		char *at = map(page);
		memset(at, 0xff, page);
		REQUIRE_OK(madvise(at, page, MADV_DONTNEED)); // zeros again
		expect_buffer(at);
	})),
		0);
	CHECK_EQ(wait_for(spawn([&] {
		char *at = map(page);
		REQUIRE_OK(mlock(at, page));
		expect_buffer(at);
	})),
		0);
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 4);
}

TEST("ltt_update: into the thread's own buffer; its trace page gives EFAULT")
{
	ltt::Trace trace(ltt::params("one")), second(ltt::params("two"));
	trace.start();
	second.start();
	ltt::Buffer buffer = ltt::Buffer::next();
	CHECK_ERRNO(update_at(static_cast<char *>(buffer.address()) + 2048), EFAULT);
	// The sub-buffers are memory like any other, even before the first touch.
	expect_buffer(reinterpret_cast<char *>(buffer.data()) + 64);
}

TEST("ltt_update: without room in the address space: ENOMEM, counted as refused; later it works")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	rlimit old, none;
	REQUIRE_OK(getrlimit(RLIMIT_AS, &old));
	none = old;
	none.rlim_cur = page;
	void *address = nullptr;
	int active, filter;
	REQUIRE_OK(setrlimit(RLIMIT_AS, &none));
	int result = ltt_update(&address, &active, &filter);
	int error = errno;
	REQUIRE_OK(setrlimit(RLIMIT_AS, &old));
	CHECK_EQ(result, 1);
	// errno: ltt_update ENOMEM
	CHECK_EQ(error, ENOMEM);
	CHECK_EQ(address, nullptr);
	CHECK_EQ(trace.info().refused, 1);
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	buffer.write(uint64_t{1});
	unmap_buffer(buffer.address());
}

namespace
{

// A page that comes when arrive() is called; who touches it earlier sleeps.
class LatePage
{
public:
	LatePage() : fd(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)))
	{
		REQUIRE(fd >= 0);
		uffdio_api api = {};
		api.api = UFFD_API;
		REQUIRE_OK(ioctl(fd, UFFDIO_API, &api));
		uffdio_register region = {};
		region.range = range();
		region.mode = UFFDIO_REGISTER_MODE_MISSING;
		REQUIRE_OK(ioctl(fd, UFFDIO_REGISTER, &region));
	}

	void arrive()
	{
		uffdio_zeropage zero = {};
		zero.range = range();
		REQUIRE_OK(ioctl(fd, UFFDIO_ZEROPAGE, &zero));
	}

	int descriptor() const { return fd; }

	char *const at = map(page);

private:
	uffdio_range range() const { return {reinterpret_cast<__u64>(at), page}; }

	int fd;
};

struct LateCall {
	const char *name;
	long number;
	long (*call)(char *at, int trace); // -errno is no matter
};

long register_with(char *gate, char *events)
{
	ltt_registration r = {};
	r.gate = reinterpret_cast<__u64>(gate);
	r.events = reinterpret_cast<__u64>(events);
	r.events_size = events ? 64 : 0;
	return ltt_register(&r, sizeof(r));
}

const LateCall late_calls[] = {
	{"ltt_update, first word", LTT_NR_update,
		[](char *at, int) -> long { return update_at(at); }},
	{"ltt_update, second word", LTT_NR_update,
		[](char *at, int) -> long {
			void *buffer = nullptr;
			int filter;
			return ltt_update(&buffer, reinterpret_cast<int *>(at), &filter);
		}},
	{"ltt_register, its structure", LTT_NR_register,
		[](char *at, int) -> long {
			return ltt_register(
				reinterpret_cast<ltt_registration *>(at), sizeof(ltt_registration));
		}},
	{"ltt_register, the gate", LTT_NR_register,
		[](char *at, int) { return register_with(at, nullptr); }},
	{"ltt_register, the definitions", LTT_NR_register,
		[](char *at, int) { return register_with(nullptr, at); }},
	{"read of the trace", SYS_read,
		[](char *at, int trace) -> long { return read(trace, at, page); }},
	{"LTT_IOC_CREATE", SYS_ioctl,
		[](char *at, int) -> long {
			return ioctl(ltt::open_device(), LTT_IOC_CREATE, at);
		}},
	{"LTT_IOC_OPEN", SYS_ioctl,
		[](char *at, int) -> long { return ioctl(ltt::open_device(), LTT_IOC_OPEN, at); }},
	{"LTT_IOC_INFO of the trace", SYS_ioctl,
		[](char *at, int trace) -> long { return ioctl(trace, LTT_IOC_INFO, at); }},
	{"LTT_IOC_FILTER", SYS_ioctl,
		[](char *at, int trace) -> long { return ioctl(trace, LTT_IOC_FILTER, at); }},
};

// What everybody else does with the same trace and others, at once.
void others_go_on(ltt::Trace &trace)
{
	double begin = ktap::now();
	trace.stop();
	trace.start();
	trace.filter(0x7);
	trace.info();
	trace.flush();
	ltt::Trace other(ltt::params("other"));
	other.start();
	CHECK_EQ(wait_for(spawn([&] { ltt::write_numbers(ltt::Buffer::of(other), 0, 3); })), 0);
	CHECK_EQ(ltt::events_of(other.read_events()).size(), 3);
	other.destroy();
	CHECK_LT(ktap::now() - begin, 2 * ktap::patience());
}

} // namespace

TEST("calls whose memory does not come (userfaultfd) hold up nobody, and can be killed",
	seconds(60))
{
	for (const LateCall &c : late_calls)
		for (bool killed : {false, true}) {
			printf("%s%s\n", c.name, killed ? ", killed" : "");
			fflush(stdout);
			ltt::Trace trace(ltt::params());
			trace.start();
			CHECK_EQ(wait_for(spawn([&] {
				ltt::write_numbers(ltt::Buffer::of(trace), 0, 3);
			})),
				0);
			int go[2];
			REQUIRE_OK(pipe(go));
			pid_t child = spawn([&] {
				LatePage late;
				std::thread brings([&] {
					char byte;
					CHECK_EQ(read(go[0], &byte, 1), 1);
					late.arrive();
				});
				c.call(late.at, trace.descriptor());
				brings.join();
			});
			WAIT_UNTIL(ktap::blocked_in(child) == c.number &&
				   ktap::state_of(child) != 'R');
			others_go_on(trace);
			if (killed) {
				REQUIRE_OK(kill(child, SIGKILL));
				CHECK_EQ(wait_for(child), SIGKILL);
			} else {
				CHECK_EQ(write(go[1], "x", 1), 1);
				CHECK_EQ(wait_for(child), 0);
			}
			close(go[0]);
			close(go[1]);
		}
}

TEST("a buffer itself cannot be put under userfaultfd")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	LatePage late;
	for (size_t skipped : {size_t(0), page, 2 * page}) {
		uffdio_register region = {};
		region.range = {reinterpret_cast<__u64>(buffer.address()) + skipped, page};
		region.mode = UFFDIO_REGISTER_MODE_MISSING;
		CHECK_ERRNO(ioctl(late.descriptor(), UFFDIO_REGISTER, &region), EINVAL);
	}
	buffer.write(uint64_t{1});
	trace.stop();
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 1);
}

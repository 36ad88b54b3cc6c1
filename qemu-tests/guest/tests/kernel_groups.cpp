// SPDX-License-Identifier: MIT
//
// Each group of the kernel's events, by something that must be in it.

#include "../kernel_events.h"
#include "../streams.h"

#include <arpa/inet.h>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <linux/aio_abi.h>
#include <linux/loop.h>
#include <net/if.h>
#include <set>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

namespace
{

using namespace ktap;
using kernel_events::Event;

template <class Work>
std::vector<Event> events_while(const char *select, Work work)
{
	ltt::Trace trace(kernel_events::large());
	return kernel_events::events_while(trace, select, work);
}

template <class Condition>
size_t count_if(const std::vector<Event> &events, const char *name, Condition condition)
{
	size_t n = 0;
	for (const Event &e : events)
		n += e.name == name && condition(e);
	return n;
}

size_t count(const std::vector<Event> &events, const char *name)
{
	return count_if(events, name, [](const Event &) { return true; });
}

char *fresh_pages(size_t n)
{
	void *p =
		mmap(nullptr, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	REQUIRE_OK(madvise(p, n * 4096, MADV_NOHUGEPAGE) == 0 || errno == EINVAL ? 0 : -1);
	return static_cast<char *>(p);
}

} // namespace

TEST("fault: each page that a program touches first, and that the kernel does for it")
{
	char *pages = fresh_pages(64);
	int zero = open("/dev/zero", O_RDONLY);
	REQUIRE(zero >= 0);
	std::vector<Event> events = events_while("fault", [&] {
		for (size_t i = 0; i < 32; ++i)
			pages[i * 4096 + 5] = 1;
		REQUIRE_EQ(read(zero, pages + 32 * 4096, 32 * 4096), 32 * 4096);
	});
	const int64_t first = reinterpret_cast<intptr_t>(pages);
	CHECK_EQ(count_if(events, "x86_exceptions_page_fault_user",
			 [&](const Event &e) {
				 return e["address"] >= first && e["address"] < first + 32 * 4096 &&
					e["address"] % 4096 == 5 && e["error_code"] == 6;
			 }),
		32);
	CHECK_EQ(count_if(events, "x86_exceptions_page_fault_kernel",
			 [&](const Event &e) {
				 return e["address"] >= first + 32 * 4096 &&
					e["address"] < first + 64 * 4096;
			 }),
		32);
}

TEST("mem: pages are allocated before they are freed")
{
	std::vector<Event> events = events_while("mem", [] {
		char *pages = fresh_pages(64);
		memset(pages, 1, 64 * 4096);
		munmap(pages, 64 * 4096);
	});
	CHECK_GE(count_if(events, "kmem_mm_page_alloc",
			 [](const Event &e) { return e["order"] == 0 && e["pfn"] > 0; }),
		64);
	for (const Event &e : events) {
		CHECK(e["page"]);
		CHECK_LE(e["order"], 10);
	}
}

TEST("net: a datagram is queued, sent and received")
{
	int from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM, 0);
	ifreq lo = {};
	strcpy(lo.ifr_name, "lo");
	REQUIRE_OK(ioctl(from, SIOCGIFFLAGS, &lo));
	lo.ifr_flags = static_cast<short>(lo.ifr_flags | IFF_UP);
	REQUIRE_OK(ioctl(from, SIOCSIFFLAGS, &lo));
	sockaddr_in address = {};
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socklen_t size = sizeof(address);
	REQUIRE_OK(bind(to, reinterpret_cast<sockaddr *>(&address), size));
	REQUIRE_OK(getsockname(to, reinterpret_cast<sockaddr *>(&address), &size));
	std::vector<Event> events = events_while("net", [&] {
		char text[1000] = "";
		REQUIRE_EQ(sendto(from, text, sizeof(text), 0,
				   reinterpret_cast<sockaddr *>(&address), size),
			1000);
		REQUIRE_EQ(recv(to, text, sizeof(text), 0), 1000);
	});
	REQUIRE_EQ(events.size(), 3);
	const char *names[] = {"net_dev_queue", "net_dev_xmit", "net_if_receive_skb"};
	const int64_t sizes[] = {1042, 1042, 1028}; // the last without the Ethernet header
	for (size_t i = 0; i < 3; ++i) {
		CHECK_EQ(count(events, names[i]), 1);
		for (const Event &e : events)
			if (e.name == names[i]) {
				CHECK_EQ(e["len"], sizes[i]);
				CHECK_EQ(e.string("name"), "lo");
				CHECK_EQ(e["skbaddr"], events[0]["skbaddr"]);
			}
	}
	CHECK_EQ(events[0].name, "net_dev_queue");
}

TEST("timer, irq, signal: a timer rings, its interrupt sends a signal, and that is delivered")
{
	signal(SIGALRM, [](int) {});
	std::vector<Event> events = events_while("timer,irq,signal", [] {
		itimerval soon = {{0, 0}, {0, 10000}};
		REQUIRE_OK(setitimer(ITIMER_REAL, &soon, nullptr));
		pause();
	});
	std::vector<std::string> story;
	std::set<int64_t> started, rings; // those that ring now, on any processor
	for (const Event &e : events) {
		if (e.name == "timer_hrtimer_start") {
			CHECK_LE(e["softexpires"], e["expires"]);
			CHECK(e["function"]);
			started.insert(e["hrtimer"]);
		}
		if (e.name == "timer_hrtimer_expire_entry" && started.count(e["hrtimer"]))
			rings.insert(e["hrtimer"]);
		else if (e.name == "timer_hrtimer_expire_exit")
			rings.erase(e["hrtimer"]);
		else if (e.name == "signal_generate" && e["pid"] == getpid() &&
			 e["sig"] == SIGALRM) {
			CHECK_EQ(e["code"], SI_KERNEL);
			CHECK(!rings.empty()); // within the expiry of one that was started
			story.push_back("generate");
		} else if (e.name == "signal_deliver" && e["sig"] == SIGALRM) {
			CHECK(e["sa_handler"]);
			story.push_back("deliver");
		}
	}
	CHECK(story == (std::vector<std::string>{"generate", "deliver"}));
	CHECK_GT(count(events, "irq_softirq_entry"), 0);
	// None is entered that is not left, but for those that the trace begins or ends in.
	const size_t in = count(events, "irq_softirq_entry"),
		     out = count(events, "irq_softirq_exit");
	CHECK_LE(in > out ? in - out : out - in, 2);
}

namespace
{

constexpr size_t block = 4096;

// A disk in a file, with a queue that keeps requests for a while.
class Disk
{
public:
	explicit Disk(const std::string &file)
	{
		int control = open("/dev/loop-control", O_RDWR);
		int number = ioctl(control, LOOP_CTL_GET_FREE);
		REQUIRE(number >= 0);
		close(control);
		name = "loop" + std::to_string(number);
		fd = open(("/dev/" + name).c_str(), O_RDWR | O_DIRECT);
		REQUIRE(fd >= 0);
		int backing = open(file.c_str(), O_RDWR | O_CREAT, 0600);
		REQUIRE_OK(ftruncate(backing, 1 << 20));
		REQUIRE_OK(ioctl(fd, LOOP_SET_FD, backing));
		close(backing);
		std::ofstream("/sys/block/" + name + "/queue/scheduler") << "mq-deadline";
		struct stat st;
		REQUIRE_OK(fstat(fd, &st));
		device = static_cast<int64_t>(major(st.st_rdev)) << 20 | minor(st.st_rdev);
		data = static_cast<char *>(aligned_alloc(block, 16 * block));
		memset(data, 'x', 16 * block);
	}

	~Disk()
	{
		ioctl(fd, LOOP_CLR_FD);
		close(fd);
		free(data);
	}

	// Blocks, in this order, as one batch.
	void write_batch(const std::vector<off_t> &blocks)
	{
		aio_context_t context = 0;
		REQUIRE_OK(syscall(SYS_io_setup, 16, &context));
		std::vector<iocb> requests(blocks.size());
		std::vector<iocb *> list;
		for (size_t i = 0; i < blocks.size(); ++i) {
			requests[i] = {};
			requests[i].aio_lio_opcode = IOCB_CMD_PWRITE;
			requests[i].aio_fildes = static_cast<uint32_t>(fd);
			requests[i].aio_buf = reinterpret_cast<uintptr_t>(data + i * block);
			requests[i].aio_nbytes = block;
			requests[i].aio_offset = blocks[i] * static_cast<off_t>(block);
			list.push_back(&requests[i]);
		}
		const long n = static_cast<long>(list.size());
		REQUIRE_EQ(syscall(SYS_io_submit, context, n, list.data()), n);
		std::vector<io_event> done(list.size());
		REQUIRE_EQ(syscall(SYS_io_getevents, context, n, n, done.data(), nullptr), n);
		for (const io_event &e : done)
			CHECK_EQ(e.res, static_cast<int64_t>(block));
		syscall(SYS_io_destroy, context);
	}

	std::string name;
	int64_t device;
	int fd;
	char *data;
};

} // namespace

TEST("block: a request is queued, given to the driver, and done")
{
	Disk disk("/tmp/disk");
	std::vector<Event> events = events_while("block", [&] {
		REQUIRE_EQ(pwrite(disk.fd, disk.data, 2 * block, 3 * block), long{2 * block});
		REQUIRE_EQ(pread(disk.fd, disk.data, block, 7 * block), long{block});
	});
	const char *names[] = {"block_rq_insert", "block_rq_issue", "block_rq_complete"};
	const int64_t sectors[] = {24, 56}, sizes[] = {16, 8};
	const int64_t direction[] = {1, 4}; // W, R
	REQUIRE_EQ(events.size(), 6);
	for (size_t i = 0; i < 6; ++i) {
		const Event &e = events[i];
		CHECK_EQ(e.name, names[i % 3]);
		CHECK_EQ(e["dev"], disk.device);
		CHECK_EQ(e["sector"], sectors[i / 3]);
		CHECK_EQ(e["nr_sector"], sizes[i / 3]);
		CHECK_EQ(e["rwbs"] & 5, direction[i / 3]);
		if (i % 3 == 2) {
			CHECK_EQ(e["error"], 0);
			continue;
		}
		CHECK_EQ(e["bytes"], sizes[i / 3] * 512);
		CHECK_GT(e["tid"], 0);
		CHECK(!e.string("comm").empty());
	}
	CHECK(events[0]["rwbs"] & 0x20); // the program waits for it
	CHECK_EQ(events[0]["tid"], getpid());
}

TEST("block: requests that follow each other on the disk become one")
{
	Disk disk("/tmp/disk");
	std::vector<Event> events = events_while("block", [&] {
		disk.write_batch({4, 5, 6, 7});
		disk.write_batch({15, 14, 13, 12});
	});
	CHECK_EQ(count(events, "block_bio_backmerge"), 3);
	CHECK_EQ(count(events, "block_bio_frontmerge"), 3);
	for (const Event &e : events)
		if (e.name.find("merge") != std::string::npos) {
			CHECK_EQ(e["dev"], disk.device);
			CHECK_EQ(e["nr_sector"], 8);
			CHECK_EQ(e["tid"], getpid());
		}
	const auto whole = [](const Event &e) {
		return (e["sector"] == 32 || e["sector"] == 96) && e["nr_sector"] == 32;
	};
	CHECK_EQ(count_if(events, "block_rq_issue", whole), 2);
	CHECK_EQ(count_if(events, "block_rq_complete", whole), 2);
	CHECK_EQ(count(events, "block_rq_issue"), 2);
}

TEST("block: what fails says why, and a flush is no write")
{
	mkdir("/tmp/small", 0700);
	REQUIRE_OK(mount("none", "/tmp/small", "tmpfs", 0, "size=16k"));
	{
		Disk disk("/tmp/small/disk");
		// Takes all room. (Of a write that found some, a loop device may say nothing.)
		if (pwrite(disk.fd, disk.data, 16 * block, 0) < 0)
			CHECK_EQ(errno, EIO);
		int error = 0;
		std::vector<Event> events = events_while("block_rq_*", [&] {
			CHECK_EQ(pwrite(disk.fd, disk.data, block, 32 * block), -1);
			error = errno;
			fsync(disk.fd);
		});
		size_t failed = 0;
		for (const Event &e : events)
			if (e.name == "block_rq_complete" && e["error"]) {
				CHECK_EQ(e["error"], -error);
				++failed;
			}
		CHECK_EQ(failed, 1);
		CHECK_EQ(count_if(events, "block_rq_complete",
				 [](const Event &e) { return (e["rwbs"] & 0x101) == 0x100; }),
			1);
	}
	umount("/tmp/small");
}

// SPDX-License-Identifier: MIT
//
// Rules: which events of a program a trace takes, by name and level.

// qemu: append="ltt.boot=early,n=4,rules=rules:two,!rules:three"

#include "../streams.h"

#include <ust/ust.h>

#include <atomic>
#include <string>
#include <thread>

UST_EVENT(rules, one, UST_BIT(0), UST_LEVEL_WARNING)
UST_EVENT(rules, two, UST_BIT(0))
UST_EVENT(rules, three, UST_BIT(1), UST_LEVEL_DEBUG)

namespace
{

using ktap::spawn;
using ktap::wait_for;

int set_rules(int fd, const std::string &text)
{
	ltt_trace_rules rules = {};
	rules.size = static_cast<__u32>(text.size());
	rules.text = reinterpret_cast<uintptr_t>(text.data());
	return ioctl(fd, LTT_IOC_RULES, &rules);
}

std::string get_rules(int fd, __u32 room = LTT_MAX_RULES)
{
	std::string text(room, '?');
	ltt_trace_rules rules = {};
	rules.size = room;
	rules.text = reinterpret_cast<uintptr_t>(text.data());
	REQUIRE_OK(ioctl(fd, LTT_IOC_GET_RULES, &rules));
	text.resize(std::min(rules.size, room));
	return text + (rules.size > room ? "..." : "");
}

// How many events a trace gets of one round of all three.
size_t events_of_a_round(ltt::Trace &trace)
{
	trace.flush();
	trace.read_packets();
	UST(rules, one);
	UST(rules, two);
	UST(rules, three);
	trace.flush();
	size_t n = 0;
	for (const ltt::Packet &p : trace.read_packets())
		if (p.header.type == LTT_PACKET_EVENTS)
			n += p.header.size / 8;
	return n;
}

} // namespace

TEST("a trace of the command line has its rules before the first program runs")
{
	ltt::Trace trace = ltt::Trace::open("early");
	CHECK_EQ(get_rules(trace.descriptor()), "rules:two,!rules:three");
	CHECK_EQ(events_of_a_round(trace), 1);
	trace.destroy();
}

TEST("rules are kept as they are given, and changed as a whole")
{
	ltt::Trace trace(ltt::params());
	int fd = trace.descriptor();
	CHECK_EQ(get_rules(fd), "");
	CHECK_OK(set_rules(fd, "net:*,!net:noise"));
	CHECK_EQ(get_rules(fd), "net:*,!net:noise");
	CHECK_EQ(get_rules(fd, 3), "net...");
	CHECK_EQ(get_rules(fd, 0), "...");
	const std::string longest(LTT_MAX_RULES, 'x');
	CHECK_OK(set_rules(fd, longest));
	CHECK_EQ(get_rules(fd), longest);
	CHECK_OK(set_rules(fd, ""));
	CHECK_EQ(get_rules(fd), "");

	// errno: LTT_IOC_RULES E2BIG
	CHECK_ERRNO(set_rules(fd, longest + "x"), E2BIG);
	for (const char *bad : {"a\n", "\x7f", "\xe4", "a\tb"})
		// errno: LTT_IOC_RULES EINVAL
		CHECK_ERRNO(set_rules(fd, bad), EINVAL);
	CHECK_ERRNO(set_rules(fd, std::string("a\0b", 3)), EINVAL);
	ltt_trace_rules rules = {};
	rules.reserved = 1;
	CHECK_ERRNO(ioctl(fd, LTT_IOC_RULES, &rules), EINVAL);
	// errno: LTT_IOC_GET_RULES EINVAL
	CHECK_ERRNO(ioctl(fd, LTT_IOC_GET_RULES, &rules), EINVAL);
	// errno: LTT_IOC_RULES EFAULT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_RULES, nullptr), EFAULT);
	rules = {8, 0, 16};
	CHECK_ERRNO(ioctl(fd, LTT_IOC_RULES, &rules), EFAULT);
	// errno: LTT_IOC_GET_RULES EFAULT
	CHECK_ERRNO(ioctl(fd, LTT_IOC_GET_RULES, nullptr), EFAULT);
	CHECK_OK(set_rules(fd, "a:b"));
	CHECK_ERRNO(ioctl(fd, LTT_IOC_GET_RULES, &rules), EFAULT);
	CHECK_EQ(get_rules(fd), "a:b");
	trace.destroy();
	// errno: LTT_IOC_RULES ENOENT
	CHECK_ERRNO(set_rules(fd, "c:d"), ENOENT);
	CHECK_EQ(get_rules(fd), "a:b");
}

TEST("a program writes the events that the rules of a trace take, and no others")
{
	ltt::Trace trace(ltt::params());
	int fd = trace.descriptor();
	trace.start();
	CHECK_EQ(events_of_a_round(trace), 3);
	CHECK_OK(set_rules(fd, "rules:one"));
	CHECK_EQ(events_of_a_round(trace), 1);
	CHECK_OK(set_rules(fd, "!rules:one"));
	CHECK_EQ(events_of_a_round(trace), 2);
	CHECK_OK(set_rules(fd, "*@warning"));
	CHECK_EQ(events_of_a_round(trace), 1);
	CHECK_OK(set_rules(fd, "other:*"));
	CHECK_EQ(events_of_a_round(trace), 0);
	trace.filter(1);
	CHECK_OK(set_rules(fd, ""));
	CHECK_EQ(events_of_a_round(trace), 2);
}

TEST("rules that were there before the program are its rules, in each of several traces")
{
	ltt::Trace one(ltt::params("one")), two(ltt::params("two"));
	CHECK_OK(set_rules(one.descriptor(), "rules:o*"));
	CHECK_OK(set_rules(two.descriptor(), "!rules:o*"));
	one.start();
	two.start();
	CHECK_EQ(events_of_a_round(one), 1);
	CHECK_EQ(events_of_a_round(two), 2);
	pid_t child = spawn([&] {
		CHECK_EQ(events_of_a_round(one), 1);
		CHECK_EQ(events_of_a_round(two), 2);
	});
	CHECK_EQ(wait_for(child), 0);
	std::thread([&] { CHECK_EQ(events_of_a_round(two), 2); }).join();
	one.stop();
	CHECK_EQ(events_of_a_round(one), 0);
	CHECK_EQ(events_of_a_round(two), 2);
}

TEST("rules that change all the time while threads write lose no event that all of them take")
{
	ltt::Trace trace(ltt::params());
	int fd = trace.descriptor();
	trace.start();
	auto &end = *ktap::shared<std::atomic<bool>>();
	auto &written = *ktap::shared<std::atomic<uint64_t>>();
	pid_t child = spawn([&] {
		while (!end) {
			UST(rules, two);
			++written;
			usleep(50);
		}
	});
	uint64_t arrived = 0, lost = 0;
	auto take = [&] {
		for (const ltt::Packet &p : trace.read_packets())
			if (p.header.type == LTT_PACKET_EVENTS &&
				p.header.pid == static_cast<__u32>(child)) {
				arrived += p.header.size / 8;
				lost = p.header.lost;
			}
	};
	for (int i = 0; i < 300 || arrived < 100; ++i) {
		CHECK_OK(set_rules(fd, i % 2 ? "rules:two,*:three" : "!rules:one"));
		take();
	}
	end = true;
	CHECK_EQ(wait_for(child), 0);
	trace.flush();
	take();
	CHECK_EQ(arrived + lost, written.load());
}

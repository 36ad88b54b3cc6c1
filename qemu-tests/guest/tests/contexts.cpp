// SPDX-License-Identifier: MIT
//
// Contexts of a trace, from the kernel's command line and from the shell.

// qemu: append="ltt.boot=early,contexts=0x70043"

#include "../streams.h"

#include <ust/ust.h>

#include <sched.h>

UST_CONTEXT(contexts, step, std::uint32_t)
UST_EVENT(contexts, event, UST_BIT(0), (std::uint64_t, value))

namespace
{

// What the events of this test have at their begin.
struct Contexts {
	uint32_t cpu;
	uint64_t ip;
	uint8_t n;
	uint16_t id;
	uint32_t step;
	uint64_t value;
} __attribute__((packed));

std::vector<Contexts> contexts_of(ltt::Trace &trace)
{
	std::vector<Contexts> all;
	trace.flush();
	for (const ltt::Packet &p : trace.read_packets()) {
		if (p.header.type != LTT_PACKET_EVENTS)
			continue;
		REQUIRE_EQ(p.data.size() % (8 + sizeof(Contexts)), 0u);
		for (size_t at = 8; at < p.data.size(); at += 8 + sizeof(Contexts)) {
			Contexts one;
			memcpy(&one, &p.data[at], sizeof(one));
			all.push_back(one);
		}
	}
	return all;
}

void write_on_each_cpu(uint64_t value)
{
	for (int cpu = 0; cpu < 2; ++cpu) {
		cpu_set_t one;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		REQUIRE_OK(sched_setaffinity(0, sizeof(one), &one));
		UST_SET_CONTEXT(contexts, step, static_cast<uint32_t>(10 + cpu));
		UST(contexts, event, value);
	}
}

} // namespace

TEST("a trace from the command line has contexts, and a new one of a program its own")
{
	ltt::Trace early = ltt::Trace::open("early");
	CHECK_EQ(early.info().contexts, 0x70043u);
	contexts_of(early);
	write_on_each_cpu(1);
	std::vector<Contexts> all = contexts_of(early);
	REQUIRE_EQ(all.size(), 2u);
	for (uint32_t cpu = 0; cpu < 2; ++cpu) {
		CHECK_EQ(all[cpu].cpu, cpu);
		CHECK_EQ(all[cpu].n, 1u);
		CHECK_EQ(all[cpu].step, 10 + cpu);
		CHECK_EQ(all[cpu].value, 1u);
	}
	CHECK_GT(all[0].ip, 0u);
	early.destroy();
}

// SPDX-License-Identifier: MIT
//
// A flight recorder from the kernel's command line, and limits given there.
// clang-format off
// qemu: append="ltt.boot=black-box,overwrite,memory=128K,subbuf=4K,n=4 ltt.user_traces=1 ltt.user_memory_kb=77"
// clang-format on

#include "../process.h"
#include "../streams.h"
#include "../users.h"

using namespace ktap;

TEST("it keeps the newest events, within its memory")
{
	ltt::Trace trace = ltt::Trace::open("black-box");
	ltt_trace_info info = trace.info();
	CHECK_EQ(info.mode, LTT_MODE_OVERWRITE);
	CHECK_EQ(info.max_memory, 128u << 10);
	CHECK_EQ(info.active, 1u);
	constexpr uint64_t n = 5000;
	pid_t child = -1;
	for (int i = 0; i < 20; ++i) {
		child = spawn([&] { ltt::write_numbers(ltt::Buffer::of(trace), 0, n); });
		CHECK_EQ(wait_for(child), 0);
		CHECK_LE(trace.info().memory, (128u << 10) + 16384);
	}
	CHECK_EQ(trace.info().refused, 0u);
	ltt::Stream s = ltt::stream_of(ltt::streams_of(trace.read_packets()), child);
	REQUIRE(!s.events.empty());
	s.check_numbers(n - s.events.size(), s.events.size());
	CHECK_GE(s.events.size(), 3u * 256);
}

TEST("limits of the command line hold")
{
	CHECK_EQ(read_file("/sys/module/ltt/parameters/user_memory_kb"), "77\n");
	users::as_user(users::user_a, [] {
		ltt::Trace one(users::own_params("one"));
		CHECK_ERRNO(ltt::create(users::own_params("two")), EDQUOT);
	});
}

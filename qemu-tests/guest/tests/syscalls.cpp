// SPDX-License-Identifier: MIT
//
// The three system calls: what they refuse, and what they do when nothing is
// there to be done.

#include "../ltt.h"

#include <thread>

namespace
{

constexpr size_t page = 4096;

// A page that can be read but not written.
void *read_only_page()
{
	void *p = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(p != MAP_FAILED);
	return p;
}

// Addresses no system call may accept.
std::vector<void *> bad_addresses()
{
	return {nullptr, reinterpret_cast<void *>(8), reinterpret_cast<void *>(-8),
		reinterpret_cast<void *>(0x7ffffffff000),
		reinterpret_cast<void *>(0xffff888000000000), read_only_page()};
}

long raw(long number, unsigned long a, unsigned long b = 0, unsigned long c = 0)
{
	long result = ust_kernel_call(
		number, static_cast<long>(a), static_cast<long>(b), static_cast<long>(c));
	if (result >= 0)
		return result;
	errno = static_cast<int>(-result);
	return -1;
}

template <class T>
unsigned long address(T *p)
{
	return reinterpret_cast<unsigned long>(p);
}

ltt_registration registration(ltt_gate *gate)
{
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.gate = address(gate);
	return r;
}

void remove_gate(ltt_gate *gate)
{
	ltt_registration r = registration(gate);
	r.flags = LTT_REGISTER_REMOVE;
	CHECK_EQ(ltt_register(&r, sizeof(r)), 0);
}

} // namespace

TEST("ltt_update: without a trace, the next buffer is NULL, inactive, with an empty filter")
{
	void *buffer = nullptr;
	int active = 7, filter = 7;
	REQUIRE_EQ(ltt_update(&buffer, &active, &filter), 0);
	CHECK_EQ(buffer, nullptr);
	CHECK_EQ(active, 0);
	CHECK_EQ(filter, 0);
}

TEST("ltt_update: bad addresses give EFAULT, one by one")
{
	void *buffer = nullptr;
	int active, filter;
	for (void *bad : bad_addresses()) {
		// errno: ltt_update EFAULT
		CHECK_ERRNO(ltt_update(static_cast<void **>(bad), &active, &filter), EFAULT);
		CHECK_ERRNO(ltt_update(&buffer, static_cast<int *>(bad), &filter), EFAULT);
		CHECK_ERRNO(ltt_update(&buffer, &active, static_cast<int *>(bad)), EFAULT);
		CHECK_EQ(buffer, nullptr);
	}
}

TEST("ltt_update: a bad address leaves no buffer mapped behind")
{
	ltt::Trace trace(ltt::params());
	void *buffer = nullptr;
	int active, filter;
	long mapped = ktap::read_file("/proc/self/maps").size();
	CHECK_ERRNO(ltt_update(&buffer, &active, nullptr), EFAULT);
	CHECK_ERRNO(ltt_update(&buffer, nullptr, &filter), EFAULT);
	CHECK_EQ(ktap::read_file("/proc/self/maps").size(), mapped);
	// Nor is it lost: the same call with good addresses maps it.
	REQUIRE_EQ(ltt_update(&buffer, &active, &filter), 0);
	CHECK_NE(buffer, nullptr);
}

TEST("ltt_update: an address that is no buffer gives EINVAL")
{
	int active, filter;
	int on_the_stack;
	ltt::Trace trace(ltt::params());
	ltt::Buffer real = ltt::Buffer::of(trace);
	char *start = static_cast<char *>(real.address());
	for (void *wrong :
		std::vector<void *>{&on_the_stack, read_only_page(), start + 8, start + page,
			start - page, start + real.size(), reinterpret_cast<void *>(-page)}) {
		void *buffer = wrong;
		// errno: ltt_update EINVAL
		if (!CHECK_ERRNO(ltt_update(&buffer, &active, &filter), EINVAL))
			printf("address %p, buffer at %p\n", wrong, real.address());
		CHECK_EQ(buffer, wrong);
	}
}

TEST("ltt_update: addresses may be misaligned")
{
	char memory[64] = {};
	auto **buffer = reinterpret_cast<void **>(memory + 1);
	auto *active = reinterpret_cast<int *>(memory + 17);
	auto *filter = reinterpret_cast<int *>(memory + 33);
	CHECK_EQ(raw(LTT_NR_update, address(buffer), address(active), address(filter)), 0);
}

TEST("ltt_update: gives one buffer per trace, then NULL; asked again it tells their state")
{
	ltt_trace_params first = ltt::params("first"), second = ltt::params("second");
	first.filter = 0x5;
	second.filter = 0x80000000;
	ltt::Trace a(first), b(second);
	b.start();

	void *buffers[3] = {};
	int active[3] = {-1, -1, -1}, filter[3] = {-1, -1, -1};
	for (int i = 0; i < 3; ++i)
		REQUIRE_EQ(ltt_update(&buffers[i], &active[i], &filter[i]), 0);
	REQUIRE(buffers[0] && buffers[1]);
	CHECK_NE(buffers[0], buffers[1]);
	CHECK_EQ(buffers[2], nullptr);
	CHECK_EQ(active[0], 0);
	CHECK_EQ(filter[0], 0x5);
	CHECK_EQ(active[1], 1);
	CHECK_EQ(static_cast<unsigned>(filter[1]), 0x80000000u);

	a.start();
	a.filter(0x6);
	b.stop();
	CHECK_EQ(ltt_update(&buffers[0], &active[0], &filter[0]), 0);
	CHECK_EQ(ltt_update(&buffers[1], &active[1], &filter[1]), 0);
	CHECK_EQ(active[0], 1);
	CHECK_EQ(filter[0], 0x6);
	CHECK_EQ(active[1], 0);
}

TEST("ltt_update: after the trace is destroyed, its buffer gives ENOENT, then EINVAL or ENOENT")
{
	ltt::Trace trace(ltt::params());
	void *buffer = ltt::Buffer::of(trace).address();
	int active, filter;
	trace.destroy();
	// errno: ltt_update ENOENT: is destroyed
	CHECK_ERRNO(ltt_update(&buffer, &active, &filter), ENOENT);
	errno = 0;
	CHECK_EQ(ltt_update(&buffer, &active, &filter), 1);
	CHECK(errno == ENOENT || errno == EINVAL);
}

TEST("ltt_switch: an address that is no buffer gives EINVAL")
{
	int on_the_stack;
	// errno: ltt_switch EINVAL
	CHECK_ERRNO(ltt_switch(&on_the_stack), EINVAL);
	for (void *bad : bad_addresses())
		CHECK_ERRNO(ltt_switch(bad), EINVAL);
	ltt::Trace trace(ltt::params());
	char *start = static_cast<char *>(ltt::Buffer::of(trace).address());
	CHECK_ERRNO(ltt_switch(start + 1), EINVAL);
	CHECK_ERRNO(ltt_switch(start + page), EINVAL);
}

TEST("ltt_switch: of another thread's buffer harms neither")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer mine = ltt::Buffer::of(trace);
	mine.write(uint64_t{1});
	std::thread other([&] {
		errno = 0;
		int result = ltt_switch(mine.address());
		CHECK(result == 0 || errno == EINVAL);
	});
	other.join();
	mine.write(uint64_t{2});
	trace.stop();
	CHECK_EQ(ltt::events_of(trace.read_events()).size(), 2u);
}

TEST("ltt_switch: of an empty sub-buffer does nothing, a thousand times")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	ltt::Buffer buffer = ltt::Buffer::of(trace);
	CHECK_EQ(ltt_switch(buffer.address()), 0);
	buffer.write(uint64_t{1});
	for (int i = 0; i < 1000; ++i)
		CHECK_EQ(ltt_switch(buffer.address()), 0);
	buffer.write(uint64_t{2});
	trace.stop();
	std::vector<ltt::Packet> packets = trace.read_events();
	CHECK_EQ(ltt::events_of(packets).size(), 2u);
	CHECK_EQ(packets.size(), 2u);
}

TEST("ltt_register: bad addresses give EFAULT")
{
	ltt_gate gate = {};
	std::vector<void *> unreadable = bad_addresses();
	unreadable.pop_back(); // may be read
	for (void *bad : unreadable) {
		// errno: ltt_register EFAULT: registration cannot be read
		CHECK_ERRNO(ltt_register(
				    static_cast<ltt_registration *>(bad), sizeof(ltt_registration)),
			EFAULT);
		ltt_registration r = registration(&gate);
		r.events = address(static_cast<char *>(bad));
		r.events_size = 64;
		if (bad && bad != reinterpret_cast<void *>(8))
			// errno: ltt_register EFAULT: definitions
			CHECK_ERRNO(ltt_register(&r, sizeof(r)), EFAULT);
	}
	ltt_registration r = registration(static_cast<ltt_gate *>(read_only_page()));
	// errno: ltt_register EFAULT: private writable memory
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), EFAULT);
	void *shared =
		mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED);
	r = registration(static_cast<ltt_gate *>(shared));
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), EFAULT);
}

TEST("ltt_register: unknown flags, non-zero reserved bytes and odd values give EINVAL")
{
	ltt_gate gate = {};
	const ltt_registration good = registration(&gate);
	auto refused = [&](auto change) {
		ltt_registration r = good;
		change(r);
		CHECK_ERRNO(ltt_register(&r, sizeof(r)), EINVAL);
	};
	// errno: ltt_register EINVAL: unknown bits
	for (int bit = 1; bit < 32; ++bit)
		refused([=](ltt_registration &r) { r.flags = 1u << bit; });
	refused([](ltt_registration &r) { r.reserved = 1; });
	// errno: ltt_register EINVAL: no signal number
	refused([](ltt_registration &r) { r.signal = 65; });
	refused([](ltt_registration &r) { r.signal = ~0u; });
	// errno: ltt_register EINVAL: not aligned
	refused([](ltt_registration &r) { r.gate += 4; });
	// errno: ltt_register EINVAL: one is zero
	refused([](ltt_registration &r) { r.events_size = 8; });
	refused([](ltt_registration &r) { r.events = 8; });
	refused([](ltt_registration &r) {
		r.flags = LTT_REGISTER_REMOVE;
		r.gate = 0;
	});
}

TEST("ltt_register: its size may grow with zeros, and may not shrink")
{
	ltt_gate gate = {};
	struct {
		ltt_registration known;
		uint64_t unknown;
	} r = {registration(&gate), 0};
	CHECK_EQ(ltt_register(&r.known, sizeof(r)), 0);
	remove_gate(&gate);
	r.unknown = 1;
	// errno: ltt_register E2BIG: not zero
	CHECK_ERRNO(ltt_register(&r.known, sizeof(r)), E2BIG);
	// errno: ltt_register EINVAL: first version
	CHECK_ERRNO(ltt_register(&r.known, LTT_REGISTRATION_SIZE_VER0 - 1), EINVAL);
	CHECK_EQ(ltt_register(&r.known, LTT_REGISTRATION_SIZE_VER0), 0);
	remove_gate(&gate);
	CHECK_ERRNO(ltt_register(&r.known, 0), EINVAL);
	// errno: ltt_register E2BIG: larger than a page
	CHECK_ERRNO(ltt_register(&r.known, ~size_t{0}), E2BIG);
}

TEST("ltt_register: a gate is known once, and can be taken back once")
{
	ltt_gate gate = {};
	ltt_registration r = registration(&gate);
	CHECK_EQ(ltt_register(&r, sizeof(r)), 0);
	// errno: ltt_register EEXIST
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), EEXIST);
	remove_gate(&gate);
	r.flags = LTT_REGISTER_REMOVE;
	// errno: ltt_register ENOENT
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), ENOENT);
}

TEST("ltt_register: more than LTT_MAX_GATES gates give ENOSPC")
{
	static ltt_gate gates[LTT_MAX_GATES + 1];
	for (int i = 0; i < LTT_MAX_GATES; ++i) {
		ltt_registration r = registration(&gates[i]);
		REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	}
	ltt_registration r = registration(&gates[LTT_MAX_GATES]);
	// errno: ltt_register ENOSPC: gates already
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), ENOSPC);
	remove_gate(&gates[0]);
	CHECK_EQ(ltt_register(&r, sizeof(r)), 0);
}

TEST("ltt_register: definitions over LTT_MAX_DEFINITIONS give E2BIG")
{
	std::vector<char> events(LTT_MAX_DEFINITIONS + 8);
	ltt_registration r = {};
	r.events = address(events.data());
	r.events_size = LTT_MAX_DEFINITIONS + 8;
	// errno: ltt_register E2BIG: LTT_MAX_DEFINITIONS
	CHECK_ERRNO(ltt_register(&r, sizeof(r)), E2BIG);
	r.events_size = LTT_MAX_DEFINITIONS;
	CHECK_EQ(ltt_register(&r, sizeof(r)), 0);
}

TEST("the gate shows the filters of the traces that are started")
{
	static ltt_gate gate;
	ltt_registration r = registration(&gate);
	r.signal = 0;
	REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	auto mask = [] { return __atomic_load_n(&gate.mask, __ATOMIC_RELAXED); };
	auto generation = [] { return __atomic_load_n(&gate.generation, __ATOMIC_RELAXED); };
	CHECK_EQ(mask(), 0u);

	ltt_trace_params first = ltt::params("first"), second = ltt::params("second");
	first.filter = 0x5;
	second.filter = 0xa0;
	ltt::Trace a(first), b(second);
	CHECK_EQ(mask(), 0u);
	__u32 before = generation();
	a.start();
	CHECK_EQ(mask(), 0x5u);
	CHECK_NE(generation(), before);
	b.start();
	CHECK_EQ(mask(), 0xa5u);
	a.filter(0x2);
	CHECK_EQ(mask(), 0xa2u);
	b.stop();
	CHECK_EQ(mask(), 0x2u);
	a.destroy();
	CHECK_EQ(mask(), 0u);
}

TEST("numbers beside the three, and rubbish in the upper half of arguments, are refused")
{
	CHECK_ERRNO(raw(LTT_NR_register + 1, 0), ENOSYS);
	ltt_gate gate = {};
	ltt_registration r = registration(&gate);
	CHECK_ERRNO(raw(LTT_NR_register, address(&r), 0xffffffff00000000ul | sizeof(r)), E2BIG);
}

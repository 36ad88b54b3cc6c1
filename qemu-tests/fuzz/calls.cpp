// SPDX-License-Identifier: MIT
//
// Attacks with the three system calls.

#include "attacker.h"

#include <csignal>

#include <sys/mman.h>
#include <unistd.h>

namespace fuzz
{

namespace
{

long call(long number, const void *x, const void *y, const void *z)
{
	return ust_kernel_call(number, reinterpret_cast<long>(x), reinterpret_cast<long>(y),
		reinterpret_cast<long>(z));
}

void update_random(Attacker &a)
{
	void **buffer = static_cast<void **>(a.pointer());
	// In a normal page: NULL, a buffer, or nearly one.
	if (a.random.one_in(2)) {
		buffer = reinterpret_cast<void **>(a.scratch() + a.random.below(64) * 8);
		*buffer = a.random.one_in(3) ? nullptr : a.pointer();
	}
	call(LTT_NR_update, buffer, a.random.one_in(2) ? a.pointer() : a.scratch() + 1024,
		a.random.one_in(2) ? a.pointer() : a.scratch() + 1032);
}

void update_known(Attacker &a)
{
	Mapped m = a.buffer();
	void *address = m.address;
	int active, filter;
	call(LTT_NR_update, &address, &active, &filter);
}

void take_buffers(Attacker &a)
{
	for (int i = 0; i < 40 && a.get_buffer(); ++i)
		;
}

void switch_random(Attacker &a)
{
	call(LTT_NR_switch, a.pointer(), nullptr, nullptr);
}

void switch_known(Attacker &a)
{
	Mapped m = a.buffer();
	uint64_t n = a.random.below(20);
	for (uint64_t i = 0; i < n; ++i)
		call(LTT_NR_switch, m.address, nullptr, nullptr);
}

// One that the kernel takes, but for what is changed in it.
ltt_registration registration(Attacker &a)
{
	ltt_registration r = {};
	r.signal = a.random.one_in(4) ? static_cast<__u32>(a.random.odd()) : LTT_SIGNAL_DEFAULT;
	if (!a.random.one_in(4))
		r.gate = reinterpret_cast<uintptr_t>(a.scratch() + a.random.below(1024) * 8);
	if (a.random.one_in(3)) {
		r.events = reinterpret_cast<uintptr_t>(a.pointer());
		r.events_size =
			static_cast<__u32>(a.random.near({8, page_size, LTT_MAX_DEFINITIONS}));
	}
	if (a.random.one_in(4))
		r.flags = LTT_REGISTER_REMOVE;
	if (a.random.one_in(3))
		r.gate = reinterpret_cast<uintptr_t>(a.pointer());
	if (a.random.one_in(6))
		reinterpret_cast<uint8_t *>(&r)[a.random.below(sizeof(r))] ^=
			static_cast<uint8_t>(1u << a.random.below(8));
	return r;
}

void register_random(Attacker &a)
{
	size_t size = sizeof(ltt_registration);
	if (a.random.one_in(4))
		size = a.random.near({0, sizeof(ltt_registration), page_size, a.random.odd()});
	if (a.random.one_in(4)) {
		ust_kernel_call(LTT_NR_register, reinterpret_cast<long>(a.pointer()),
			static_cast<long>(size), 0);
		return;
	}
	char *at = a.scratch() + 2048;
	ltt_registration r = registration(a);
	memcpy(at, &r, sizeof(r));
	ust_kernel_call(LTT_NR_register, reinterpret_cast<long>(at), static_cast<long>(size), 0);
}

// A gate whose page the program then takes away, in one way or another.
void lose_gate(Attacker &a)
{
	void *p = mmap(nullptr, page_size, PROT_READ | PROT_WRITE,
		(a.random.one_in(4) ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	ltt_registration r = {};
	r.signal = LTT_SIGNAL_DEFAULT;
	r.gate = reinterpret_cast<uintptr_t>(p) + a.random.below(512) * 8;
	long ret = ust_kernel_call(LTT_NR_register, reinterpret_cast<long>(&r), sizeof(r), 0);
	switch (a.random.below(6)) {
	case 0:
		mprotect(p, page_size, a.random.one_in(2) ? PROT_NONE : PROT_READ);
		break;
	case 1:
		madvise(p, page_size,
			a.random.of({MADV_DONTNEED, MADV_FREE, MADV_WIPEONFORK, MADV_DONTFORK,
				MADV_PAGEOUT, MADV_MERGEABLE}));
		break;
	case 2:
		p = mremap(p, page_size, page_size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		break;
	case 3:
		mmap(p, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1, 0);
		break;
	}
	if (ret == 0 && !a.random.one_in(4)) {
		r.flags = LTT_REGISTER_REMOVE;
		ust_kernel_call(LTT_NR_register, reinterpret_cast<long>(&r), sizeof(r), 0);
	}
	if (p != MAP_FAILED)
		munmap(p, page_size);
}

void block_notification(Attacker &a)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, LTT_SIGNAL_DEFAULT);
	pthread_sigmask(a.random.one_in(2) ? SIG_BLOCK : SIG_UNBLOCK, &set, nullptr);
}

void change_handler(Attacker &a)
{
	struct sigaction action;
	sigaction(LTT_SIGNAL_DEFAULT, nullptr, &action);
	auto handler = action.sa_handler;
	action.sa_handler = a.random.of({SIG_DFL, SIG_IGN});
	sigaction(LTT_SIGNAL_DEFAULT, &action, nullptr);
	usleep(100);
	action.sa_handler = handler;
	sigaction(LTT_SIGNAL_DEFAULT, &action, nullptr);
}

// The kernel stores frames of handlers there.
void handlers_stack(Attacker &a)
{
	stack_t none = {nullptr, SS_DISABLE, 0}, stack = {};
	Mapped m = a.buffer();
	stack.ss_sp = m.address ? m.data() : static_cast<char *>(a.pointer());
	stack.ss_size = 16384;
	sigaltstack(&stack, nullptr);
	raise(LTT_SIGNAL_DEFAULT);
	sigaltstack(&none, nullptr);
}

} // namespace

const std::vector<Attack> call_attacks = {
	{"ltt_update() of anything", update_random, 30},
	{"ltt_update() of a buffer", update_known, 20},
	{"take all buffers", take_buffers, 6},
	{"ltt_switch() of anything", switch_random, 10},
	{"ltt_switch() of a buffer", switch_known, 10},
	{"ltt_register()", register_random, 30},
	{"lose a gate", lose_gate, 15},
	{"block the notification", block_notification, 5},
	{"change its handler", change_handler, 3},
	{"handle it on a buffer", handlers_stack, 3},
	{"let a page be slow again", [](Attacker &) { rearm_slow_page(); }, 8},
};

} // namespace fuzz

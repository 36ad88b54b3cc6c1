// SPDX-License-Identifier: MIT
//
// Calls come from signal handlers too, which may have interrupted anything: so
// here is no malloc, every table has a fixed size, and all signals are blocked
// while the lock is held, as if it were the kernel.
#include "fake_kernel.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace
{

constexpr std::size_t PAGE = 4096;
constexpr unsigned MAX_BUFFERS = 4096;
constexpr unsigned MAX_SUBBUFS = 4096;

struct range {
	std::uint64_t start, end, begin;
};

struct trace {
	bool used;
	bool stopped; // since the last read: gives what is open too
	int memory;   // file of the trace page
	ltt_trace_page *page;
};

struct buffer {
	unsigned trace;
	int tid;
	char *base; // where the thread has it mapped
	range open;
	range *closed; // ring, by sub-buffer number
	std::uint64_t produced, consumed, taken;
	bool full;
	bool dead; // trace destroyed
};

std::atomic_flag lock_word = ATOMIC_FLAG_INIT;
trace traces[LTT_MAX_TRACES];
buffer buffers[MAX_BUFFERS];
unsigned n_buffers;
ltt_registration gates[LTT_MAX_GATES];
char *definitions[LTT_MAX_GATES];
unsigned n_gates;
std::uint32_t generation;
std::uintptr_t handler; // of the signal; 0: any
fake::calls counted;
struct {
	long number;
	int error;
} failure;
bool signals, withheld;

class lock
{
public:
	lock()
	{
		sigset_t all;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &m_saved);
		while (lock_word.test_and_set(std::memory_order_acquire))
			sched_yield();
	}
	~lock()
	{
		lock_word.clear(std::memory_order_release);
		pthread_sigmask(SIG_SETMASK, &m_saved, nullptr);
	}
	lock(const lock &) = delete;
	lock &operator=(const lock &) = delete;

private:
	sigset_t m_saved;
};

[[noreturn]] void die(const char *what)
{
	static_cast<void>(!write(STDERR_FILENO, what, std::strlen(what)));
	static_cast<void>(!write(STDERR_FILENO, "\n", 1));
	std::abort();
}

int tid()
{
	return static_cast<int>(syscall(SYS_gettid));
}

template <class Word>
Word get(const Word &word)
{
	return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

template <class Word, class Value>
void set(Word &word, Value value)
{
	__atomic_store_n(&word, static_cast<Word>(value), __ATOMIC_RELEASE);
}

std::uint64_t now(std::uint32_t clock)
{
#if defined(__x86_64__)
	if (clock == LTT_CLOCK_TSC)
		return __rdtsc();
#endif
	timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
	       static_cast<std::uint64_t>(time.tv_nsec);
}

ltt_control &control_of(const buffer &b)
{
	return *reinterpret_cast<ltt_control *>(b.base + PAGE);
}

const ltt_trace_page &page_of(const buffer &b)
{
	return *traces[b.trace].page;
}

std::size_t data_size(const ltt_trace_page &page)
{
	return std::size_t{page.subbuf_size} * page.n_subbufs;
}

void *map(std::size_t size)
{
	void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		die("fake kernel: no memory");
	return at;
}

void open_sub_buffer(buffer &b)
{
	const std::uint64_t size = page_of(b).subbuf_size;
	ltt_control &control = control_of(b);

	b.open = {b.produced * size, (b.produced + 1) * size,
		now(page_of(b).clock) + page_of(b).clock_offset};
	b.full = false;
	set(control.reserve, b.open.start);
	set(control.limit, b.open.end);
	set(control.full, 0);
}

// The one that was registered, if any was.
bool handler_is_installed()
{
	struct sigaction action;
	if (!handler)
		return true;
	sigaction(static_cast<int>(gates[n_gates - 1].signal), nullptr, &action);
	return reinterpret_cast<std::uintptr_t>(action.sa_sigaction) == handler;
}

// A change that all threads of the process see at once.
void change(unsigned slot)
{
	std::uint32_t mask = 0;

	++traces[slot].page->generation;
	for (const trace &t : traces)
		if (t.used && t.page->active)
			mask |= t.page->filter;
	++generation;
	for (unsigned i = 0; i < n_gates; ++i) {
		if (!gates[i].gate)
			continue;
		const ltt_gate gate = {mask, generation};
		std::uint64_t both;
		std::memcpy(&both, &gate, sizeof both);
		__atomic_store_n(
			reinterpret_cast<std::uint64_t *>(gates[i].gate), both, __ATOMIC_RELEASE);
	}
	if (!signals || !n_gates || !gates[n_gates - 1].signal || !handler_is_installed())
		return;
	int last = 0;
	for (unsigned i = 0; i < n_buffers; ++i)
		if (buffers[i].tid != last)
			syscall(SYS_tgkill, getpid(), last = buffers[i].tid,
				gates[n_gates - 1].signal);
}

buffer *find(unsigned slot, int thread)
{
	for (unsigned i = 0; i < n_buffers; ++i)
		if (buffers[i].trace == slot && buffers[i].tid == thread && !buffers[i].dead)
			return &buffers[i];
	return nullptr;
}

// The latest: an address is used again after the thread unmapped a dead buffer.
buffer *find(const void *address)
{
	for (unsigned i = n_buffers; i-- > 0;)
		if (buffers[i].base == address)
			return &buffers[i];
	return nullptr;
}

buffer *map_buffer(unsigned slot)
{
	const ltt_trace_page &page = *traces[slot].page;

	if (n_buffers == MAX_BUFFERS)
		die("fake kernel: too many buffers");
	// With an inaccessible page behind: nothing may be written past the end.
	const std::size_t size = 2 * PAGE + data_size(page);
	char *base = static_cast<char *>(map(size + PAGE));
	mprotect(base + size, PAGE, PROT_NONE);
	if (mmap(base, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, traces[slot].memory, 0) ==
		MAP_FAILED)
		die("fake kernel: cannot map the trace page");

	buffer &b = buffers[n_buffers++];
	b = {};
	b.trace = slot;
	b.tid = tid();
	b.base = base;
	b.closed = static_cast<range *>(map(sizeof(range) * page.n_subbufs));
	control_of(b).mask = data_size(page) - 1;
	open_sub_buffer(b);
	return &b;
}

long update(void **address, int *active, int *filter)
{
	buffer *b = nullptr;

	++counted.update;
	if (!address || !active || !filter)
		return -EFAULT;
	if (*address) {
		b = find(*address);
		if (!b)
			return -EINVAL;
		if (b->dead)
			return -ENOENT;
	} else if (!withheld) {
		for (unsigned slot = 0; slot < LTT_MAX_TRACES && !b; ++slot)
			if (traces[slot].used && !find(slot, tid()))
				b = map_buffer(slot);
	}
	*address = b ? b->base : nullptr;
	*active = b ? static_cast<int>(page_of(*b).active) : 0;
	*filter = b ? static_cast<int>(page_of(*b).filter) : 0;
	return 0;
}

long change_sub_buffer(void *address)
{
	++counted.change;
	buffer *b = find(address);
	if (!b)
		return -EINVAL;
	if (b->dead)
		return -ENOENT;

	ltt_control &control = control_of(*b);
	const ltt_trace_page &page = page_of(*b);
	if (!b->full) {
		const std::uint64_t end = get(control.reserve);
		if (end < b->open.start || end > b->open.end)
			die("fake kernel: reserve is out of bounds");
		if (end == b->open.start)
			return 0;
		range &closed = b->closed[b->produced & (page.n_subbufs - 1)];
		closed = b->open;
		closed.end = end;
		++b->produced;
		if (page.mode == LTT_MODE_OVERWRITE && b->produced - b->consumed == page.n_subbufs)
			++b->consumed; // the oldest
	}
	if (b->produced - b->consumed == page.n_subbufs) {
		b->full = true;
		set(control.reserve, b->open.end);
		set(control.limit, b->open.end);
		set(control.full, 1);
	} else {
		open_sub_buffer(*b);
	}
	return 0;
}

long enroll(const ltt_registration *argument, std::size_t size)
{
	++counted.enroll;
	if (!argument)
		return -EFAULT;
	if (size != sizeof *argument || (argument->flags & ~LTT_REGISTER_REMOVE) ||
		argument->reserved || argument->gate % 8 || argument->signal > 64)
		return -EINVAL;
	if (argument->events_size > LTT_MAX_DEFINITIONS)
		return -E2BIG;
	for (unsigned i = 0; i < n_gates; ++i)
		if (argument->gate && gates[i].gate == argument->gate) {
			if (!(argument->flags & LTT_REGISTER_REMOVE))
				return -EEXIST;
			gates[i] = gates[--n_gates];
			return 0;
		}
	if (argument->flags & LTT_REGISTER_REMOVE)
		return -ENOENT;
	if (n_gates == LTT_MAX_GATES)
		return -ENOSPC;
	definitions[n_gates] = static_cast<char *>(map(argument->events_size + 1));
	std::memcpy(definitions[n_gates], reinterpret_cast<const void *>(argument->events),
		argument->events_size);
	gates[n_gates++] = *argument;
	if (argument->handler)
		handler = argument->handler;

	std::uint32_t mask = 0;
	for (const trace &t : traces)
		if (t.used && t.page->active)
			mask |= t.page->filter;
	if (argument->gate)
		*reinterpret_cast<ltt_gate *>(argument->gate) = {mask, ++generation};
	return 0;
}

} // namespace

extern "C" long ust_kernel_call(long number, long a, long b, long c)
{
	lock guard;

	if (failure.error && failure.number == number)
		return -failure.error;
	switch (number) {
	case LTT_NR_update:
		return update(reinterpret_cast<void **>(a), reinterpret_cast<int *>(b),
			reinterpret_cast<int *>(c));
	case LTT_NR_switch:
		return change_sub_buffer(reinterpret_cast<void *>(a));
	case LTT_NR_register:
		return enroll(
			reinterpret_cast<const ltt_registration *>(a), static_cast<std::size_t>(b));
	}
	return -ENOSYS;
}

namespace fake
{

unsigned create(const trace_options &options)
{
	lock guard;
	unsigned slot = 0;

	while (slot < LTT_MAX_TRACES && traces[slot].used)
		++slot;
	if (slot == LTT_MAX_TRACES || options.n_subbufs > MAX_SUBBUFS)
		die("fake kernel: no such trace");
	trace &t = traces[slot];
	t = {};
	t.memory = memfd_create("trace page", MFD_CLOEXEC);
	if (t.memory < 0 || ftruncate(t.memory, PAGE) != 0)
		die("fake kernel: no memory");
	t.page = static_cast<ltt_trace_page *>(
		mmap(nullptr, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, t.memory, 0));
	*t.page = {};
	t.page->version = LTT_ABI_VERSION;
	t.page->compat = LTT_ABI_COMPAT;
	t.page->size = sizeof(ltt_trace_page);
	t.page->trace = slot;
	t.page->active = options.active;
	t.page->filter = options.filter;
	t.page->subbuf_size = options.subbuf_size;
	t.page->n_subbufs = options.n_subbufs;
	t.page->control_offset = PAGE;
	t.page->data_offset = 2 * PAGE;
	t.page->clock = options.clock;
	// Of the time stamp counter it is anybody's guess.
	t.page->clock_freq = options.clock == LTT_CLOCK_TSC ? 2000000000 : 1000000000;
	t.page->mode = options.mode;
	t.page->contexts = options.contexts;
	t.used = true;
	change(slot);
	return slot;
}

void start(unsigned slot)
{
	lock guard;
	set(traces[slot].page->active, 1);
	change(slot);
}

void stop(unsigned slot)
{
	lock guard;
	set(traces[slot].page->active, 0);
	traces[slot].stopped = true;
	change(slot);
}

void set_filter(unsigned slot, std::uint32_t filter)
{
	lock guard;
	set(traces[slot].page->filter, filter);
	change(slot);
}

void sleep(unsigned slot, std::uint64_t ticks)
{
	set(traces[slot].page->clock_offset, traces[slot].page->clock_offset + ticks);
	if (ltt_control *own = control(slot))
		set(own->limit, 0);
}

void set_rules(unsigned slot, const std::string &rules)
{
	lock guard;
	ltt_trace_page *const page = traces[slot].page;
	page->rules_offset = PAGE - LTT_MAX_RULES;
	set(page->rules_sequence, page->rules_sequence + 1);
	std::memcpy(
		reinterpret_cast<char *>(page) + page->rules_offset, rules.data(), rules.size());
	set(page->rules_size, static_cast<std::uint32_t>(rules.size()));
	set(page->rules_sequence, page->rules_sequence + 1);
	change(slot);
}

// As the kernel does it: the thread's mapping stays until the thread unmaps it;
// a writer in flight finds no room.
static void destroy_locked(unsigned slot)
{
	trace &t = traces[slot];

	set(t.page->active, 0);
	for (unsigned i = 0; i < n_buffers; ++i) {
		buffer &b = buffers[i];
		if (b.trace != slot || b.dead)
			continue;
		b.dead = true;
		set(control_of(b).limit, 0);
		set(control_of(b).full, 1);
	}
	t.used = false;
	change(slot);
	munmap(t.page, PAGE);
	close(t.memory);
}

void destroy(unsigned slot)
{
	lock guard;
	destroy_locked(slot);
}

void reset()
{
	lock guard;
	signals = withheld = false;
	failure = {};
	for (unsigned slot = 0; slot < LTT_MAX_TRACES; ++slot)
		if (traces[slot].used)
			destroy_locked(slot);
	counted = {};
}

void send_signals(bool on)
{
	lock guard;
	signals = on;
}

std::vector<packet> read(unsigned slot, bool flush)
{
	std::vector<packet> result;
	result.reserve(1024); // so that little is allocated under the lock
	lock guard;

	flush = flush || traces[slot].stopped;
	for (unsigned i = 0; i < n_buffers; ++i) {
		buffer &b = buffers[i];
		if (b.trace != slot || b.dead)
			continue;
		ltt_control &control = control_of(b);
		const ltt_trace_page &page = page_of(b);
		const std::uint64_t commit = get(control.commit);
		const auto take = [&](const range &r) {
			const std::uint64_t from = std::max(r.start, b.taken);
			const std::uint64_t to = std::min(r.end, commit);
			if (from >= to)
				return;
			const char *at = b.base + 2 * PAGE + (from & control.mask);
			result.push_back(
				{b.tid, r.begin, now(page.clock), control.events, control.lost,
					control.too_big, std::vector<char>(at, at + (to - from))});
			b.taken = to;
		};
		while (b.consumed != b.produced) {
			const range &r = b.closed[b.consumed & (page.n_subbufs - 1)];
			take(r);
			if (commit < r.end)
				break; // an event of it is still being written
			++b.consumed;
			if (b.full)
				set(control.full, 0);
		}
		if (flush && b.consumed == b.produced && !b.full) {
			range r = b.open;
			r.end = get(control.reserve);
			take(r);
		}
	}
	return result;
}

ltt_control *control(unsigned slot)
{
	lock guard;
	buffer *b = find(slot, tid());
	return b ? &control_of(*b) : nullptr;
}

ltt_trace_page *page(unsigned slot)
{
	return traces[slot].page;
}

std::vector<registration> registrations()
{
	std::vector<registration> result;
	for (unsigned i = 0; i < n_gates; ++i)
		result.push_back({gates[i], std::string(definitions[i], gates[i].events_size)});
	return result;
}

calls count()
{
	lock guard;
	return counted;
}

void fail(long number, int error)
{
	lock guard;
	failure = {number, error};
}

void withhold(bool on)
{
	lock guard;
	withheld = on;
}

} // namespace fake

// SPDX-License-Identifier: MIT
//
// Prints the places in the order of their events, and ends with status 0 if all
// events are accounted for. Defined by everywhere_test:
//	NO_IFUNC	no marker in the resolver of an indirect function
//	KERNEL_IN_RESOLVER	the fake kernel, and so the C library, works there already
//	NO_THREAD_LOCAL	the C++ library has no destructors for threads
//	NO_PREINIT	no code before the constructors: the sanitizer is not up yet
#include "everywhere.h"

#include "../fake_kernel.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

constexpr int THREADS = 4, ROUNDS = 2000;

std::atomic<int> written;	 // events "counted"
thread_local volatile int ready; // the thread may be interrupted
int failures;			 // what did not hold
unsigned the_trace;

void check(bool holds, const char *what)
{
	if (holds)
		return;
	std::printf("does not hold: %s\n", what);
	++failures;
}

// The fake kernel may be called as soon as the program has its own memory in order.
void begin_trace()
{
	static bool begun;
	if (begun)
		return;
	begun = true;
	fake::trace_options options;
	options.subbuf_size = 1 << 16;
	options.n_subbufs = 64;
	the_trace = fake::create(options);
}

// Prints the places; counts the events "counted".
int print(const fake::packet &packet)
{
	int counted = 0;
	std::uint64_t before = 0;
	for (std::size_t at = 0; at < packet.bytes.size();) {
		std::uint64_t header;
		std::memcpy(&header, &packet.bytes[at], sizeof header);
		at += sizeof header;
		check(header >> 16 >= before, "time does not go back");
		before = header >> 16;
		if ((header & 0xffff) == UST_DETAIL_EVENT_TYPE(everywhere, at)::definition()->id) {
			std::printf("%s\n", &packet.bytes[at]);
			at += std::strlen(&packet.bytes[at]) + 1;
		} else {
			at += sizeof(int);
			++counted;
		}
	}
	return counted;
}

// The last that runs of the program.
void report()
{
	UST(everywhere, at, "the first function that was given to atexit()");
	int counted = 0;
	std::uint64_t lost = 0;
	for (const fake::packet &packet : fake::read(the_trace)) {
		counted += print(packet);
		lost += packet.lost;
	}
	check(lost == 0, "no event is lost");
	check(counted == written, "each event that was counted is in the trace");
	std::fflush(stdout);
	if (failures)
		_exit(1);
}

struct object {
	explicit object(const char *place, const char *end) : m_end(end)
	{
		UST(everywhere, at, place);
	}
	~object() { UST(everywhere, at, m_end); }
	object(const object &) = delete;
	object &operator=(const object &) = delete;

private:
	const char *m_end;
};

template <class Type>
void in_template(Type value)
{
	UST(everywhere, at, value);
}

constexpr int in_constexpr_function(int value)
{
	UST(everywhere, at, "a constexpr function that runs");
	return value + 1;
}
static_assert(in_constexpr_function(1) == 2, "a marker writes nothing at compile time");

// In one line of the source.
#define TWO_MARKERS                                                                                \
	UST(everywhere, at, "two markers");                                                        \
	UST(everywhere, at, "in one line")

} // namespace

#ifndef NO_IFUNC
extern "C" {
static int implementation()
{
	return 1;
}

using function = int();
function *resolve()
{
#ifdef KERNEL_IN_RESOLVER
	begin_trace();
#endif
	UST(everywhere, at, "never: the resolver of an indirect function");
	return implementation;
}

int indirect() __attribute__((ifunc("resolve")));
}
#endif

static void before_constructors()
{
	begin_trace();
	std::atexit(report);
	UST(everywhere, at, "a function in .preinit_array");
}

#ifndef NO_PREINIT
__attribute__((
	section(".preinit_array"), used)) static void (*const preinit)() = before_constructors;
#endif

__attribute__((constructor(101))) static void first_constructor()
{
#ifdef NO_PREINIT
	before_constructors();
#endif
	UST(everywhere, at, "a constructor of priority 101");
}

__attribute__((init_priority(102))) static object early(
	"an object of priority 102", "the end of the object of priority 102");
static object global("an object of a namespace", "the end of the object of a namespace");
#ifndef NO_THREAD_LOCAL
static thread_local object of_thread("a thread_local object", "the end of the thread_local object");
#define USE_THREAD_LOCAL static_cast<void>(&of_thread)
#else
#define USE_THREAD_LOCAL
#endif

static void in_handler(int)
{
	UST(everywhere, at, "a signal handler");
}

static void on_timer(int)
{
	if (!ready)
		return;
	UST(everywhere, counted, -1);
	++written;
}

static void *in_thread(void *)
{
	UST(everywhere, counted, 0);
	++written;
	ready = 1;
	for (int i = 1; i < ROUNDS; ++i) {
		UST(everywhere, counted, i);
		++written;
	}
	ready = 0;
	return nullptr;
}

// Threads write while a timer's handler writes on top of them.
static void in_threads()
{
	std::signal(SIGALRM, on_timer);
	itimerval timer = {{0, 500}, {0, 500}};
	setitimer(ITIMER_REAL, &timer, nullptr);
	pthread_t threads[THREADS];
	for (pthread_t &thread : threads)
		check(pthread_create(&thread, nullptr, in_thread, nullptr) == 0, "threads start");
	for (const pthread_t thread : threads)
		pthread_join(thread, nullptr);
	timer = {};
	setitimer(ITIMER_REAL, &timer, nullptr);
}

static void in_child()
{
	std::fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		UST(everywhere, counted, 12345);
		int last = 0;
		for (const fake::packet &packet : fake::read(the_trace))
			if (packet.tid == getppid())
				std::memcpy(&last,
					packet.bytes.data() + packet.bytes.size() - sizeof last,
					sizeof last);
		_exit(last == 12345 ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	check(status == 0, "a child writes into its own buffer");
}

static void *in_short_thread(void *)
{
	USE_THREAD_LOCAL; // constructs it
	return nullptr;
}

int main()
{
	UST(everywhere, at, "main()");
	check(fake::registrations()[0].argument.signal == static_cast<unsigned>(SIGRTMIN + 3),
		"the kernel knows which signal this C library calls SIGRTMIN+3");
	USE_THREAD_LOCAL;
	in_inline_function("an inline function");
	in_other_file();
	in_template("a function template");
	[] { UST(everywhere, at, "a lambda"); }();
	int number = 1;
	number = in_constexpr_function(number);
	check(number == 2, "a constexpr function runs");
	static object local("a static object of a function", "the end of the static object");
#ifdef __cpp_exceptions
	try {
		throw 1;
	} catch (int) {
#endif
		UST(everywhere, at, "a handler of an exception");
#ifdef __cpp_exceptions
	}
#endif
	TWO_MARKERS;
	std::signal(SIGUSR1, in_handler);
	std::raise(SIGUSR1);
	in_threads();
	pthread_t thread;
	check(pthread_create(&thread, nullptr, in_short_thread, nullptr) == 0, "a thread starts");
	pthread_join(thread, nullptr);
	in_child();
#ifndef NO_IFUNC
	check(indirect() == 1, "the resolver resolves");
#endif
	UST(everywhere, at, "the end of main()");
}

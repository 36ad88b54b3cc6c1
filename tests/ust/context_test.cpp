// SPDX-License-Identifier: MIT
//
// Contexts of a trace, from the marker to the reader.
#include "recorded.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <regex>
#include <sched.h>
#include <set>
#include <sys/mman.h>
#include <thread>

using Strings = std::vector<std::string>;

enum class colour : std::uint8_t {
	RED = 1,
	BLUE
};
UST_ENUM(colour, (RED)(BLUE))

UST_CONTEXT(shop, request, std::uint64_t)
UST_CONTEXT(shop, ratio, float)
UST_CONTEXT(shop, open, bool)
UST_CONTEXT(shop, shown, colour)
UST_CONTEXT(shop, where, const void *)
UST_CONTEXT(shop, flags, ust::hex<std::uint16_t>)
UST_CONTEXT(shop, raced, int)
UST_CONTEXT(shop, never, int)
UST_CONTEXT(shop, handled, int)
UST_EVENT(shop, sale, UST_BIT(0), (int, n)(std::string_view, what))
UST_EVENT(shop, bare, UST_BIT(0))
UST_EVENT(shop, large, UST_BIT(0), (std::string_view, text))

// The linker's names for the begin and the end of the program's code.
extern "C" const char __executable_start, etext;

namespace
{

fake::trace_options with(std::uint32_t contexts)
{
	fake::trace_options options = large_trace();
	options.contexts = contexts;
	return options;
}

// The number behind name in a line.
std::uint64_t number(const std::string &line, const std::string &name)
{
	std::smatch found;
	if (!std::regex_search(line, found, std::regex(name + " = (0x)?([0-9A-F]+)")))
		FAIL(line << ": no " << name);
	return std::stoull(found[2], nullptr, found[1].length() ? 16 : 10);
}

void sell(int n)
{
	UST(shop, sale, n, "one");
	UST(shop, sale, n, "two");
}
// Its last word is a marker.
[[gnu::noinline]] void end_with_marker()
{
	UST(shop, bare);
}

// Only the values of the program's own that a test set.
std::string own(const std::string &line, const std::string &name)
{
	std::smatch found;
	const std::string value = "(\\( \"[A-Z]+\" : container = [0-9]+ \\)|[^ ,]+)";
	if (!std::regex_search(line, found, std::regex("app_shop_" + name + " = " + value)))
		return "none";
	return found[1];
}

} // namespace

TEST_CASE("a trace without contexts has none, and events keep the short way")
{
	fake::reset();
	const unsigned trace = fake::create(large_trace());
	UST_SET_CONTEXT(shop, request, 5);
	sell(1);
	CHECK(recorded(trace) == Strings{R"(shop:sale { n = 1, what = "one" })",
					 R"(shop:sale { n = 1, what = "two" })"});
}

TEST_CASE("events have the processor, the address of the marker and the thread")
{
	fake::reset();
	const unsigned trace = fake::create(
		with(LTT_CONTEXT_CPU | LTT_CONTEXT_IP | LTT_CONTEXT_PTHREAD | LTT_CONTEXT_VPID));
	cpu_set_t before, one;
	CPU_ZERO(&one);
	REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
	int last = CPU_SETSIZE - 1;
	while (!CPU_ISSET(last, &before))
		--last;
	CPU_SET(last, &one);
	REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
	sell(1);
	sched_setaffinity(0, sizeof before, &before);
	UST(shop, bare);
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 3);
	CHECK(number(lines[0], "cpu_id") == static_cast<std::uint64_t>(last));
	CHECK(number(lines[0], "pthread_id") == static_cast<std::uint64_t>(pthread_self()));
	CHECK(number(lines[0], "vpid") == 3);
	const std::uint64_t first = number(lines[0], " ip"), second = number(lines[1], " ip");
	const std::uint64_t third = number(lines[2], " ip");
	// Two of them are of one event.
	CHECK(std::set<std::uint64_t>{first, second, third}.size() == 3);
	for (const std::uint64_t address : {first, second, third})
		CHECK((address > reinterpret_cast<std::uintptr_t>(&__executable_start) &&
			address < reinterpret_cast<std::uintptr_t>(&etext)));
}

TEST_CASE("the address is behind the marker, and not behind the call of its function")
{
	fake::reset();
	const unsigned trace = fake::create(with(LTT_CONTEXT_IP));
	end_with_marker();
	end_with_marker();
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 2);
	CHECK(number(lines[0], " ip") == number(lines[1], " ip"));
}

TEST_CASE("events have what the kernel counts for the thread")
{
	fake::reset();
	const unsigned trace = fake::create(
		with(LTT_CONTEXT_TASK_CLOCK | LTT_CONTEXT_PAGE_FAULTS | LTT_CONTEXT_SWITCHES));
	constexpr std::size_t pages = 100, size = pages * 4096;

	UST(shop, bare);
	UST(shop, bare);
	void *memory =
		mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(memory != MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (std::size_t at = 0; at < size; at += 4096)
		static_cast<volatile char *>(memory)[at] = 1;
	UST(shop, bare);
	munmap(memory, size);
	for (int i = 0; i < 10; ++i)
		std::this_thread::sleep_for(std::chrono::microseconds(100));
	UST(shop, bare);
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 4);
	auto grew = [&](unsigned from, const char *name) {
		return number(lines[from + 1], name) - number(lines[from], name);
	};
	CHECK(grew(0, "page_faults") < pages);
	CHECK(grew(1, "page_faults") >= pages);
	CHECK(grew(1, "page_faults") < 2 * pages);
	CHECK(grew(2, "context_switches") >= 10);
	CHECK(grew(2, "context_switches") < 1000);
	CHECK(grew(1, "task_clock") > 0);
	CHECK(grew(1, "task_clock") < 1000000000);
}

TEST_CASE("a context of the program's own comes with every event from when it was set")
{
	fake::reset();
	const unsigned trace = fake::create(with(LTT_CONTEXT_APP));
	UST_SET_CONTEXT(shop, request, 4711);
	UST_SET_CONTEXT(shop, ratio, 0.5);
	UST_SET_CONTEXT(shop, open, true);
	UST_SET_CONTEXT(shop, shown, colour::BLUE);
	UST_SET_CONTEXT(shop, flags, 0xbeef);
	int here = 0;
	UST_SET_CONTEXT(shop, where, &here);
	UST(shop, bare);
	UST_SET_CONTEXT(shop, request, 4712);
	UST(shop, bare);
	std::thread([] {
		UST(shop, bare);
		UST_SET_CONTEXT(shop, request, 1);
		UST(shop, bare);
	}).join();
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 4);
	CHECK(own(lines[0], "request") == "4711");
	CHECK(own(lines[0], "ratio") == "0.5");
	CHECK(own(lines[0], "open") == "1");
	CHECK(own(lines[0], "shown") == "( \"BLUE\" : container = 2 )");
	CHECK(own(lines[0], "flags") == "0xBEEF");
	CHECK(number(lines[0], "where") == reinterpret_cast<std::uintptr_t>(&here));
	CHECK(own(lines[1], "request") == "4712");
	CHECK(own(lines[1], "ratio") == "0.5");
	CHECK(own(lines[2], "request") == "0");
	CHECK(own(lines[2], "flags") == "0x0");
	CHECK(own(lines[3], "request") == "1");
	CHECK(own(lines[3], "never") == "0");
}

TEST_CASE("the first to set a context lists it once, whoever comes at the same time")
{
	fake::reset();
	std::vector<std::thread> threads;
	std::uint32_t ready = 0;
	for (int i = 0; i < 4; ++i)
		threads.emplace_back([&] {
			__atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
			while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < 4)
				sched_yield();
			UST_SET_CONTEXT(shop, raced, 1);
		});
	for (std::thread &t : threads)
		t.join();
	const void *const raced = &ust_provider_shop::state_of_context_raced;
	int listed = 0;
	for (const ust_context *c = ust_shared_process->contexts; c; c = c->next)
		listed += c == raced;
	CHECK(listed == 1);
}

TEST_CASE("a handler sets contexts on top of a marker, which keeps its own")
{
	fake::reset();
	const unsigned trace = fake::create(with(LTT_CONTEXT_APP));
	struct sigaction action = {}, before;
	action.sa_handler = [](int) {
		UST_SET_CONTEXT(shop, handled, 2);
		UST(shop, bare);
	};
	sigaction(SIGUSR1, &action, &before);
	UST_SET_CONTEXT(shop, handled, 1);
	UST(shop, bare);
	raise(SIGUSR1);
	UST(shop, bare);
	sigaction(SIGUSR1, &before, nullptr);
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 3);
	CHECK(own(lines[0], "handled") == "1");
	CHECK(own(lines[1], "handled") == "2");
	CHECK(own(lines[2], "handled") == "2");
}

TEST_CASE("each trace has its own contexts of the same event")
{
	fake::reset();
	const unsigned plain = fake::create(large_trace());
	const unsigned cpu = fake::create(with(LTT_CONTEXT_CPU));
	const unsigned all = fake::create(with(LTT_CONTEXTS_KNOWN));
	sell(1);
	CHECK(recorded(plain)[1] == R"(shop:sale { n = 1, what = "two" })");
	const std::string with_cpu = recorded(cpu)[1];
	CHECK(std::regex_match(with_cpu,
		std::regex(R"(shop:sale \{ cpu_id = [0-9]+ \}, \{ n = 1, what = "two" \})")));
	const std::string with_all = recorded(all)[1];
	CHECK(with_all.find("perf_thread_task_clock = ") != std::string::npos);
	CHECK(with_all.find("app_shop_request = ") != std::string::npos);
	CHECK(with_all.find(R"(}, { n = 1, what = "two" })") != std::string::npos);
}

TEST_CASE("events with contexts go on in the next sub-buffer, and may be too big with them")
{
	fake::reset();
	fake::trace_options options = with(LTT_CONTEXT_IP | LTT_CONTEXT_CPU);
	options.subbuf_size = 4096;
	options.n_subbufs = 64;
	const unsigned trace = fake::create(options);
	for (int i = 0; i < 3000; ++i)
		UST(shop, sale, i, "x");
	// Header, contexts and the final NUL; one byte more is too much.
	const std::string most(4096 - 8 - 12 - 1, 'y');
	UST(shop, large, most);
	UST(shop, large, most + "y");
	CHECK(fake::control(trace)->too_big == 1);
	CHECK(fake::control(trace)->lost == 0);
	const Strings lines = recorded(trace);
	REQUIRE(lines.size() == 3001);
	for (int i = 0; i < 3000; ++i)
		if (number(lines[static_cast<unsigned>(i)], " n") != static_cast<unsigned>(i))
			FAIL(i << ": " << lines[static_cast<unsigned>(i)]);
}

TEST_CASE("a trace with contexts that this library does not know is left alone")
{
	fake::reset();
	const unsigned trace = fake::create(with(0x8000));
	UST(shop, bare);
	CHECK(fake::control(trace)->events == 0);
	fake::destroy(trace);
}

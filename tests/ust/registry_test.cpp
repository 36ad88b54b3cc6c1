// SPDX-License-Identifier: MIT
//
// What the program tells the kernel about itself.
#include "decode.h"
#include "test_events.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <thread>
#include <ust/definition.h>

void write_from_other_unit(int value);

UST_EVENT_LEVEL(registry, leveled, UST_BIT(4), UST_LEVEL_WARNING, (int, value))
UST_EVENT_LEVEL(registry, leveled_without_fields, UST_BIT(4), UST_LEVEL_DEBUG)
UST_EVENT(registry, early, UST_BIT(0), (int, value)) // has one marker, and that is the first
UST_EVENT(registry, without_marker, UST_BIT(30) | UST_BIT(2),
	(bool, a)(char, b)(float, c)(double, d)(std::int8_t, e)(std::int16_t, f)(std::int32_t, g)(
		std::int64_t, h)(std::uint8_t, i)(std::uint16_t, j)(std::uint32_t, k)(
		std::uint64_t, l)(std::string, m))

namespace
{

const definition *find(const std::map<unsigned, definition> &all, const std::string &provider,
	const std::string &name)
{
	const definition *found = nullptr;
	for (const auto &[id, d] : all)
		if (d.provider == provider && d.name == name) {
			if (found)
				FAIL(name << " is there twice");
			found = &d;
		}
	return found;
}

} // namespace

TEST_CASE("the constructor registers gate, signal and definitions once")
{
	const auto all = fake::registrations();
	REQUIRE(all.size() == 1);
	const ltt_registration &argument = all[0].argument;
	CHECK(argument.flags == 0);
	CHECK(argument.reserved == 0);
	CHECK(argument.gate == reinterpret_cast<std::uintptr_t>(&ust_gate));
	CHECK(argument.gate % 8 == 0);
	CHECK(argument.signal == static_cast<unsigned>(SIGRTMIN + 3));
	struct sigaction action;
	sigaction(SIGRTMIN + 3, nullptr, &action);
	constexpr int expected = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	CHECK((action.sa_flags & expected) == expected);
	CHECK((action.sa_flags & (SA_NODEFER | static_cast<int>(SA_RESETHAND))) == 0);
}

TEST_CASE("definitions hold names, types, filter and level, with or without a marker")
{
	const auto all = decode_definitions(fake::registrations().at(0).definitions);
	const definition *leveled = find(all, "registry", "leveled");
	REQUIRE(leveled);
	CHECK(leveled->level == UST_LEVEL_WARNING);
	CHECK(leveled->filter == 1u << 4);
	CHECK(leveled->fields == decltype(leveled->fields){{UST_TYPE_I32, "value"}});
	const definition *empty = find(all, "registry", "leveled_without_fields");
	REQUIRE(empty);
	CHECK(empty->level == UST_LEVEL_DEBUG);
	CHECK(empty->fields.empty());
	const definition *unused = find(all, "registry", "without_marker");
	REQUIRE(unused);
	CHECK(unused->level == UST_LEVEL_INFO);
	CHECK(unused->filter == (1u << 30 | 1u << 2));
	CHECK(unused->fields ==
		decltype(unused->fields){{UST_TYPE_BOOL, "a"}, {UST_TYPE_CHAR, "b"},
			{UST_TYPE_FLOAT, "c"}, {UST_TYPE_DOUBLE, "d"}, {UST_TYPE_I8, "e"},
			{UST_TYPE_I16, "f"}, {UST_TYPE_I32, "g"}, {UST_TYPE_I64, "h"},
			{UST_TYPE_U8, "i"}, {UST_TYPE_U16, "j"}, {UST_TYPE_U32, "k"},
			{UST_TYPE_U64, "l"}, {UST_TYPE_STRING, "m"}});
}

TEST_CASE("ids run from 1 without a gap")
{
	const auto all = decode_definitions(fake::registrations().at(0).definitions);
	unsigned expected = 1;
	for (const auto &[id, d] : all)
		CHECK(id == expected++);
	CHECK(expected > 10);
}

TEST_CASE("a header of events in several files defines each event once")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(test, low, 1);
	write_from_other_unit(2);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	const auto events = decode(packets[0]);
	REQUIRE(events.size() == 2);
	CHECK(events[1].text == "test:low value=2");
	CHECK(find(decode_definitions(fake::registrations().at(0).definitions), "test", "low"));
}

namespace
{

bool handler_installed()
{
	struct sigaction action;
	sigaction(SIGRTMIN + 3, nullptr, &action);
	return action.sa_handler != SIG_DFL;
}

// What the constructor does, with a kernel that refuses.
void register_refused(int error)
{
	fake::fail(LTT_NR_register, error);
	ust_gate = {~0u, 1};
	ust_module_state = UST_DETAIL_NOT_REGISTERED;
	errno = 0;
	ust_register_module();
	CHECK(errno == 0);
	fake::fail(0, 0);
}

} // namespace

TEST_CASE("a refused registration makes the markers silent for good")
{
	fake::reset();
	fake::create();
	const ltt_gate gate = ust_gate;
	const ust_process process = ust_own_process;
	for (const int error : {ENOSYS, EPERM, ENOMEM, EINVAL}) {
		// As if this were the only object with markers.
		ust_remove_handler(process.signal);
		ust_own_process.signal = 0;
		register_refused(error);
		CHECK_FALSE(handler_installed());
		CHECK(ust_own_process.signal == 0);
		CHECK(ust_gate.mask == 0);
		int evaluated = 0;
		UST(test, low, ++evaluated);
		CHECK(evaluated == 0);
	}
	// Where another object is registered, the handler is needed.
	ust_own_process.signal = ust_install_handler();
	register_refused(ENOSPC);
	CHECK(handler_installed());
	CHECK(ust_own_process.signal == process.signal);

	// Back to the state before, ids included.
	ust_own_process.last_id = 0;
	ust_number_events(&ust_own_process, __start_ust_events, __stop_ust_events);
	CHECK(ust_own_process.last_id == process.last_id);
	ust_gate = gate;
	fake::reset(); // brings the gate up to date
}

TEST_CASE("a marker before the constructor registers by itself and is written")
{
	fake::reset();
	const unsigned trace = fake::create();
	ltt_registration remove = {};
	remove.flags = LTT_REGISTER_REMOVE;
	remove.gate = reinterpret_cast<std::uintptr_t>(&ust_gate);
	REQUIRE(ltt_register(&remove, sizeof remove) == 0);
	ust_gate = {~0u, 1};
	ust_own_process.last_id = 0;
	ust_module_state = UST_DETAIL_NOT_REGISTERED;
	UST(registry, early, 1);
	CHECK(ust_module_state == UST_DETAIL_REGISTERED);
	CHECK(read_texts(trace) == std::vector<std::string>{"registry:early value=1"});
	// The true constructor comes later, and does nothing.
	const unsigned calls = fake::count().enroll;
	ust_register_module();
	CHECK(fake::count().enroll == calls);
	REQUIRE(fake::registrations().size() == 1);
}

TEST_CASE("where a trace is active the program has its buffers from the start")
{
	std::thread([] { // as new as the main thread at its start
		fake::reset();
		ust_start_module();
		CHECK(fake::count().update == 0);
		const unsigned trace = fake::create();
		ust_start_module();
		CHECK(fake::control(trace) != nullptr);
		const unsigned asked = fake::count().update;
		ust_start_module(); // of the next file
		UST(test, low, 1);
		CHECK(fake::count().update == asked);
		CHECK(read_texts(trace).size() == 1);
	})
		.join();
}

TEST_CASE("a program's own handler of the signal stays, and the kernel is told of none")
{
	CHECK(ust_install_handler() == 0); // ours is there: not SIG_DFL
	struct sigaction ours, theirs = {};
	theirs.sa_handler = SIG_IGN;
	sigaction(SIGRTMIN + 3, &theirs, &ours);
	CHECK(ust_install_handler() == 0);
	struct sigaction now;
	sigaction(SIGRTMIN + 3, nullptr, &now);
	CHECK(now.sa_handler == SIG_IGN);
	theirs.sa_handler = SIG_DFL;
	sigaction(SIGRTMIN + 3, &theirs, nullptr);
	CHECK(ust_install_handler() == SIGRTMIN + 3);
}

TEST_CASE("the C functions return 1 and set errno on an error")
{
	fake::reset();
	errno = 0;
	CHECK(ltt_update(nullptr, nullptr, nullptr) == 1);
	CHECK(errno == EFAULT);
	int something;
	CHECK(ltt_switch(&something) == 1);
	CHECK(errno == EINVAL);
	CHECK(ltt_register(nullptr, 0) == 1);
	CHECK(errno == EFAULT);
	void *buffer = nullptr;
	int active, filter;
	errno = 0;
	CHECK(ltt_update(&buffer, &active, &filter) == 0);
	CHECK(buffer == nullptr);
	CHECK(errno == 0);
}

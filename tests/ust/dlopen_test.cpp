// SPDX-License-Identifier: MIT
//
// A library with markers that is opened while the program runs.
#include "decode.h"
#include "library_events.h"

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <thread>

UST_EVENT(program, own, UST_BIT(2), (int, value))

namespace
{

void *library()
{
	static void *const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	INFO(dlerror());
	REQUIRE(handle);
	return handle;
}

template <class Function>
auto function(const char *name)
{
	return reinterpret_cast<Function *>(dlsym(library(), name));
}

} // namespace

TEST_CASE("an opened library continues the program's row of ids")
{
	library();
	const auto all = fake::registrations();
	REQUIRE(all.size() == 2);
	const auto program = decode_definitions(all[0].definitions);
	const auto opened = decode_definitions(all[1].definitions);
	CHECK(program.size() == 2);
	CHECK(opened.size() == 2);
	for (const auto &[id, d] : program)
		CHECK(opened.count(id) == 0);
	CHECK(all[1].argument.signal == all[0].argument.signal);
	CHECK(all[1].argument.signal != 0);
}

TEST_CASE("an opened library uses the program's thread state, in every thread")
{
	const auto state = function<const void *()>("state_of_library");
	CHECK(state() == ust_current_thread());
	CHECK(function<const void *()>("gate_of_library")() != &ust_gate);
	std::thread([&] {
		const void *here = ust_current_thread();
		CHECK(state() == here);
	}).join();
}

TEST_CASE("events of the program and an opened library go to one buffer, in order")
{
	library();
	fake::reset();
	const unsigned trace = fake::create();
	UST(program, own, 1);
	function<void(int)>("write_own_from_library")(2);
	UST(shared, both, 3);
	function<void(int)>("write_from_library")(4);
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	std::vector<std::string> texts;
	for (const event &e : decode(packets[0]))
		texts.push_back(e.text);
	CHECK(texts == std::vector<std::string>{"program:own value=1", "library:own value=2",
			       "shared:both value=3", "shared:both value=4"});
}

TEST_CASE("a library that was closed leaves the program's markers alone")
{
	function<void(int)>("write_from_library")(0);
	dlclose(library());
	fake::reset();
	const unsigned trace = fake::create();
	UST(program, own, 5);
	CHECK(read_texts(trace) == std::vector<std::string>{"program:own value=5"});
}

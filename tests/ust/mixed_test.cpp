// SPDX-License-Identifier: MIT
//
// A program of files in C++, this one, and in C, c_markers.c.
#include "c_events.h"
#include "c_markers.h"
#include "decode.h"

#include <catch2/catch.hpp>
#include <thread>

using Strings = std::vector<std::string>;

UST_EVENT(cxx, own, UST_BIT(0), (std::string_view, value))

TEST_CASE("files of C and C++ are registered once, and define an event once")
{
	const auto all = fake::registrations();
	REQUIRE(all.size() == 1);
	const auto definitions = decode_definitions(all[0].definitions);
	CHECK(definitions.size() == 19 + 1 + 1);
	std::size_t contexts = 0;
	for (std::size_t at = 0; (at = all[0].definitions.find("USTX", at)) != std::string::npos;
		++at)
		++contexts;
	CHECK(contexts == 3);
	CHECK(c_gate() == &ust_gate);
	CHECK(c_thread() == ust_current_thread());
	std::thread([] { CHECK(c_thread() == ust_current_thread()); }).join();
}

TEST_CASE("an event is the same from a file of C and from one of C++")
{
	fake::reset();
	const unsigned trace = fake::create();
	UST(c, number, 1);
	c_number(2);
	UST(cxx, own, "3");
	UST(c, mixed, true, 1.0, "text", 4, "text", 'e');
	c_mixed(4, "text");
	const auto packets = fake::read(trace);
	REQUIRE(packets.size() == 1);
	Strings texts;
	for (const event &e : decode(packets[0]))
		texts.push_back(e.text);
	const std::string mixed = R"(c:mixed a=true b=1 c="text" d=4 e="text" f='e')";
	CHECK(texts == Strings{"c:number value=1", "c:number value=2", R"(cxx:own value="3")",
			       mixed, mixed});
	CHECK(c_id_of_number() == ust_provider_c::event_number::definition()->id);
}

TEST_CASE("a context is the same from a file of C and from one of C++")
{
	int here = 0;
	const auto value = [](const ust_context *context) { return *context->value(); };

	c_set_contexts(4711, &here);
	CHECK(value(ust_provider_c::context_request::state()) == 4711);
	CHECK(value(ust_provider_c::context_where::state()) ==
		reinterpret_cast<std::uintptr_t>(&here));
	CHECK(value(ust_provider_c::context_small::state()) == 'x');
	UST_SET_CONTEXT(c, request, 5);
	CHECK(value(ust_provider_c::context_request::state()) == 5);
	int listed = 0;
	for (const ust_context *c = ust_shared_process->contexts; c; c = c->next)
		++listed;
	CHECK(listed == 3);
}

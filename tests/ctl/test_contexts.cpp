// SPDX-License-Identifier: MIT
// What events have besides their fields: in the bytes of a program, and by name.
#include <catch2/catch.hpp>

#include "lib/contexts.h"
#include "lib/error.h"
#include "support/build.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

std::string why_no_contexts(const std::string &text, uint32_t allowed = LTT_CONTEXTS_KNOWN)
{
	try {
		ltt::parse_contexts(text, allowed);
	} catch (const ltt::Error &e) {
		CHECK(e.code() == ltt::Exit::misuse);
		return e.what();
	}
	return "fine";
}

Bytes own(uint16_t id, uint64_t value)
{
	return payload(uint8_t{1}, id, value);
}

// The packet that a program of these definitions wrote, and what became of it.
struct Outcome {
	uint64_t events;
	std::string report;
};
Outcome take(uint32_t contexts, const Bytes &body)
{
	Directory d;
	TestSession s(d.path(), contexts);
	Bytes definitions = definition(1, "p", "e", {});
	append(definitions, context_definition(2, "p", "c", UST_TYPE_U64));
	s.take(definitions_packet(1, definitions));
	s.take(packet(packet_header(), body));
	return {s.totals().events, s.reports.empty() ? "fine" : s.reports[0]};
}

std::string why_no_definition(const Bytes &definitions)
{
	try {
		ltt::parse_definitions(definitions.data(), definitions.size());
	} catch (const ltt::BadData &e) {
		return e.what();
	}
	return "fine";
}

} // namespace

TEST_CASE("contexts are named, between commas")
{
	CHECK(ltt::parse_contexts("") == 0);
	CHECK(ltt::parse_contexts("cpu_id") == LTT_CONTEXT_CPU);
	CHECK(ltt::parse_contexts("app,vpid,ip") ==
		(LTT_CONTEXT_APP | LTT_CONTEXT_VPID | LTT_CONTEXT_IP));
	CHECK(ltt::parse_contexts(ltt::context_words().substr(0, 4)) == LTT_CONTEXT_VPID);
	uint32_t all = 0;
	for (const std::string &name : ltt::context_names(LTT_CONTEXTS_KNOWN)) {
		const uint32_t bit = ltt::parse_contexts(name);
		CHECK((all & bit) == 0);
		all |= bit;
	}
	CHECK(all == LTT_CONTEXTS_KNOWN);
}

TEST_CASE("an unknown context is refused with those there are")
{
	CHECK_THAT(why_no_contexts("cpu"), Contains("no context cpu") && Contains("cpu_id"));
	CHECK_THAT(why_no_contexts("ip,,vpid"), Contains("no name"));
	CHECK_THAT(why_no_contexts("perf:thread:cycles"), Contains("no context perf"));
	CHECK_THAT(why_no_contexts("ip", ltt::reader_contexts),
		Contains("ip is written by the program") && Contains("vpid, vtid, procname"));
	CHECK(why_no_contexts("procname", ltt::reader_contexts) == "fine");
}

TEST_CASE("contexts that do not fit into their event spoil the packet")
{
	CHECK(take(0, event(2000, 1)).report == "fine");
	CHECK(take(LTT_CONTEXT_CPU, event(2000, 1, payload(uint32_t{0}))).events == 1);
	CHECK_THAT(take(LTT_CONTEXT_CPU, event(2000, 1, payload(uint16_t{0}))).report,
		Contains("cut off in its contexts"));
	CHECK(take(LTT_CONTEXT_APP, event(2000, 1, payload(uint8_t{0}))).events == 1);
	CHECK(take(LTT_CONTEXT_APP, event(2000, 1, own(2, 5))).events == 1);
	CHECK_THAT(
		take(LTT_CONTEXT_APP, event(2000, 1)).report, Contains("cut off in its contexts"));
	CHECK_THAT(take(LTT_CONTEXT_APP, event(2000, 1, payload(uint8_t{1}, uint8_t{2}))).report,
		Contains("cut off in its contexts"));
	CHECK_THAT(
		take(LTT_CONTEXT_APP, event(2000, 1, payload(uint8_t{1}, uint16_t{2}, 5))).report,
		Contains("cut off in its contexts"));
	for (uint16_t id : {0, 1, 3, 65535})
		CHECK_THAT(take(LTT_CONTEXT_APP, event(2000, 1, own(id, 5))).report,
			Contains("id " + std::to_string(id) + " is no context"));
	// Nor is a context an event.
	CHECK_THAT(take(0, event(2000, 2, payload(uint64_t{0}))).report,
		Contains("id 2 is not defined"));
}

TEST_CASE("a context is one value of 1 to 8 bytes with a name that is an identifier")
{
	CHECK(why_no_definition(context_definition(1, "p", "c", UST_TYPE_DOUBLE)) == "fine");
	CHECK_THAT(why_no_definition(context_definition(1, "p", "c", UST_TYPE_STRING)),
		Contains("p:c is no value of 1 to 8 bytes"));
	CHECK_THAT(why_no_definition(context_definition(1, "p", "c", array_of(9, UST_TYPE_U8))),
		Contains("p:c is no value of 1 to 8 bytes"));
	CHECK_THAT(why_no_definition(context_definition(1, "p", "c d", UST_TYPE_U8)),
		Contains("not an identifier"));
	Bytes two = definition(1, "p", "c", {{UST_TYPE_U8, "value"}, {UST_TYPE_U8, "more"}});
	const uint32_t magic = UST_CONTEXT_MAGIC;
	std::memcpy(two.data(), &magic, sizeof(magic));
	CHECK_THAT(why_no_definition(two), Contains("p:c is no value of 1 to 8 bytes"));
}

TEST_CASE("a library that brings a context begins another trace; nothing is lost")
{
	Directory d;
	TestSession s(d.path(), LTT_CONTEXT_APP);
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	ltt_packet h = packet_header();
	s.take(packet(h, event(2000, 1, payload(uint8_t{0}))));
	s.take(definitions_packet(1, context_definition(2, "p", "c", UST_TYPE_U64)));
	h.sequence = 1;
	s.take(packet(h, event(3000, 1, own(2, 4711))));
	CHECK(s.reports.empty());
	CHECK(files_in(d.path()) == std::vector<std::string>{"ust/program-2/metadata",
					    "ust/program-2/stream_0", "ust/program/metadata",
					    "ust/program/stream_0"});
	const CommandResult reader = babeltrace(d.path());
	CHECK(reader.err == "");
	CHECK_THAT(reader.out, Contains("{ app_p_c = 4711 }"));
	CHECK(std::count(reader.out.begin(), reader.out.end(), '\n') == 2);
}

TEST_CASE("without the context app a program's contexts change nothing")
{
	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	ltt_packet h = packet_header();
	s.take(packet(h, event(2000, 1)));
	s.take(definitions_packet(1, context_definition(2, "p", "c", UST_TYPE_U64)));
	h.sequence = 1;
	s.take(packet(h, event(3000, 1)));
	CHECK(s.reports.empty());
	CHECK(files_in(d.path()).size() == 2);
}

TEST_CASE("of two objects that have a context of one name, the value that was set counts")
{
	Directory d;
	TestSession s(d.path(), LTT_CONTEXT_APP);
	Bytes definitions = definition(1, "p", "e", {});
	append(definitions, context_definition(2, "p", "c", UST_TYPE_U8));
	append(definitions, context_definition(3, "p", "c", UST_TYPE_U8));
	s.take(definitions_packet(1, definitions));
	Bytes body;
	for (auto [first, second] : {std::pair<uint8_t, uint8_t>{5, 0}, {0, 6}})
		append(body, event(2000 + body.size(), 1,
				     payload(uint8_t{2}, uint16_t{2}, first, uint16_t{3}, second)));
	s.take(packet(packet_header(), body));
	CHECK(s.reports.empty());
	const CommandResult reader = babeltrace(d.path());
	CHECK_THAT(reader.out, Contains("{ app_p_c = 5 }") && Contains("{ app_p_c = 6 }"));
}

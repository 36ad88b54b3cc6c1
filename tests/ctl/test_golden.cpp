// SPDX-License-Identifier: MIT
// Traces byte for byte as in golden/, and what babeltrace2 makes of them. After a change
// that is meant: tests/ctl/update-golden.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/build.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/kernel_events.h"
#include "support/session.h"

using Catch::Matchers::Contains;

namespace
{

constexpr uint64_t second = 1000000000;

void compare(
	const std::string &name, TestSession &s, const std::string &directory, bool lossy = false)
{
	CHECK(s.totals().bad_packets == 0);
	CHECK(s.reports.empty());
	s.session.finish(true);
	std::string golden = std::string(LTT_GOLDEN) + "/" + name;
	CommandResult reader = babeltrace(directory);
	CHECK(reader.status == 0);
	if (!lossy)
		CHECK(reader.err == "");
	std::ofstream(directory + "/babeltrace2.txt") << reader.out;

	if (std::getenv("LTT_UPDATE_GOLDEN")) {
		std::filesystem::remove_all(golden);
		std::filesystem::create_directories(golden);
		std::filesystem::copy(directory, golden, std::filesystem::copy_options::recursive);
	}
	REQUIRE(files_in(directory, true) == files_in(golden, true));
	for (const std::string &file : files_in(golden, true)) {
		INFO(name << "/" << file);
		CHECK(content(directory + "/" + file) == content(golden + "/" + file));
	}
}

// One packet after the other, or all at once, by several threads: that is the same.
void take_any_way(TestSession &s)
{
	if (GENERATE(false, true))
		s.gather();
}

Bytes string_payload(const std::string &s)
{
	Bytes p;
	put_string(p, s);
	return p;
}

// Every type once; fields called like keywords, and with underscores of their own.
Bytes all_types()
{
	return definition(1, "kinds", "all",
		{{UST_TYPE_U8, "integer"}, {UST_TYPE_U16, "string"}, {UST_TYPE_U32, "struct"},
			{UST_TYPE_U64, "event"}, {UST_TYPE_I8, "int"}, {UST_TYPE_I16, "enum"},
			{UST_TYPE_I32, "variant"}, {UST_TYPE_I64, "stream"},
			{UST_TYPE_FLOAT, "align"}, {UST_TYPE_DOUBLE, "clock"},
			{UST_TYPE_BOOL, "_x"}, {UST_TYPE_CHAR, "x"}, {UST_TYPE_STRING, "__x"},
			{UST_TYPE_STRING, "trace"}, {UST_TYPE_U8, "env"},
			{UST_TYPE_U8, "callsite"}});
}

Bytes all_types_payload()
{
	Bytes p = payload(uint8_t{255}, uint16_t{65535}, UINT32_MAX, UINT64_MAX, int8_t{-128},
		int16_t{-32768}, INT32_MIN, INT64_MIN, 1.5F, -2.25, uint8_t{1}, 'A');
	put_string(p, "");
	put_string(p, "gr\xc3\xbc\xc3\x9f"
		      "e");
	append(p, payload(uint8_t{1}, uint8_t{2}));
	return p;
}

} // namespace

TEST_CASE("golden: types, keywords, two threads at once", "[golden]")
{
	Directory d;
	TestSession s(d.path());
	take_any_way(s);
	Bytes defs = all_types();
	append(defs, definition(2, "kinds", "empty", {}, UST_LEVEL_ERR));
	s.take(definitions_packet(1, defs));

	ltt_packet h = packet_header();
	Bytes body = event(1000, 1, all_types_payload());
	append(body, event(1001, 2));
	append(body, event(1000000, 2));
	s.take(packet(h, body));

	h.stream = 2;
	h.tid = 11;
	h.vtid = 4;
	std::memcpy(h.comm, "worker\xff\n\0", 9);
	s.take(packet(h, event(1500, 2)));

	CHECK(s.totals().events == 4);
	CHECK(s.totals().threads == 2);
	CHECK(s.totals().processes == 1);
	compare("types", s, d.path());
}

TEST_CASE("golden: types that hold others", "[golden]")
{
	Directory d;
	TestSession s(d.path());
	take_any_way(s);
	s.take(definitions_packet(1,
		definition(1, "kinds", "more",
			{{around(UST_TYPE_BASE_16, UST_TYPE_U32), "hex"},
				{around(UST_TYPE_BASE_8, UST_TYPE_I16), "oct"},
				{around(UST_TYPE_BASE_2, UST_TYPE_U8), "bin"},
				{around(UST_TYPE_NETWORK, UST_TYPE_U16), "port"},
				{UST_TYPE_POINTER, "pointer"}, {UST_TYPE_CHAR16, "c16"},
				{UST_TYPE_CHAR32, "c32"}, {UST_TYPE_TIME, "time"},
				{UST_TYPE_MONOTONIC, "monotonic"}, {UST_TYPE_DURATION, "duration"},
				{enum_of<int8_t>(
					 UST_TYPE_I8, {{-128, -1, "below \"0\""}, {0, 0, "int"}}),
					"state"},
				{array_of(2, array_of(2, UST_TYPE_U8)), "matrix"},
				{sequence_of(UST_TYPE_CHAR), "text"},
				{sequence_of(sequence_of(UST_TYPE_STRING)), "texts"},
				{around(UST_TYPE_OPTIONAL, struct_of({{UST_TYPE_U8, "struct"},
								   {UST_TYPE_STRING, "y"}})),
					"maybe"},
				{UST_TYPE_U8, "text_length"}})));
	Bytes p = payload(uint32_t{0xabc}, int16_t{8}, uint8_t{5}, __builtin_bswap16(80),
		uint64_t{0x1234}, u'\u00fc', U'\U0001f600', int64_t{1}, int64_t{2}, int64_t{-3},
		int8_t{-7}, uint32_t{0x04030201}, uint32_t{3});
	append(p, Bytes{'a', 'b', 'c'});
	append(p, payload(uint32_t{1}, uint32_t{2}));
	put_string(p, "one");
	put_string(p, "");
	append(p, payload(uint8_t{1}, uint8_t{9}));
	put_string(p, "there");
	append(p, payload(uint8_t{4}, uint32_t{5}));
	append(p, Bytes{'s', 'l', 'a', 'c', 'k'}); // not in the trace
	Bytes body = event(2000, 1, p);
	append(body, event(3000, 1, p));
	s.take(packet(packet_header(), body));
	CHECK(s.totals().events == 2);
	compare("nested", s, d.path());
}

TEST_CASE("seven types in every order pass babeltrace2")
{
	const std::vector<std::pair<int, Bytes>> kinds = {{UST_TYPE_U8, Bytes{1}},
		{UST_TYPE_U16, payload(uint16_t{2})}, {UST_TYPE_U32, payload(uint32_t{3})},
		{UST_TYPE_U64, payload(uint64_t{4})}, {UST_TYPE_FLOAT, payload(5.0F)},
		{UST_TYPE_DOUBLE, payload(6.0)}, {UST_TYPE_STRING, Bytes{'7', 0}}};
	std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6};
	Bytes defs, body;
	uint16_t id = 0;
	std::string expected;
	do {
		Fields fields;
		Bytes values;
		expected += "{ ";
		for (size_t i : order) {
			fields.emplace_back(kinds[i].first, "f" + std::to_string(i));
			append(values, kinds[i].second);
			const std::string shown = std::to_string(i + 1);
			expected += (fields.size() > 1 ? ", f" : "f") + std::to_string(i) + " = " +
				    (i == 6 ? '"' + shown + '"' : shown);
		}
		expected += " }\n";
		++id;
		append(defs, definition(id, "p", "e" + std::to_string(id), fields));
		append(body, event(1000 + id, id, values));
	} while (std::next_permutation(order.begin(), order.end()));
	CHECK(id == 5040);

	Directory d;
	TestSession s(d.path());
	s.take(definitions_packet(1, defs));
	s.take(packet(packet_header(), body));
	CommandResult r = babeltrace(d.path());
	REQUIRE(r.status == 0);
	REQUIRE(r.err == "");
	std::string seen;
	for (size_t at = 0; (at = r.out.find(" }, { ", at)) != std::string::npos;) {
		const size_t end = r.out.find('\n', at);
		seen += r.out.substr(at + 4, end - at - 3);
		at = end;
	}
	CHECK(seen == expected);
}

TEST_CASE("fields whose names differ in underscores only are told apart by readers")
{
	std::vector<std::string> names = {"x", "_x", "__x", "int", "_int"};
	std::sort(names.begin(), names.end());
	do {
		Fields fields;
		Bytes values;
		for (const std::string &n : names) {
			fields.emplace_back(UST_TYPE_U8, n);
			values.push_back(static_cast<uint8_t>(values.size()));
		}
		Directory d;
		TestSession s(d.path());
		s.take(definitions_packet(1, definition(1, "p", "e", fields)));
		s.take(packet(packet_header(), event(2000, 1, values)));
		CommandResult r = babeltrace(d.path());
		INFO(content(d / "ust/program/metadata"));
		REQUIRE(r.status == 0);
		REQUIRE(r.err == "");
	} while (std::next_permutation(names.begin(), names.end()));
}

TEST_CASE("an event, its provider and its field may be called by a word of the metadata")
{
	const std::vector<std::string> words{"align", "callsite", "clock", "enum", "env", "event",
		"integer", "stream", "string", "struct", "trace", "variant", "int", "_x", "__x"};
	Directory d;
	TestSession s(d.path());
	Bytes all, body;
	uint16_t id = 0;
	for (const std::string &word : words) {
		append(all, definition(++id, word, word, {{UST_TYPE_U8, word}}));
		append(body, event(2000U + id, id, Bytes{static_cast<uint8_t>(id)}));
	}
	s.take(definitions_packet(1, all));
	s.take(packet(packet_header(), body));
	const CommandResult r = babeltrace(d.path());
	CHECK(r.status == 0);
	CHECK(r.err == "");
	for (id = 1; id <= words.size(); ++id) {
		const std::string &word = words[id - 1];
		CHECK_THAT(
			r.out, Contains(" " + word + ":" + word + ": ") &&
				       Contains("{ " + word + " = " + std::to_string(id) + " }"));
	}
}

TEST_CASE("a field may be called like a type of the metadata")
{
	for (const std::string name : {"u8", "i64", "f32", "character", "char16", "pointer",
		     "time64", "string", "_Bool"}) {
		Directory d;
		TestSession s(d.path());
		s.take(definitions_packet(1,
			definition(1, "p", "e", {{UST_TYPE_U8, "_" + name}, {UST_TYPE_U8, name}})));
		s.take(packet(packet_header(), event(2000, 1, Bytes{1, 2})));
		CommandResult r = babeltrace(d.path());
		INFO(name << ": " << r.err);
		CHECK(r.status == 0);
		CHECK(r.err == "");
	}
}

TEST_CASE("golden: more events than the compact header can name, and long pauses", "[golden]")
{
	Directory d;
	TestSession s(d.path());
	take_any_way(s);
	Bytes defs;
	for (uint16_t id = 1; id <= 40; ++id)
		append(defs,
			definition(id, "many", "e" + std::to_string(id), {{UST_TYPE_U16, "n"}}));
	s.take(definitions_packet(1, defs));

	ltt_packet h = packet_header();
	h.end = 100 * second;
	Bytes body;
	for (uint16_t id = 1; id <= 40; ++id)
		append(body, event(1000 + id, id, payload(id)));
	// One less than, as much as and more than the 27 bits hold.
	uint64_t t = 5000;
	for (uint64_t pause : {(uint64_t{1} << 27) - 1, uint64_t{1} << 27, 50 * second}) {
		append(body, event(t, 1, payload(uint16_t{0})));
		append(body, event(t + pause, 1, payload(uint16_t{1})));
		t += pause + 1;
	}
	s.take(packet(h, body));
	compare("many", s, d.path());
}

TEST_CASE("golden: vpid, vtid and procname with each event", "[golden]")
{
	Directory d;
	TestSession s(d.path(), ltt::reader_contexts);
	take_any_way(s);
	s.take(definitions_packet(1, definition(1, "p", "e", {{UST_TYPE_STRING, "s"}})));
	Bytes body = event(2000, 1, string_payload("one"));
	append(body, event(3000, 1, string_payload("two")));
	s.take(packet(packet_header(), body));
	compare("event-context", s, d.path());
}

TEST_CASE("golden: every context, two of the program's own", "[golden]")
{
	Directory d;
	TestSession s(d.path(), LTT_CONTEXTS_KNOWN);
	take_any_way(s);
	Bytes definitions = definition(1, "p", "e", {{UST_TYPE_U8, "n"}});
	append(definitions, context_definition(2, "shop", "request", UST_TYPE_U64));
	append(definitions,
		context_definition(3, "shop", "level",
			enum_of<uint8_t>(UST_TYPE_U8, {{1, 1, "one"}, {2, 9, "more"}})));
	s.take(definitions_packet(1, definitions));
	const Bytes fixed = payload(uint32_t{7}, uint64_t{0x401000}, uint64_t{0x7f0000001000},
		uint64_t{123456}, uint64_t{89}, uint64_t{12});
	Bytes none = fixed, one = fixed, both = fixed;
	append(none, payload(uint8_t{0}, uint8_t{1}));
	append(one, payload(uint8_t{1}, uint16_t{3}, uint8_t{5}, uint8_t{2}));
	append(both, payload(uint8_t{2}, uint16_t{3}, uint8_t{1}, uint16_t{2}, uint64_t{4711},
			     uint8_t{3}));
	Bytes body = event(2000, 1, none);
	append(body, event(3000, 1, one));
	append(body, event(4000, 1, both));
	s.take(packet(packet_header(), body));
	compare("contexts", s, d.path());
}

TEST_CASE("golden: events of the kernel beside those of a program", "[golden]")
{
	Directory d;
	TestSession s(d.path());
	take_any_way(s);
	s.take(kernel_definitions());
	for (uint32_t cpu = 0; cpu < 2; ++cpu) {
		ltt_packet h = kernel_packet(cpu);
		h.lost = cpu;
		s.take(packet(h, switch_event(2000 + cpu, "swapper/0", 0, "a program", 11)));
	}
	s.take(definitions_packet(1, definition(1, "p", "e", {})));
	s.take(packet(packet_header(), event(2001, 1)));
	compare("kernel", s, d.path(), true);
}

TEST_CASE("golden: losses of every kind", "[golden]")
{
	Directory d;
	TestSession s(d.path());
	take_any_way(s);
	s.take(definitions_packet(1, definition(1, "p", "e", {})));

	ltt_packet h = packet_header();
	h.events = 1;
	s.take(packet(h, event(2000, 1)));
	h.sequence = 1; // 5 for want of room, 2 too big
	h.events = 2;
	h.lost = 5;
	h.too_big = 2;
	s.take(packet(h, event(3000, 1)));
	h.sequence = 3; // one packet missing, with 4 events
	h.events = 7;
	s.take(packet(h, event(4000, 1)));
	h.sequence = 4; // the thread is killed inside a marker
	h.events = 8;
	h.flags = LTT_PACKET_LAST | LTT_PACKET_TORN;
	s.take(packet(h, {}));

	CHECK(s.totals().events == 3);
	CHECK(s.totals().lost == 5 + 2 + 4 + 1);
	compare("losses", s, d.path(), true);
}

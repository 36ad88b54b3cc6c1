// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include "lib/error.h"
#include "lib/reader/time.h"
#include "support/command.h"
#include "support/directory.h"
#include "support/refusal.h"
#include "support/sample.h"

using Catch::Matchers::Contains;

namespace
{

CommandResult view(std::vector<std::string> words)
{
	words.insert(words.begin(), {LTT_CTL, "view"});
	return run_command(words);
}

std::string of_babeltrace(const std::string &directory)
{
	return run_command({"babeltrace2", directory}).out;
}

// The lines of events, without those that tell of losses.
std::string events_of(const std::string &text)
{
	std::string events;
	for (size_t at = 0; at < text.size();) {
		const size_t end = text.find('\n', at) + 1;
		if (text.find(" *** ", at) >= end)
			events += text.substr(at, end - at);
		at = end;
	}
	return events;
}

size_t count_lines(const std::string &text)
{
	return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Of one program and thread, the events with these payloads.
void write_session(
	const std::string &directory, const Fields &fields, const std::vector<Bytes> &payloads)
{
	TestSession s(directory);
	s.take(definitions_packet(1, definition(1, "p", "e", fields)));
	Bytes body;
	uint64_t time = 2000;
	for (const Bytes &p : payloads)
		append(body, event(time += 1000, 1, p));
	s.take(packet(packet_header(), body));
	s.session.finish(true);
	REQUIRE(s.reports.empty());
}

template <class... T>
Bytes text_payload(const std::string &text, const T &...values)
{
	Bytes p = payload(values...);
	put_string(p, text);
	return p;
}

} // namespace

TEST_CASE("view prints every golden trace as babeltrace2 does")
{
	for (const auto &entry : std::filesystem::directory_iterator(LTT_GOLDEN)) {
		INFO(entry.path());
		const CommandResult r = view({entry.path().string()});
		CHECK(r.status == 0);
		CHECK(r.err == "");
		CHECK(events_of(r.out) == of_babeltrace(entry.path().string()));
	}
}

TEST_CASE("view prints the limits of each integer in each base as babeltrace2 does")
{
	Fields fields;
	std::vector<Bytes> payloads(4);
	for (int code = UST_TYPE_U8; code <= UST_TYPE_I64; ++code) {
		const size_t size = size_t{1} << (code - 1) % 4;
		for (int how : {0, static_cast<int>(UST_TYPE_BASE_2),
			     static_cast<int>(UST_TYPE_BASE_8), static_cast<int>(UST_TYPE_BASE_16),
			     static_cast<int>(UST_TYPE_NETWORK)}) {
			fields.emplace_back(how ? around(how, TypeBytes(code)) : TypeBytes(code),
				"f" + std::to_string(fields.size()));
			for (size_t i = 0; i < size; ++i) {
				payloads[0].push_back(0);
				payloads[1].push_back(0xff);
				payloads[2].push_back(i + 1 == size ? 0x80 : 0);
				payloads[3].push_back(static_cast<uint8_t>(0x12 + 0x22 * i));
			}
		}
	}
	Directory d;
	write_session(d.path(), fields, payloads);
	const std::string out = view({d.path()}).out;
	CHECK(count_lines(out) == payloads.size());
	CHECK(out == of_babeltrace(d.path()));
}

TEST_CASE("view prints floating point numbers as babeltrace2 does")
{
	std::vector<Bytes> payloads;
	for (double n : {0.0, -0.0, 1.0, 1.0 / 3, 1e100, -1e-7, 123456.0, 1234567.0,
		     std::numeric_limits<double>::infinity(),
		     -std::numeric_limits<double>::infinity(), std::nan("")})
		payloads.push_back(payload(n, static_cast<float>(n)));
	Directory d;
	write_session(d.path(), {{UST_TYPE_DOUBLE, "d"}, {UST_TYPE_FLOAT, "f"}}, payloads);
	CHECK(view({d.path()}).out == of_babeltrace(d.path()));
}

TEST_CASE("view prints each byte of strings as babeltrace2 does")
{
	// First the empty one: for one that comes later babeltrace2 2.0.4 may show an old string.
	std::vector<Bytes> payloads = {text_payload("")};
	for (int c = 1; c < 256; ++c)
		payloads.push_back(text_payload(std::string("a") + static_cast<char>(c) + "b"));
	Directory d;
	write_session(d.path(), {{UST_TYPE_STRING, "s"}}, payloads);
	const std::string out = view({d.path()}).out;
	CHECK(count_lines(out) == payloads.size());
	CHECK(out == of_babeltrace(d.path()));
}

TEST_CASE("view prints characters in a row as babeltrace2 does")
{
	std::vector<Bytes> payloads;
	for (const std::string text : {"abc", "", "a\"b"}) {
		Bytes p = payload('x', 'y', '\0', 'z', static_cast<uint32_t>(text.size()));
		p.insert(p.end(), text.begin(), text.end());
		append(p, payload('\x80', uint16_t{0x20ac}, uint32_t{0x1f600}));
		payloads.push_back(p);
	}
	Directory d;
	write_session(d.path(),
		{{array_of(4, UST_TYPE_CHAR), "four"}, {sequence_of(UST_TYPE_CHAR), "some"},
			{UST_TYPE_CHAR, "c"}, {UST_TYPE_CHAR16, "c16"}, {UST_TYPE_CHAR32, "c32"}},
		payloads);
	CHECK(view({d.path()}).out == of_babeltrace(d.path()));
}

TEST_CASE("view prints enumerations as babeltrace2 does: one label, several, none")
{
	std::vector<Bytes> payloads;
	for (int n : {-128, -5, -1, 0, 1, 5, 100, 127})
		payloads.push_back(payload(static_cast<int8_t>(n), static_cast<uint8_t>(n)));
	Directory d;
	write_session(d.path(),
		{{enum_of<int8_t>(UST_TYPE_I8, {{-128, -1, "below"}, {-5, 5, "few \"?\""},
						       {5, 5, "five"}, {5, 9, "more"}}),
			 "s"},
			{enum_of<uint8_t>(UST_TYPE_U8, {{0, 1, "bit"}, {251, 255, "high"}}), "u"}},
		payloads);
	const std::string out = view({d.path()}).out;
	CHECK_THAT(out, Contains("<unknown>"));
	CHECK_THAT(out, Contains("\"five\", \"more\""));
	CHECK(out == of_babeltrace(d.path()));
}

TEST_CASE("view prints what holds other values as babeltrace2 does, empty too")
{
	const TypeBytes point = struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_STRING, "name"}});
	const Fields fields = {{sequence_of(point), "points"},
		{around(UST_TYPE_OPTIONAL, sequence_of(UST_TYPE_U8)), "maybe"},
		{array_of(2, around(UST_TYPE_OPTIONAL, UST_TYPE_BOOL)), "pair"},
		{struct_of({{sequence_of(UST_TYPE_STRING), "length"}, {point, "p"}}), "deep"},
		{UST_TYPE_U8, "points_length"}};
	Bytes none =
		payload(uint32_t{0}, uint8_t{0}, uint8_t{0}, uint8_t{0}, uint32_t{0}, uint8_t{1});
	put_string(none, "n");
	append(none, payload(uint8_t{2}, uint32_t{0}));
	Bytes some = payload(uint32_t{2});
	append(some, text_payload("a", uint8_t{1}));
	append(some, text_payload("", uint8_t{2}));
	append(some, payload(uint8_t{1}, uint32_t{3}, uint8_t{7}, uint8_t{8}, uint8_t{9}));
	append(some, payload(uint8_t{1}, uint8_t{1}, uint8_t{0}, uint32_t{1}));
	put_string(some, "inner");
	append(some, text_payload("p", uint8_t{3}));
	append(some, payload(uint8_t{4}, uint32_t{0}));

	Directory d;
	write_session(d.path(), fields, {none, some});
	const CommandResult r = view({d.path()});
	CHECK(r.out == of_babeltrace(d.path()));
	const CommandResult j = view({"--json", d.path()});
	CHECK_THAT(j.out,
		Contains(R"("fields":{"points":[],"maybe":null,"pair":[null,null],)"
			 R"("deep":{"length":[],"p":{"x":1,"name":"n"}},"points_length":2})"));
	CHECK_THAT(j.out, Contains(R"("points":[{"x":1,"name":"a"},{"x":2,"name":""}],)"
				   R"("maybe":[7,8,9],"pair":[true,null],)"
				   R"("deep":{"length":["inner"],"p":{"x":3,"name":"p"}})"));
}

TEST_CASE("view merges streams and programs by time, and tells of losses where they happened")
{
	Directory d;
	write_sample(d.path());
	const CommandResult r = view({d.path()});
	CHECK(r.status == 0);
	CHECK(events_of(r.out) == of_babeltrace(d.path()));
	CHECK(count_lines(r.out) == sample_events + 2);
	const size_t loss = r.out.find("*** 5 events lost up to [22:13:20.000003025]: { vpid = 3");
	REQUIRE(loss != std::string::npos);
	CHECK(r.out.rfind("[22:13:20.000002025]", loss) != std::string::npos);
}

TEST_CASE("view --json: one object on each line, of events and losses")
{
	Directory d;
	write_sample(d.path());
	const CommandResult r = view({"--json", d.path()});
	CHECK(r.status == 0);
	CHECK(count_lines(r.out) == sample_events + 2);
	size_t losses = 0;
	for (size_t at = 0; at < r.out.size();) {
		const size_t end = r.out.find('\n', at);
		const auto line = nlohmann::json::parse(r.out.substr(at, end - at));
		CHECK(line["host"] == "host");
		CHECK(line["time_ns"].get<uint64_t>() >= 1700000000000002000);
		if (line["type"] == "loss") {
			++losses;
			CHECK(line["events"] == 5);
			CHECK(line["packets"] == 0);
		} else if (line["event"] == "p:values") {
			CHECK(line["program"] == "program");
			CHECK(line["context"]["procname"] == "program");
			CHECK(line["fields"]["state"]["labels"].size() ==
				(line["fields"]["state"]["value"] == 1 ? 1 : 0));
		}
		at = end + 1;
	}
	CHECK(losses == 2);
}

TEST_CASE("view shows only what is asked for")
{
	Directory d;
	write_sample(d.path());
	auto events = [&](std::vector<std::string> words) {
		words.push_back(d.path());
		const CommandResult r = view(words);
		INFO(r.err);
		CHECK(r.status == 0);
		return count_lines(events_of(r.out));
	};
	CHECK(events({"--events", "p:*"}) == 12);
	CHECK(events({"--events", "p:values,q:*"}) == 9);
	CHECK(events({"--events", "!p:values"}) == 9);
	CHECK(events({"--events", "*@err"}) == 6);
	CHECK(events({"--program", "other"}) == 3);
	CHECK(events({"--tid", "11"}) == 6);
	CHECK(events({"--tid", "99"}) == 0);
	CHECK(events({"--from", "+0.000001"}) == 8);
	CHECK(events({"--to", "+0.000001"}) == 8);
	CHECK(events({"--from", "1700000000.000003", "--to", "1700000000.000003500"}) == 4);
	const CommandResult r = view({"--program", "none", d.path()});
	CHECK(r.status == 2);
	CHECK_THAT(r.err,
		Contains("there is no program none in the trace; there are: other, program"));
	CHECK(view({"--tid", "x", d.path()}).status == 2);
	CHECK(view({"--from", "x", d.path()}).status == 2);
	CHECK(view({"--from", "+2", "--to", "+1", d.path()}).status == 2);
	CHECK(view({"--events", "@", d.path()}).status == 2);
}

TEST_CASE("view of a damaged session shows the rest, and says what is missing")
{
	Directory d;
	write_sample(d.path());
	const std::string path = d / "ust/program/stream_0";
	std::string bytes = content(path);
	bytes[140] = static_cast<char>(bytes[140] ^ 1);
	std::ofstream(path, std::ios::binary) << bytes;
	CommandResult r = view({d.path()});
	CHECK(r.status == 6);
	CHECK(count_lines(events_of(r.out)) == sample_events - 2);
	CHECK_THAT(r.out, Contains("*** 1 packet missing up to [22:13:20.000003015]"));
	CHECK(r.err == "ltt-ctl: " + path + ": packet 0, byte 0: does not match its checksum\n");

	std::filesystem::remove(d / "ust/other/.manifest");
	r = view({d.path()});
	CHECK(r.status == 6);
	CHECK(count_lines(events_of(r.out)) == sample_events - 5);
	CHECK_THAT(r.err, Contains("ust/other/.manifest: is missing: the events of this program") &&
				  Contains("; babeltrace2 " + (d / "ust/other") + " reads"));
	CHECK(count_lines(babeltrace(d / "ust/other").out) == 3);

	Directory empty;
	r = view({empty.path()});
	CHECK(r.status == 1);
	CHECK_THAT(r.err, Contains("there is no trace in "));
}

TEST_CASE("times: from the begin, of a day, since 1970; all else is refused")
{
	using ltt::reader::parse_time;
	const uint64_t first = 1700000000500000000;
	CHECK(parse_time("+1.5", first) == first + 1500000000);
	CHECK(parse_time("1700000001.25", first) == 1700000001250000000);
	// In whatever zone this runs: the same day, one second apart.
	const uint64_t noon = parse_time("12:00:00", first);
	CHECK(parse_time("12:00:01.000000001", first) == noon + 1000000001);
	CHECK(noon / 1000000000 + 86400 > first / 1000000000);
	CHECK(parse_time("2023-11-15T12:00:00", first) ==
		parse_time("2023-11-14 12:00:00", first) + 86400000000000);
	for (const std::string bad : {"", "x", "+", "+-1", "1.2.3", "1.", "12:00", "12:00:00x",
		     "25:00:00", "1.1234567890", "2023-13-01 00:00:00", "12345678901"})
		CHECK(misuse([&] { parse_time(bad, first); }).find("is not a time") !=
			std::string::npos);
}

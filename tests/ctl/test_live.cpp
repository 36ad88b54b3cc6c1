// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdio>

#include "lib/reader/follow.h"
#include "support/directory.h"
#include "support/fake_kernel.h"

using Catch::Matchers::Contains;
using ltt::reader::LiveOptions;

namespace
{

constexpr uint32_t subbuf = 4096;

// Prints names of events, and losses.
class Names : public ltt::reader::Printer
{
public:
	void event(std::string &out, const ltt::reader::Origin &origin,
		const ltt::reader::Event &event) override
	{
		out += event.type->definition->name + "@" + std::to_string(event.ns) + "/" +
		       std::to_string(origin.header->thread.tid) + " ";
	}
	void loss(std::string &out, const ltt::reader::Origin &,
		const ltt::reader::Loss &loss) override
	{
		out += "-" + std::to_string(loss.events) + " ";
	}
};

class TestLive
{
public:
	explicit TestLive(const LiveOptions &options = {}, uint32_t contexts = 0)
		: live(ltt::Clock(), environment(contexts), options, names,
			  [this](const std::string &line) { reports.push_back(line); })
	{
	}
	void take(const Bytes &bytes)
	{
		Bytes copy(bytes);
		copy.shrink_to_fit();
		live.take(copy.data(), copy.size());
	}
	// What is printed as of that time.
	std::string look(uint64_t now)
	{
		std::string out;
		live.print(out, now);
		return out;
	}

	std::vector<std::string> reports;

private:
	static ltt::ctf::Environment environment(uint32_t contexts)
	{
		ltt::ctf::Environment e;
		e.contexts = contexts;
		return e;
	}
	Names names;
	ltt::reader::Live live;
};

Bytes two_events()
{
	Bytes d = definition(1, "p", "a", {});
	append(d, definition(2, "p", "b", {{UST_TYPE_STRING, "s"}}, UST_LEVEL_ERR));
	return definitions_packet(1, d);
}

// Of stream and thread @n, whose events so far are these.
Bytes events(uint64_t n, uint64_t position, const Bytes &body, uint64_t all, uint64_t lost = 0)
{
	ltt_packet h = packet_header();
	h.stream = n;
	h.tid = h.vtid = static_cast<uint32_t>(n);
	h.position = position;
	h.events = all;
	h.lost = lost;
	return packet(h, body);
}

Bytes numbered(uint64_t first, uint64_t n)
{
	Bytes body;
	for (uint64_t i = 0; i < n; ++i)
		append(body, event(first + i, 1));
	return body;
}

} // namespace

TEST_CASE("live: each event once, though each look gives all that there is")
{
	TestLive l;
	l.take(two_events());
	l.take(events(1, 0, numbered(2000, 2), 2));
	CHECK(l.look(9000) == "a@2000/1 a@2001/1 ");
	l.take(two_events());
	l.take(events(1, 0, numbered(2000, 2), 2));
	CHECK(l.look(9000) == "");
	// The open sub-buffer has more by now, and a second one follows.
	l.take(two_events());
	l.take(events(1, 0, numbered(2000, 3), 4));
	l.take(events(1, subbuf, numbered(2003, 1), 4));
	CHECK(l.look(9000) == "a@2002/1 a@2003/1 ");
	CHECK(l.reports.empty());
}

TEST_CASE("live: threads are merged by time, and what is later than the look waits")
{
	TestLive l;
	l.take(two_events());
	l.take(events(1, 0, numbered(2000, 3), 3));
	l.take(events(2, 0, numbered(1999, 2), 2));
	CHECK(l.look(2000) == "a@1999/2 a@2000/1 a@2000/2 ");
	l.take(events(2, 16, numbered(2001, 1), 3));
	CHECK(l.look(2001) == "a@2001/1 a@2001/2 ");
	CHECK(l.look(UINT64_MAX) == "a@2002/1 ");
}

TEST_CASE("live: losses, and what was replaced or taken between two looks")
{
	TestLive l;
	l.take(two_events());
	// Of 10 events 7 were gone when we came.
	l.take(events(1, 7 * 8, numbered(2000, 3), 10, 4));
	CHECK(l.look(9000) == "-4 a@2000/1 a@2001/1 a@2002/1 ");
	// 5 have got room; one is there.
	l.take(events(1, 10 * 8, numbered(2010, 1), 15, 4));
	CHECK(l.look(9000) == "a@2010/1 ");
	// The others may have been in the making then, now they are not: 3 are gone, one came.
	l.take(events(1, 14 * 8, numbered(2020, 1), 15, 6));
	CHECK(l.look(9000) == "-5 a@2020/1 ");
	l.take(events(1, 14 * 8, numbered(2020, 1), 15, 6));
	CHECK(l.look(9000) == "");
}

TEST_CASE("live: only what is asked for")
{
	Bytes both = event(2000, 1);
	append(both, event(2001, 2, Bytes{'x', 0}));
	for (const auto &[options, expected] : std::vector<std::pair<LiveOptions, std::string>>{
		     {{"p:b", "", 0}, "b@2001/1 "}, {{"*@err", "", 0}, "b@2001/1 "},
		     {{"", "other", 0}, ""}, {{"", "program", 0}, "a@2000/1 b@2001/1 "},
		     {{"", "", 2}, ""}, {{"!p:b", "", 1}, "a@2000/1 "}}) {
		TestLive l(options);
		l.take(two_events());
		l.take(events(1, 0, both, 2));
		CHECK(l.look(9000) == expected);
	}
}

TEST_CASE("live: a packet that is damaged is told of once, and the next ones are shown")
{
	TestLive l;
	l.take(two_events());
	for (int i = 0; i < 2; ++i) {
		l.take(events(1, 0, event(2000, 9), 1));
		CHECK(l.look(9000) == "");
	}
	REQUIRE(l.reports.size() == 1);
	CHECK_THAT(
		l.reports[0], Contains("packet of thread 1: ") && Contains("id 9 is not defined"));
	l.take(events(1, subbuf, numbered(2001, 1), 2));
	CHECK_THAT(l.look(9000), Contains("a@2001/1 "));
	l.take(Bytes(10, 1));
	CHECK(l.reports.size() == 2);
}

TEST_CASE("live: a library that is loaded later, and contexts of the trace")
{
	TestLive l({}, LTT_CONTEXT_CPU | LTT_CONTEXT_VPID);
	l.take(two_events());
	Bytes body = event(2000, 1, payload(uint32_t{3}));
	l.take(events(1, 0, body, 1));
	CHECK(l.look(9000) == "a@2000/1 ");
	l.take(definitions_packet(1, definition(3, "q", "c", {})));
	append(body, event(2001, 3, payload(uint32_t{2})));
	l.take(events(1, 0, body, 2));
	CHECK(l.look(9000) == "c@2001/1 ");
	CHECK(l.reports.empty());
}

TEST_CASE("view --live goes on until the trace is gone, and takes only if it is to")
{
	for (bool take : {false, true}) {
		FakeKernel kernel;
		kernel.state.params.name = "t";
		Bytes all = two_events();
		append(all, events(1, 0, numbered(2000, 2), 2));
		kernel.state.held = {all};
		kernel.state.in_open = {all};
		Directory d;
		Names names;
		FILE *out = std::fopen((d / "out").c_str(), "w");
		REQUIRE(out);
		kernel.state.on_read = [&] { kernel.state.destroyed = true; };
		ltt::reader::follow_trace(
			kernel, "t", {}, take, names, out, [](const std::string &) {});
		std::fclose(out);
		CHECK(content(d / "out") == "a@2000/1 a@2001/1 ");
		// The last look is one at what a trace that is gone has left.
		CHECK(kernel.state.calls ==
			(take ? std::vector<std::string>{"flush"}
			      : std::vector<std::string>{"snapshot", "snapshot"}));
		CHECK(kernel.state.ready.empty());
		CHECK(kernel.state.in_open.size() == (take ? 0 : 1));
	}
}

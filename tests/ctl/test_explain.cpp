// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/event_counts.h"
#include "lib/explain.h"
#include "lib/file.h"
#include "lib/rules.h"
#include "support/fake_kernel.h"
#include "support/fake_system.h"

using Catch::Matchers::Contains;

namespace
{

constexpr uint32_t net = UST_CATEGORY_NET;

ltt::Definition shop(const std::string &name, uint32_t filter, uint8_t level = UST_LEVEL_INFO)
{
	ltt::Definition d;
	d.provider = "shop";
	d.name = name;
	d.filter = filter;
	d.level = level;
	return d;
}

ltt_trace_info trace(uint32_t filter = 0xffffffff, bool active = true)
{
	ltt_trace_info t{};
	std::strcpy(t.name, "mine");
	t.trace = 3;
	t.filter = filter;
	t.active = active;
	t.uid = 1000;
	t.subbuf_size = 4096;
	t.n_subbufs = 4;
	return t;
}

ltt::TracedProcess process(const std::vector<uint32_t> &uids = {1000, 1000, 1000, 1000})
{
	ltt::TracedProcess p;
	p.pid = "4711";
	p.uids = uids;
	p.has_signal = true;
	return p;
}

Bytes both(Bytes a, const Bytes &b)
{
	append(a, b);
	return a;
}

ltt_trace_page page_of(const ltt_trace_info &t)
{
	ltt_trace_page page{};
	page.trace = t.trace;
	page.active = t.active;
	page.filter = t.filter;
	page.mode = t.mode;
	page.subbuf_size = t.subbuf_size;
	page.n_subbufs = t.n_subbufs;
	return page;
}

} // namespace

TEST_CASE("rules are asked as markers ask them, and the one that decides is told")
{
	auto ask = [](const char *rules, const ltt::Definition &d) {
		const ltt::RuleVerdict v = ltt::ask_rules(rules, d);
		return std::string(v.takes ? "yes " : "no ") + v.rule;
	};
	CHECK(ask("", shop("order", 1)) == "yes ");
	CHECK(ask("shop:*", shop("order", 1)) == "yes shop:*");
	CHECK(ask("net:*", shop("order", 1)) == "no ");
	CHECK(ask("!net:*", shop("order", 1)) == "yes ");
	CHECK(ask("shop:*,!shop:o*,*:x", shop("order", 1)) == "no !shop:o*");
	CHECK(ask("!shop:*,shop:order", shop("order", 1)) == "yes shop:order");
	CHECK(ask("*@warning", shop("order", 1, UST_LEVEL_INFO)) == "no ");
	CHECK(ask("*@warning", shop("order", 1, UST_LEVEL_ERR)) == "yes *@warning");
}

TEST_CASE("an event is filtered, ruled out, not reached, or there")
{
	const std::vector<ltt::Category> own = {{2, "shop:noise", ""}};
	ltt::EventCounts counts;
	counts.events["shop:order"] = 7;
	auto explain = [&](const ltt::Definition &d, const ltt_trace_info &t, const char *rules) {
		return ltt::explain_event(t, rules, d, own, &counts);
	};

	ltt::Explanation e = explain(shop("order", 1), trace(net), "");
	CHECK(!e.taken);
	CHECK(e.why == "filter");
	CHECK(e.text == "the trace's filter (net) has none of its bits (bit0)");
	CHECK(explain(shop("noise", 2), trace(net), "").text ==
		"the trace's filter (net) has none of its bits (shop:noise)");
	// The filter goes first: rules are asked only for what it lets through.
	CHECK(explain(shop("order", 1), trace(net), "!shop:*").why == "filter");

	e = explain(shop("order", 1), trace(), "*,!shop:order");
	CHECK(!e.taken);
	CHECK(e.why == "rules");
	CHECK(e.text == "the rule \"!shop:order\" leaves it out");
	CHECK(explain(shop("order", 1), trace(), "net:*,a:b").text ==
		"no rule of \"net:*,a:b\" takes it");

	e = explain(shop("order", 1), trace(), "");
	CHECK(e.taken);
	CHECK(e.why == "taken");
	CHECK(e.text == "7 in the trace now");

	e = explain(shop("other", 1), trace(), "shop:*");
	CHECK(e.taken);
	CHECK(e.why == "not-reached");
	CHECK(e.text == "none in the trace now: not reached, or a recorder took them");
	counts.lost = 5;
	CHECK_THAT(explain(shop("other", 1), trace(), "").text,
		Contains("or they are among the 5 lost"));

	e = ltt::explain_event(trace(), "", shop("other", 1), own, nullptr);
	CHECK(e.taken);
	CHECK(e.text == "its filter and its rules let it through");
}

TEST_CASE("a process has a buffer of the trace, or it is told why it may have none")
{
	ltt::TracedProcess p = process();
	p.buffers = {page_of(trace())};
	ltt::Explanation e = ltt::explain_process(trace(), p);
	CHECK(e.taken);
	CHECK(e.why == "taken");
	CHECK(e.text == "process 4711 has a buffer of it");

	e = ltt::explain_process(trace(0xffffffff, false), p);
	CHECK(!e.taken);
	CHECK(e.why == "stopped");
	CHECK_THAT(e.text, Contains("ltt-ctl start mine"));

	e = ltt::explain_process(trace(), process({1000, 0, 0, 0}));
	CHECK(!e.taken);
	CHECK(e.why == "user");
	CHECK_THAT(
		e.text, Contains("of user 1000 only") && Contains("process 4711 is one of user"));
	ltt_trace_info system = trace();
	system.flags = LTT_TRACE_SYSTEM;
	e = ltt::explain_process(system, process({1, 1, 1, 1}));
	CHECK(e.taken);
	CHECK(e.why == "not-reached");
	CHECK_THAT(e.text, Contains("none met a marker that it takes"));
	system.n_targets = 2;
	e = ltt::explain_process(system, process());
	CHECK(!e.taken);
	CHECK(e.why == "limits");
	CHECK_THAT(e.text, Contains("its limits (2) leave the process out"));
	p = process();
	p.has_signal = false;
	e = ltt::explain_process(trace(), p);
	CHECK(!e.taken);
	CHECK(e.why == "silent");
	CHECK_THAT(e.text, Contains("its markers are silent"));
}

TEST_CASE("the page of another trace in the same slot is not taken for the trace's")
{
	const ltt_trace_info t = trace();
	for (auto change : {+[](ltt_trace_page &page) { page.trace = 4; },
		     +[](ltt_trace_page &page) { page.active = 0; },
		     +[](ltt_trace_page &page) { page.filter = 1; },
		     +[](ltt_trace_page &page) { page.mode = LTT_MODE_BLOCK; },
		     +[](ltt_trace_page &page) { page.subbuf_size *= 2; },
		     +[](ltt_trace_page &page) { page.n_subbufs *= 2; }}) {
		ltt::TracedProcess p = process();
		p.buffers = {page_of(t)};
		CHECK(p.has_buffer_of(t));
		change(p.buffers[0]);
		CHECK(!p.has_buffer_of(t));
	}
}

TEST_CASE("a process is looked at by what /proc tells")
{
	FakeSystem system;
	const ltt_trace_page page = page_of(trace());
	system.write("proc/4711/status",
		"Name:\tshop\nUid:\t1\t2\t3\t4\nSigIgn:\t0000000000000000\n"
		"SigCgt:\t0000001000000000\n");
	system.write("proc/4711/maps",
		"00001000-00002000 r--s 00000000 00:08 11                         [ltt]\n"
		"00002000-00007000 rw-s 00001000 00:08 11                         [ltt]\n"
		"00008000-00009000 r--p 00000000 00:08 11                         /bin/[ltt]\n"
		"00009000-0000a000 r--s 00000000 00:08 12                         [ltt]\n");
	system.write("proc/4711/mem",
		std::string(0x1000, 'x') +
			std::string(reinterpret_cast<const char *>(&page), sizeof(page)));
	ltt::TracedProcess p = ltt::look_at_process("4711", system.files());
	CHECK(p.uids == std::vector<uint32_t>{1, 2, 3, 4});
	CHECK(p.has_signal);
	REQUIRE(p.buffers.size() == 1); // the other page cannot be read
	CHECK(p.buffers[0].trace == 3);
	CHECK(p.buffers[0].subbuf_size == 4096);

	system.write("proc/4711/status", "Uid:\t1\t2\t3\t4\nSigIgn:\t0\nSigCgt:\t800000000\n");
	CHECK(!ltt::look_at_process("4711", system.files()).has_signal); // 36
	system.write("proc/4711/status", "Uid:\t1\t2\t3\t4\nSigIgn:\t2000000000\nSigCgt:\t0\n");
	CHECK(ltt::look_at_process("4711", system.files()).has_signal); // 38, of musl
	CHECK_THROWS_AS(ltt::look_at_process("4712", system.files()), ltt::Error);
}

TEST_CASE("a packet is known by the number of the namespace that one looks from")
{
	FakeSystem system;
	system.write("proc/3/status", "Uid:\t1\t2\t3\t4\n");
	system.write("proc/3/mem", "");
	system.link("proc/self/ns/pid", "pid:[4026531836]");
	ltt_packet h = packet_header(); // pid 10, vpid 3
	CHECK(!ltt::look_at_process("3", system.files()).wrote(h));
	h.pid = 3;
	CHECK(ltt::look_at_process("3", system.files()).wrote(h));
	h.pid = 10;
	unlink((system.files().proc + "/self/ns/pid").c_str());
	system.link("proc/self/ns/pid", "pid:[4026532000]");
	CHECK(ltt::look_at_process("3", system.files()).wrote(h));
}

TEST_CASE("events in a snapshot are counted by name, of the packets that are meant")
{
	FakeState state;
	ltt_packet h = packet_header(), other = packet_header();
	h.lost = 4;
	h.too_big = 1;
	h.overwritten = 2;
	other.stream = 2;
	other.pid = 11;
	other.lost = 100;
	const Bytes definitions =
		both(definition(1, "shop", "order", {}), definition(2, "shop", "end", {}));
	Bytes first = definitions_packet(1, definitions);
	append(first, packet(h, both(event(1000, 1), event(1001, 1))));
	h.lost = 6; // of the same stream, later
	Bytes second = packet(h, event(1002, 2));
	append(second, packet(other, event(1000, 2)));
	append(second, packet(h, event(1003, 9)));
	state.held = {first, second};

	FakeTrace open(state);
	const ltt::EventCounts counts = ltt::count_events(
		*open.snapshot(), [](const ltt_packet &p) { return p.pid == 10; });
	CHECK(counts.of("shop:order") == 2);
	CHECK(counts.of("shop:end") == 1);
	CHECK(counts.of("shop:none") == 0);
	CHECK(counts.lost == 9);
	CHECK(counts.bad_packets == 1);
}

// SPDX-License-Identifier: MIT
//
// The rules of traces: which events they take, by name and level.
#include "decode.h"
#include "fake_kernel.h"

#include <ust/ust.h>

#include <catch2/catch.hpp>
#include <thread>

UST_EVENT(net, packet, UST_BIT(0), UST_LEVEL_DEBUG, (int, n))
UST_EVENT(net, reset, UST_BIT(0), UST_LEVEL_WARNING, (int, n))
UST_EVENT(network, up, UST_BIT(1), UST_LEVEL_NOTICE, (int, n))
UST_EVENT(disk, full, UST_BIT(0), UST_LEVEL_EMERG, (int, n))
UST_EVENT(rules, shared, UST_BIT(0), (int, n))

namespace
{

// Which of the rules' words mean this event?
bool say(const char *rules, const char *event, unsigned level = UST_LEVEL_INFO)
{
	const char *const colon = std::strchr(event, ':');
	const std::string provider(event, colon), name(colon + 1);
	const ust_rule_text text = {rules, rules + std::strlen(rules)};
	const ust_name both = {provider.c_str(), name.c_str(), provider.size()};
	return ust_rules_say(text, &both, level);
}

// Writes each event once, and returns the letters of those that arrived.
std::string written(unsigned trace)
{
	const auto events = [&] {
		std::size_t n = 0;
		for (const fake::packet &p : fake::read(trace))
			n += p.bytes.size();
		return n;
	};
	std::string all;
	events();
	const auto mark = [&](char letter, auto marker) {
		marker();
		if (events())
			all += letter;
	};
	mark('p', [] { UST(net, packet, 1); });
	mark('r', [] { UST(net, reset, 1); });
	mark('u', [] { UST(network, up, 1); });
	mark('f', [] { UST(disk, full, 1); });
	return all;
}

} // namespace

TEST_CASE("a pattern is any characters, one character, or itself")
{
	CHECK(say("net:packet", "net:packet"));
	CHECK_FALSE(say("net:packet", "net:packets"));
	CHECK_FALSE(say("net:packet", "net:packe"));
	CHECK(say("net:*", "net:packet"));
	CHECK(say("net:*", "net:"));
	CHECK_FALSE(say("net:*", "network:up"));
	CHECK(say("net*", "network:up"));
	CHECK(say("*", "a:b"));
	CHECK(say("*:*", "a:b"));
	CHECK(say("*packet*", "net:packet"));
	CHECK(say("*a*b*c", "x:aXbXbXc"));
	CHECK_FALSE(say("*a*b*c", "x:aXbXbXcX"));
	CHECK(say("n?t:p", "net:p"));
	CHECK_FALSE(say("n?t:p", "nt:p"));
	CHECK_FALSE(say("n?t:p?", "net:p"));
	CHECK(say("****", "a:b"));
	CHECK_FALSE(say("NET:*", "net:packet"));
	CHECK(say("trace:cache miss", "trace:cache miss"));
}

TEST_CASE("the last rule that means an event decides")
{
	CHECK(say("", "a:b"));
	CHECK(say(" , ,", "a:b"));
	CHECK_FALSE(say("c:d", "a:b"));
	CHECK(say("!c:d", "a:b"));
	CHECK_FALSE(say("!a:b", "a:b"));
	CHECK(say("net:*,!net:noise", "net:packet"));
	CHECK_FALSE(say("net:*,!net:noise", "net:noise"));
	CHECK(say("!net:*,net:packet", "net:packet"));
	CHECK_FALSE(say("!net:*,net:packet", "net:noise"));
	CHECK(say("!net:*,net:packet", "disk:full"));
	CHECK(say("  net:* ,  disk:*  ", "disk:full"));
	CHECK(say("!", "a:b"));
}

TEST_CASE("a level is the least urgent that is meant")
{
	CHECK(say("*@warning", "a:b", UST_LEVEL_ERR));
	CHECK(say("*@warning", "a:b", UST_LEVEL_WARNING));
	CHECK_FALSE(say("*@warning", "a:b", UST_LEVEL_NOTICE));
	CHECK(say("*@4", "a:b", UST_LEVEL_WARNING));
	CHECK_FALSE(say("*@3", "a:b", UST_LEVEL_WARNING));
	CHECK(say("*@debug", "a:b", UST_LEVEL_DEBUG));
	CHECK(say("*@14", "a:b", UST_LEVEL_DEBUG));
	CHECK_FALSE(say("*@info", "a:b", UST_LEVEL_DEBUG));
	CHECK_FALSE(say("*@unknown", "a:b", UST_LEVEL_EMERG));
	CHECK_FALSE(say("*@", "a:b", UST_LEVEL_EMERG));
	CHECK_FALSE(say("*@1234567890", "a:b", UST_LEVEL_EMERG));
	CHECK_FALSE(say("a:*,!a:*@notice", "a:b", UST_LEVEL_NOTICE));
	CHECK(say("a:*,!a:*@notice", "a:b", UST_LEVEL_INFO));
	CHECK(say("a:b@c@info", "a:b@c", UST_LEVEL_INFO));
}

TEST_CASE("a trace with rules gets the events that these take, whatever its filter lets through")
{
	fake::reset();
	const unsigned trace = fake::create();
	CHECK(written(trace) == "pruf");
	fake::set_rules(trace, "net:*");
	CHECK(written(trace) == "pr");
	CHECK(written(trace) == "pr");
	fake::set_rules(trace, "net*,!net:packet");
	CHECK(written(trace) == "ru");
	fake::set_rules(trace, "*@warning");
	CHECK(written(trace) == "rf");
	fake::set_filter(trace, UST_BIT(1));
	CHECK(written(trace).empty());
	fake::set_rules(trace, "");
	CHECK(written(trace) == "u");
	fake::set_filter(trace, ~0u);
	CHECK(written(trace) == "pruf");
}

TEST_CASE("each of several traces has its own rules")
{
	fake::reset();
	const unsigned first = fake::create(), second = fake::create(), third = fake::create();
	fake::set_rules(first, "net:packet");
	fake::set_rules(second, "!net:packet");
	CHECK(written(first) == "p");
	CHECK(written(second) == "ruf");
	CHECK(written(third) == "pruf");
	fake::stop(third);
	CHECK(written(first) == "p");
	fake::destroy(second);
	CHECK(written(first) == "p");
	fake::set_rules(first, "disk:*");
	CHECK(written(first) == "f");
}

TEST_CASE("threads take the rules of their traces, also where another thread asked first")
{
	fake::reset();
	const unsigned trace = fake::create();
	fake::set_rules(trace, "rules:shared");
	UST(rules, shared, 1);
	std::thread([] { UST(rules, shared, 2); }).join();
	fake::set_rules(trace, "!rules:shared");
	std::thread([] { UST(rules, shared, 3); }).join();
	UST(rules, shared, 4);
	std::size_t bytes = 0;
	for (const fake::packet &p : fake::read(trace))
		bytes += p.bytes.size();
	CHECK(bytes == 2 * 12);
}

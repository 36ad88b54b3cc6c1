// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <ust/detail/abi.h>

#include "lib/rules.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;

namespace
{

std::string refusal(const std::string &rules)
{
	return misuse([&] { ltt::parse_rules(rules); });
}

} // namespace

TEST_CASE("rules lose the blanks that mean nothing, and rules that are nothing")
{
	CHECK(ltt::parse_rules("") == "");
	CHECK(ltt::parse_rules(" , ,") == "");
	CHECK(ltt::parse_rules("net:*") == "net:*");
	CHECK(ltt::parse_rules(" net:* , !net:noise ,") == "net:*,!net:noise");
	CHECK(ltt::parse_rules("trace:cache miss@debug") == "trace:cache miss@debug");
	CHECK(ltt::parse_rules("*@4,!a:b@err") == "*@4,!a:b@err");
	CHECK(ltt::parse_rules(std::string(LTT_MAX_RULES, 'x')).size() == LTT_MAX_RULES);
}

TEST_CASE("rules that mean nothing are refused, with the rule and the reason")
{
	CHECK_THAT(refusal("a:b,!"), Contains("\"!\" names no events"));
	CHECK_THAT(refusal("@info"), Contains("\"@info\" names no events"));
	CHECK_THAT(refusal("!@info"), Contains("names no events"));
	CHECK_THAT(refusal("a:b@loud"),
		Contains("\"a:b@loud\" has an unknown level") && Contains("warning"));
	CHECK_THAT(refusal("a:b@"), Contains("unknown level"));
	CHECK_THAT(refusal("a:b@15"), Contains("unknown level"));
	CHECK_THAT(refusal("a:\tb"), Contains("printable ASCII"));
	CHECK_THAT(refusal("gr\xc3\xbcn:*"), Contains("printable ASCII"));
	CHECK_THAT(refusal(std::string(LTT_MAX_RULES + 1, 'x')), Contains("too long"));
}

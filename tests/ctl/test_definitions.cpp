// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "lib/definitions.h"
#include "lib/error.h"
#include "support/build.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;

namespace
{

std::vector<ltt::Definition> events_of(const Bytes &bytes)
{
	return parse(bytes).events;
}

ust_definition head_of(const Bytes &bytes)
{
	ust_definition head;
	std::memcpy(&head, bytes.data(), sizeof(head));
	return head;
}

void set_head(Bytes &bytes, const ust_definition &head)
{
	std::memcpy(bytes.data(), &head, sizeof(head));
}

} // namespace

TEST_CASE("definitions are read with all they say")
{
	Bytes bytes = definition(7, "net", "receive",
		{{UST_TYPE_I32, "size"}, {UST_TYPE_STRING, "from"}}, UST_LEVEL_WARNING, 0x80000001);
	auto all = events_of(bytes);

	REQUIRE(all.size() == 1);
	CHECK(all[0].id == 7);
	CHECK(all[0].filter == 0x80000001);
	CHECK(all[0].level == UST_LEVEL_WARNING);
	CHECK(all[0].full_name() == "net:receive");
	REQUIRE(all[0].fields.size() == 2);
	CHECK(all[0].fields[0].type.code == UST_TYPE_I32);
	CHECK(all[0].fields[0].name == "size");
	CHECK(all[0].fields[1].type.code == UST_TYPE_STRING);
	CHECK(all[0].fields[1].name == "from");
}

TEST_CASE("zero words of the linker may lie before, between and after definitions")
{
	Bytes bytes(16);
	append(bytes, definition(1, "p", "a", {}));
	bytes.resize(bytes.size() + 24);
	append(bytes, definition(2, "p", "b", {}));
	bytes.resize(bytes.size() + 4);
	CHECK(events_of(bytes).size() == 2);
	CHECK(events_of({}).empty());
}

TEST_CASE("an event may have 64 fields and no more")
{
	Fields fields;
	for (int i = 0; i < 64; ++i)
		fields.emplace_back(UST_TYPE_U8, "f" + std::to_string(i));
	CHECK(events_of(definition(1, "p", "e", fields))[0].fields.size() == 64);
	fields.emplace_back(UST_TYPE_U8, "f64");
	CHECK_THAT(refusal(definition(1, "p", "e", fields)), Contains("65 fields"));
}

TEST_CASE("definitions cut off at any byte are refused")
{
	Bytes whole =
		definition(1, "provider", "event", {{UST_TYPE_U32, "a"}, {UST_TYPE_STRING, "b"}});
	for (size_t n = 1; n < whole.size(); ++n) {
		INFO("cut to " << n << " bytes");
		CHECK(refusal(Bytes(whole.begin(), whole.begin() + static_cast<long>(n))) !=
			"accepted");
	}
}

TEST_CASE("a size that lies is refused")
{
	Bytes good = definition(1, "provider", "event", {{UST_TYPE_U32, "field"}});
	ust_definition head = head_of(good);

	for (uint32_t size : {0U, 4U, 8U, 12U, head.size - 1, head.size + 8, 0xfffffff8U}) {
		INFO("size " << size);
		Bytes bad = good;
		ust_definition h = head;
		h.size = size;
		set_head(bad, h);
		CHECK(refusal(bad) != "accepted");
	}
	// One that ends inside the strings, although that many bytes are there.
	for (uint32_t size = 16; size < head.size; size += 8) {
		Bytes bad = good;
		ust_definition h = head;
		h.size = size;
		set_head(bad, h);
		CHECK_THAT(refusal(bad), Contains("the record ends"));
	}
}

TEST_CASE("more fields announced than there are is refused, and fewer too")
{
	Bytes bytes = definition(1, "p", "e", {{UST_TYPE_U32, "a"}, {UST_TYPE_U32, "b"}});
	ust_definition head = head_of(bytes);

	head.n_fields = 3;
	set_head(bytes, head);
	CHECK(refusal(bytes) != "accepted");
	head.n_fields = 1;
	set_head(bytes, head);
	CHECK(refusal(bytes) != "accepted");
}

TEST_CASE("names that the metadata cannot hold are refused")
{
	auto named = [](const std::string &provider, const std::string &event,
			     const std::string &field) {
		return refusal(definition(1, provider, event, {{UST_TYPE_U32, field}}));
	};
	CHECK(named("p", "e", "f") == "accepted");
	CHECK(named("p", "e", "_x9") == "accepted");
	CHECK(named("", "e", "f") != "accepted");
	CHECK(named("p", "", "f") != "accepted");
	CHECK(named("p", "e\"", "f") != "accepted");
	CHECK(named("p", "e\n", "f") != "accepted");
	CHECK(named("p", "e\\", "f") != "accepted");
	CHECK(named("p\xff\xfe", "e", "f") != "accepted");
	CHECK(named("p", "\xc3\xa9", "f") != "accepted");
	CHECK(named("p", "e", "") != "accepted");
	CHECK(named("p", "e", "9f") != "accepted");
	CHECK(named("p", "e", "f-g") != "accepted");
	CHECK(named("p", "e", "f\xc3") != "accepted");
	CHECK(named("p", std::string(255, 'e'), "f") == "accepted");
	CHECK_THAT(named("p", std::string(256, 'e'), "f"), Contains("255"));
}

TEST_CASE("two fields of one name are refused")
{
	CHECK_THAT(refusal(definition(1, "p", "e", {{UST_TYPE_U8, "a"}, {UST_TYPE_U8, "a"}})),
		Contains("two fields"));
}

TEST_CASE("types, levels and magic numbers that do not exist are refused")
{
	CHECK_THAT(refusal(definition(1, "p", "e", {{0, "a"}})), Contains("field type 0"));
	CHECK_THAT(refusal(definition(1, "p", "e", {{24, "a"}})), Contains("field type"));
	CHECK_THAT(refusal(definition(1, "p", "e", {}, 15)), Contains("log level 15"));

	Bytes bytes = definition(1, "p", "e", {});
	bytes[0] ^= 1;
	CHECK_THAT(refusal(bytes), Contains("not a definition"));
	Bytes shifted(4);
	append(shifted, definition(1, "p", "e", {}));
	CHECK_THAT(refusal(shifted), Contains("aligned"));
}

TEST_CASE("no flipped bit makes the parser read beyond its bytes")
{
	Bytes good =
		definition(1, "provider", "event", {{UST_TYPE_U32, "a"}, {UST_TYPE_STRING, "b"}});
	append(good, definition(2, "provider", "other", {}));
	for (size_t bit = 0; bit < good.size() * 8; ++bit) {
		Bytes bad = good;
		bad[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
		refusal(bad); // accepted or refused: a sanitizer watches
	}
	SUCCEED();
}

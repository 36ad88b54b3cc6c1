// SPDX-License-Identifier: MIT
// Types of fields, from the bytes of a definition.
#include <catch2/catch.hpp>

#include "lib/ctf/metadata.h"
#include "lib/definitions.h"
#include "lib/error.h"
#include "support/build.h"
#include "support/refusal.h"

using Catch::Matchers::Contains;

namespace
{

std::string refusal(const TypeBytes &type)
{
	return ::refusal(definition(1, "p", "e", {{type, "f"}}));
}

std::string text(const TypeBytes &type)
{
	return ltt::type_text(
		parse(definition(1, "p", "e", {{type, "f"}})).events[0].fields[0].type);
}

// One definition with types of every sort.
Bytes everything()
{
	Bytes doc{UST_PROPERTY_DOC, 3, 0, 'd', 'o', 'c'};
	Bytes all = definition(1, "p", "e",
		{{around(UST_TYPE_BASE_16, around(UST_TYPE_NETWORK, UST_TYPE_U16)), "a"},
			{enum_of<int8_t>(UST_TYPE_I8, {{-1, -1, "off"}, {0, 5, "on"}}), "b"},
			{array_of(3, array_of(2, UST_TYPE_CHAR)), "c"},
			{sequence_of(sequence_of(UST_TYPE_STRING)), "d"},
			{around(UST_TYPE_OPTIONAL,
				 struct_of({{UST_TYPE_U8, "x"}, {UST_TYPE_STRING, "y"}})),
				"e"},
			{UST_TYPE_POINTER, "f"}},
		UST_LEVEL_INFO, 1, doc);
	Bytes category(sizeof(ust_category_record));
	ust_category_record head{UST_CATEGORY_MAGIC, 0, 8, 0};
	put_string(category, "p");
	put_string(category, "noise");
	put_string(category, "What nobody needs.");
	category.resize((category.size() + 7) / 8 * 8);
	head.size = static_cast<uint32_t>(category.size());
	std::memcpy(category.data(), &head, sizeof(head));
	append(all, category);
	return all;
}

} // namespace

TEST_CASE("types are shown as people write them")
{
	CHECK(text(UST_TYPE_DOUBLE) == "double");
	CHECK(text(UST_TYPE_CHAR16) == "char16");
	CHECK(text(UST_TYPE_POINTER) == "pointer");
	CHECK(text(UST_TYPE_TIME) == "time");
	CHECK(text(around(UST_TYPE_BASE_16, UST_TYPE_I32)) == "hex i32");
	CHECK(text(around(UST_TYPE_NETWORK, around(UST_TYPE_BASE_8, UST_TYPE_U16))) ==
		"oct network u16");
	CHECK(text(enum_of<uint64_t>(UST_TYPE_U64, {{0, 0, "low"}, {1, UINT64_MAX, "high"}})) ==
		"enum u64{low=0, high=1..18446744073709551615}");
	CHECK(text(enum_of<int16_t>(UST_TYPE_I16, {{INT16_MIN, -2, "a"}, {-1, -1, "b"}})) ==
		"enum i16{a=-32768..-2, b=-1}");
	CHECK(text(array_of(16, UST_TYPE_U8)) == "u8[16]");
	CHECK(text(sequence_of(UST_TYPE_STRING)) == "string[]");
	CHECK(text(around(UST_TYPE_OPTIONAL, sequence_of(UST_TYPE_FLOAT))) == "optional<float[]>");
	CHECK(text(struct_of({{UST_TYPE_I32, "x"}, {UST_TYPE_BOOL, "y"}})) ==
		"struct{i32 x, bool y}");
}

TEST_CASE("documentation and categories are read, what is newer is left out")
{
	ltt::Definitions all = parse(everything());
	REQUIRE(all.events.size() == 1);
	CHECK(all.events[0].doc == "doc");
	REQUIRE(all.categories.size() == 1);
	CHECK(all.categories[0].filter == 8);
	CHECK(all.categories[0].name == "p:noise");
	CHECK(all.categories[0].doc == "What nobody needs.");

	Bytes bytes = definition(
		1, "p", "e", {}, UST_LEVEL_INFO, 1, {99, 2, 0, 1, 2, UST_PROPERTY_DOC, 1, 0, 'd'});
	CHECK(parse(bytes).events[0].doc == "d");
	Bytes record = payload(UST_RECORD_MAGIC | 'Z' << 24, uint32_t{16}, uint64_t{~0ULL});
	append(record, bytes);
	CHECK(parse(record).events.size() == 1);
	CHECK_THAT(refusal(payload(UST_RECORD_MAGIC | 'Z' << 24, uint32_t{12}, uint32_t{0})),
		Contains("does not fit"));
}

TEST_CASE("a property that does not end within its record is refused")
{
	CHECK_THAT(refusal(definition(1, "p", "e", {}, UST_LEVEL_INFO, 1, {1, 99, 0})),
		Contains("the record ends before a property"));
	// 20 bytes of names and of this fill the record.
	CHECK_THAT(refusal(definition(1, "p", "e", {}, UST_LEVEL_INFO, 1, {0, 0, 0, 1})),
		Contains("rubbish at its end"));
	CHECK_THAT(refusal(definition(1, "p", "e", {}, UST_LEVEL_INFO, 1, {1, 0, 0, 1})),
		Contains("the record ends before a property's size"));
}

TEST_CASE("a category is one filter bit with a name")
{
	auto category = [](uint32_t filter, const std::string &name) {
		Bytes bytes = payload(UST_CATEGORY_MAGIC, uint32_t{32}, filter, uint32_t{0});
		put_string(bytes, "p");
		put_string(bytes, name);
		bytes.resize(32);
		return refusal(bytes);
	};
	CHECK(category(1, "c") == "accepted");
	CHECK_THAT(category(0, "c"), Contains("one filter bit"));
	CHECK_THAT(category(3, "c"), Contains("one filter bit"));
	CHECK_THAT(category(1, "c\n"), Contains("name of a category"));
	CHECK_THAT(category(1, ""), Contains("name of a category"));
	CHECK_THAT(refusal(payload(UST_CATEGORY_MAGIC, uint32_t{8})), Contains("does not fit"));
	CHECK_THAT(refusal(payload(UST_DEFINITION_MAGIC, uint32_t{8})), Contains("does not fit"));
}

TEST_CASE("types stand in each other 8 deep and no more")
{
	TypeBytes type = UST_TYPE_U8;
	for (int depth = 1; depth < 8; ++depth)
		type = sequence_of(type);
	CHECK(refusal(type) == "accepted");
	CHECK_THAT(refusal(sequence_of(type)), Contains("more than 8 deep"));
	// However deep a program makes it.
	for (int depth = 0; depth < 100000; ++depth)
		type.bytes.insert(type.bytes.begin(), 1, UST_TYPE_OPTIONAL);
	CHECK_THAT(refusal(type), Contains("more than 8 deep"));
}

TEST_CASE("bases, byte orders and labels are those of integers")
{
	CHECK_THAT(refusal(around(UST_TYPE_BASE_16, UST_TYPE_DOUBLE)), Contains("of an integer"));
	CHECK_THAT(refusal(around(UST_TYPE_NETWORK, UST_TYPE_STRING)), Contains("of an integer"));
	CHECK_THAT(refusal(enum_of<float>(UST_TYPE_FLOAT, {{1, 1, "x"}})), Contains("no integer"));
	CHECK_THAT(refusal(enum_of<uint8_t>(around(UST_TYPE_BASE_16, UST_TYPE_U8), {{1, 1, "x"}})),
		Contains("no integer"));
}

TEST_CASE("labels have a name each and a range")
{
	using Labels = std::vector<TestLabel<int8_t>>;
	auto labels = [](const Labels &l) { return refusal(enum_of<int8_t>(UST_TYPE_I8, l)); };
	CHECK(labels({{-1, 1, "a"}, {1, 1, "b"}}) == "accepted"); // they may overlap
	CHECK_THAT(labels({}), Contains("has no labels"));
	CHECK_THAT(labels({{0, 0, ""}}), Contains("without"));
	CHECK_THAT(labels({{0, 0, "a"}, {1, 1, "a"}}), Contains("two labels of one name"));
	CHECK_THAT(labels({{1, -1, "a"}}), Contains("ends before it begins"));
	CHECK_THAT(labels({{0, 0, std::string(256, 'a')}}), Contains("longer than 255"));
	CHECK_THAT(refusal(enum_of<uint8_t>(UST_TYPE_U8, {{255, 1, "a"}})),
		Contains("ends before it begins"));
}

TEST_CASE("arrays and structures are neither empty nor larger than an event")
{
	CHECK_THAT(refusal(array_of(0, UST_TYPE_U8)), Contains("array of 0 elements"));
	CHECK(refusal(array_of(1 << 24, UST_TYPE_U8)) == "accepted");
	CHECK_THAT(refusal(array_of((1 << 24) + 1, UST_TYPE_U8)), Contains("fits into no event"));
	CHECK_THAT(refusal(array_of(1 << 24, UST_TYPE_U16)), Contains("fits into no event"));
	CHECK_THAT(refusal(array_of(UINT32_MAX, array_of(UINT32_MAX, UST_TYPE_U64))),
		Contains("fits into no event"));
	CHECK_THAT(refusal(struct_of({})), Contains("structure of 0 members"));
	Fields many;
	for (int i = 0; i < 65; ++i)
		many.emplace_back(UST_TYPE_U8, "m" + std::to_string(i));
	CHECK_THAT(refusal(struct_of(many)), Contains("structure of 65 members"));
	CHECK_THAT(refusal(struct_of({{UST_TYPE_U8, "a"}, {UST_TYPE_U8, "a"}})),
		Contains("two fields of p:e are called a"));
	CHECK_THAT(refusal(struct_of({{UST_TYPE_U8, "1"}})), Contains("not an identifier"));
}

TEST_CASE("events that differ in a label only are different events")
{
	auto labelled = [](const char *name) {
		return parse(definition(1, "p", "e",
				     {{enum_of<int8_t>(UST_TYPE_I8, {{0, 0, name}}), "f"}}))
			.events[0]
			.identity();
	};
	CHECK(labelled("a") == labelled("a"));
	CHECK(labelled("a") != labelled("b"));
}

TEST_CASE("types cut off at any byte are refused")
{
	const Bytes whole = everything();
	const size_t event = parse(whole).events.empty() ? 0 : whole.size();
	for (size_t n = 1; n < event; ++n) {
		Bytes cut(whole.begin(), whole.begin() + static_cast<long>(n));
		ust_definition head;
		std::memcpy(&head, whole.data(), sizeof(head));
		INFO("cut to " << n << " bytes");
		if (n != head.size)
			CHECK(refusal(cut) != "accepted");
		// A size that says so, too.
		if (n % 8 == 0 && n >= sizeof(head) && n < head.size) {
			head.size = static_cast<uint32_t>(n);
			std::memcpy(cut.data(), &head, sizeof(head));
			CHECK(refusal(cut) != "accepted");
		}
	}
}

TEST_CASE("what is accepted of flipped bits can be described")
{
	const Bytes good = everything();
	for (size_t bit = 0; bit < good.size() * 8; ++bit) {
		Bytes bad = good;
		bad[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
		try {
			ltt::ctf::render_metadata(
				{{}, {}, ltt::ctf::Domain::user, {}, parse(bad).events});
		} catch (const ltt::BadData &) {
		}
	}
	SUCCEED(); // a sanitizer watches
}

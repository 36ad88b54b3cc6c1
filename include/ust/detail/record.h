// SPDX-License-Identifier: MIT
//
// Definitions of events, and names of categories, as constants: the records of
// ust/definition.h that lie in the section "ust_events".
#ifndef UST_DETAIL_RECORD_H
#define UST_DETAIL_RECORD_H

#include "fields.h"
#include "section.h"

#include <cstddef>

UST_DETAIL_BEGIN

// Records of ust/definition.h whose strings have a size.
template <std::size_t Size>
struct definition_record {
	std::uint32_t magic;
	std::uint32_t size;
	std::uint32_t filter;
	std::uint16_t id;
	std::uint8_t level;
	std::uint8_t n_fields;
	char strings[Size];
};
static_assert(
	offsetof(definition_record<8>, strings) == sizeof(ust_definition) &&
		offsetof(definition_record<8>, filter) == offsetof(ust_definition, filter) &&
		offsetof(definition_record<8>, id) == offsetof(ust_definition, id) &&
		offsetof(definition_record<8>, level) == offsetof(ust_definition, level) &&
		offsetof(definition_record<8>, n_fields) == offsetof(ust_definition, n_fields),
	"a record is a struct ust_definition");

template <std::size_t Size>
struct category_record {
	std::uint32_t magic;
	std::uint32_t size;
	std::uint32_t filter;
	std::uint32_t reserved;
	char strings[Size];
};
static_assert(offsetof(category_record<8>, strings) == sizeof(ust_category_record) &&
		      offsetof(category_record<8>, filter) == offsetof(ust_category_record, filter),
	"a record is a struct ust_category_record");

constexpr std::size_t round_up(std::size_t size) noexcept
{
	return (size + 7) / 8 * 8;
}

// What may stand between the filter of an event and its fields, in any order.
struct attributes {
	std::uint8_t level = UST_LEVEL_INFO;
	const char *doc = "";
	unsigned levels = 0, docs = 0;
};

constexpr void add_attribute(attributes &all, ust_level level) noexcept
{
	all.level = static_cast<std::uint8_t>(level);
	++all.levels;
}

constexpr void add_attribute(attributes &all, const char *doc) noexcept
{
	all.doc = doc;
	++all.docs;
}

template <class Other>
constexpr void add_attribute(attributes &all, const Other &) noexcept
{
	all.levels += 2;
}

// The first is the 0 that each list begins with.
template <class... Attributes>
constexpr attributes make_attributes(int, const Attributes &...list) noexcept
{
	attributes all;
	(add_attribute(all, list), ...);
	return all;
}

constexpr std::size_t MOST_DOC = 4095;

constexpr bool good_attributes(const attributes &all) noexcept
{
	return all.levels <= 1 && all.docs <= 1 && length_of(all.doc) <= MOST_DOC;
}

// names are the names of fields, each with its NUL.
constexpr bool unique_names(const char *names, std::size_t count) noexcept
{
	const char *one = names;
	for (std::size_t i = 0; i < count; ++i) {
		const char *other = names;
		for (std::size_t k = 0; k < i; ++k) {
			if (same_string(one, other))
				return false;
			other += length_of(other) + 1;
		}
		one += length_of(one) + 1;
	}
	return true;
}

constexpr const char *put_name(byte_writer &writer, const char *name) noexcept
{
	const std::size_t size = length_of(name) + 1;
	writer.put(name, size);
	return name + size;
}

// Property of the definition: 1 byte which, 2 bytes of size.
constexpr std::size_t PROPERTY_HEAD = 3;

// names is "provider\0name", and field_names that of each field with its NUL.
template <std::size_t DocSize, ust_role Role, class... Types, std::size_t Names,
	std::size_t FieldNames>
constexpr auto make_definition(fields<Types...>, std::uint32_t filter, const attributes &more,
	const char (&names)[Names], const char (&field_names)[FieldNames]) noexcept
{
	constexpr std::size_t size = Names + FieldNames - 1 +
				     (std::size_t{0} + ... + kind<Types>::code.size) +
				     (DocSize ? PROPERTY_HEAD + DocSize : 0) +
				     (Role != UST_ROLE_NONE ? PROPERTY_HEAD + 1 : 0);
	definition_record<round_up(size)> result{};
	result.magic = UST_DEFINITION_MAGIC;
	result.size = sizeof result;
	result.filter = filter;
	result.level = more.level;
	result.n_fields = static_cast<std::uint8_t>(sizeof...(Types));

	byte_writer writer(result.strings);
	writer.put(names, Names);
	const char *name = field_names;
	((writer.put(kind<Types>::code), name = put_name(writer, name)), ...);
	static_cast<void>(name);
	if (DocSize) {
		writer.put_number(UST_PROPERTY_DOC, 1);
		writer.put_number(DocSize, 2);
		writer.put(more.doc, DocSize);
	}
	if (Role != UST_ROLE_NONE) {
		writer.put_number(UST_PROPERTY_ROLE, 1);
		writer.put_number(1, 2);
		writer.put_number(Role, 1);
	}
	return result;
}

// names is "provider\0name".
template <class Type, std::size_t Names>
constexpr auto make_context(const char (&names)[Names]) noexcept
{
	auto result = make_definition<0, UST_ROLE_NONE>(
		fields<Type>(), 0, make_attributes(0), names, "value\0");
	result.magic = UST_CONTEXT_MAGIC;
	return result;
}

// names is "provider\0name\0documentation".
template <std::size_t Names>
constexpr auto make_category(std::uint32_t filter, const char (&names)[Names]) noexcept
{
	category_record<round_up(Names)> result{};
	result.magic = UST_CATEGORY_MAGIC;
	result.size = sizeof result;
	result.filter = filter;
	byte_writer(result.strings).put(names, Names);
	return result;
}

template <unsigned Bit>
constexpr std::uint32_t filter_bit() noexcept
{
	static_assert(Bit < 32, "UST_BIT: filter bits are 0 to 31");
	return Bit < 32 ? std::uint32_t{1} << (Bit & 31) : 0;
}

UST_DETAIL_END

#endif // UST_DETAIL_RECORD_H

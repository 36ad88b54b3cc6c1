// SPDX-License-Identifier: MIT
//
// The definition of an event as a constant: the record of ust/definition.h that
// UST_EVENT lays down in the section "ust_events".
#ifndef UST_DETAIL_RECORD_H
#define UST_DETAIL_RECORD_H

#include "fields.h"

#include <cstddef>

// UST_DETAIL_IN_SECTION(name): attributes of an inline variable that lies in the
// section of definitions, once in the program however many files define it, and
// is kept by the linker's --gc-sections though nothing may refer to it.
//
// gcc looks up a section by its name alone: all inline variables of one section
// would land in the COMDAT group of the first, and be dropped or doubled with
// it. So the name given to gcc is followed by the rest of the assembler's
// directive, with a group of its own, and a comment sign before what gcc adds.
#if defined(__clang__)
#define UST_DETAIL_IN_SECTION(name) __attribute__((used, retain, section(UST_SECTION), aligned(8)))
#else
#if defined(__x86_64__) || defined(__i386__)
#define UST_DETAIL_COMMENT "#"
#elif defined(__arm__)
#define UST_DETAIL_COMMENT "@"
#else
#define UST_DETAIL_COMMENT "//"
#endif
#define UST_DETAIL_IN_SECTION(name)                                                                \
	__attribute__((used,                                                                       \
		section(UST_SECTION ",\"awGR\",%progbits,ust." name                                \
				    ",comdat " UST_DETAIL_COMMENT),                                \
		aligned(8)))
#endif

UST_DETAIL_BEGIN

// A struct ust_definition whose strings have a size.
template <std::size_t Size>
struct record {
	std::uint32_t magic;
	std::uint32_t size;
	std::uint32_t filter;
	std::uint16_t id;
	std::uint8_t level;
	std::uint8_t n_fields;
	char strings[Size];
};
static_assert(offsetof(record<8>, strings) == sizeof(ust_definition) &&
		      offsetof(record<8>, id) == offsetof(ust_definition, id) &&
		      offsetof(record<8>, level) == offsetof(ust_definition, level) &&
		      offsetof(record<8>, n_fields) == offsetof(ust_definition, n_fields),
	"a record is a struct ust_definition");

// A name is one that C and CTF take: [A-Za-z_][A-Za-z0-9_]*. Returns the
// position after its NUL, or 0.
template <std::size_t Size>
constexpr std::size_t skip_name(const char (&text)[Size], std::size_t at) noexcept
{
	const std::size_t begin = at;
	for (; text[at]; ++at) {
		const char c = text[at];
		const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!letter && !(at > begin && c >= '0' && c <= '9'))
			return 0;
	}
	return at == begin ? 0 : at + 1;
}

// names is "provider\0name\0" and "?field\0" for each field, and the literal's
// own NUL.
template <std::size_t Size>
constexpr bool valid_names(const char (&names)[Size], std::size_t n_fields) noexcept
{
	std::size_t at = skip_name(names, 0);
	at = at ? skip_name(names, at) : 0;
	for (std::size_t i = 0; at && i < n_fields; ++i)
		at = skip_name(names, at + 1);
	return at == Size - 1;
}

template <class... Types, std::size_t Size>
constexpr auto make_record(fields<Types...>, std::uint32_t filter, std::uint8_t level,
	const char (&names)[Size]) noexcept
{
	record<(Size - 1 + 7) / 8 * 8> result{};
	result.magic = UST_DEFINITION_MAGIC;
	result.size = sizeof result;
	result.filter = filter;
	result.level = level;
	result.n_fields = static_cast<std::uint8_t>(sizeof...(Types));
	for (std::size_t i = 0; i < Size - 1; ++i)
		result.strings[i] = names[i];

	std::size_t at = 0;
	for (int strings = 0; strings < 2; ++strings)
		while (names[at++])
			;
	const unsigned types[] = {kind<Types>::type..., 0};
	for (std::size_t i = 0; i < sizeof...(Types); ++i) {
		result.strings[at] = static_cast<char>(types[i]);
		while (names[at++])
			;
	}
	return result;
}

UST_DETAIL_END

#endif // UST_DETAIL_RECORD_H

// SPDX-License-Identifier: MIT
//
// The fields of an event: a list of types, and what is reported for those that
// cannot be traced.
#ifndef UST_DETAIL_FIELDS_H
#define UST_DETAIL_FIELDS_H

#include "kinds/enums.h"
#include "kinds/numbers.h"
#include "kinds/optional.h"
#include "kinds/ranges.h"
#include "kinds/strings.h"
#include "kinds/structures.h"
#include "kinds/times.h"

UST_DETAIL_BEGIN

// One line for each refusal: what is wrong, and what to do.
template <refusal Reason>
constexpr bool check() noexcept
{
	static_assert(Reason != refusal::LONG_DOUBLE,
		"UST: long double is another number on each machine, and readers of traces know "
		"none of more than 64 bits; use double");
	static_assert(Reason != refusal::INT128,
		"UST: integers of a trace have at most 64 bits; use two fields, or an array");
	static_assert(Reason != refusal::WIDE_STRING,
		"UST: strings of a trace are UTF-8; convert the string, or use a sequence such as "
		"std::u16string_view, whose code units are traced as numbers");
	static_assert(Reason != refusal::BYTE_POINTER,
		"UST: a pointer to bytes may be a string or an address; use const char * or "
		"const void *, or ust::span for bytes whose number is known");
	static_assert(Reason != refusal::VECTOR_BOOL,
		"UST: std::vector<bool> has no array of bool inside; use std::vector<char>");
	static_assert(Reason != refusal::EMPTY_ARRAY, "UST: an array has at least one element");
	static_assert(Reason != refusal::ATOMIC_ELEMENTS,
		"UST: elements are copied as a whole, which atomic ones must not be; load them "
		"into an array first");
	static_assert(Reason != refusal::BAD_MEMBERS,
		"UST: a structure has 1 to 64 members, each with a name of its own of the form "
		"[A-Za-z_][A-Za-z0-9_]*");
	static_assert(Reason != refusal::BAD_LABELS,
		"UST: an enumeration has 1 to 65535 labels, each with a name of its own, and ends "
		"ranges where they begin or later");
	static_assert(Reason != refusal::TOO_DEEP,
		"UST: types may stand within each other 8 deep; use fewer structures, sequences "
		"and arrays within each other");
	static_assert(Reason != refusal::NOT_AN_INTEGER,
		"UST: ust::hex, oct, bin and network take an integer type");
	static_assert(Reason != refusal::CLASS,
		"UST: it is not known how this class is traced; use UST_STRUCT, or specialize "
		"ust::field<> for it");
	static_assert(Reason != refusal::OTHER,
		"UST: no field has such a type; docs/markers.md has a table of those it may have");
	return Reason == refusal::NONE;
}

template <class Type>
constexpr refusal why_refused() noexcept
{
	if constexpr (kind<Type>::refused != refusal::NONE)
		return kind<Type>::refused;
	else
		return kind<Type>::depth > UST_MAX_DEPTH ? refusal::TOO_DEEP : refusal::NONE;
}

// Reports the reason if it is not true.
template <class Type>
constexpr bool is_traceable() noexcept
{
	return check<why_refused<Type>()>();
}

template <class... Types>
struct fields {
	static constexpr std::size_t count = sizeof...(Types);
	static constexpr bool supported =
		count <= UST_MAX_FIELDS && ((why_refused<Types>() == refusal::NONE) && ...);
};

// Without the first, which UST_EVENT adds.
template <class First, class... Types>
using fields_after = fields<Types...>;

// Stands after the last argument of each marker, so that a marker without
// arguments is no special case for the preprocessor.
struct end_of_arguments {
};

UST_DETAIL_END

#endif // UST_DETAIL_FIELDS_H

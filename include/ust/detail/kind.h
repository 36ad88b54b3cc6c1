// SPDX-License-Identifier: MIT
//
// The table of kinds of fields: which C++ type is written how. A new kind is a
// line in sort_of(), and a specialization of kind_of<> in a file of kinds/.
//
// kind<Type> of a field has:
//
//	refused		refusal::NONE, or why a field cannot have this type. The rest is
//			there only for NONE.
//	code		the type in the definition: bytes<>, see ust/definition.h
//	object		what an object of this type is in C++
//	value		what the marker hands to the writer, small and trivial
//	captured	what the writer makes of it, once: nothing of it changes any more.
//			size(): bytes in the event
//			put(at, spare): stores them
//			fit(spare): see below
//	least		bytes that a value has at least
//	fixed		whether all values have so many
//	flat		whether objects lie in memory as they lie in the event
//	slack		whether it holds elements that are captured one by one, as they are
//			stored. Others may have changed them since they were measured, so
//			that their sizes add up to something else.
//	takes<Argument>	whether an argument of that type will do
//	from(argument)	its value
//	depth		how many types it is within each other, as definitions count them
//
// spare is for kinds with slack: the bytes that were measured beyond the least.
// fit() cuts a value down to what is left of it, and takes what that needs.
#ifndef UST_DETAIL_KIND_H
#define UST_DETAIL_KIND_H

#include "../definition.h"
#include "../types.h"
#include "bytes.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

UST_DETAIL_BEGIN

enum class refusal {
	NONE,
	LONG_DOUBLE,
	INT128,
	WIDE_STRING,
	BYTE_POINTER,
	VECTOR_BOOL,
	EMPTY_ARRAY,
	ATOMIC_ELEMENTS,
	BAD_MEMBERS,
	BAD_LABELS,
	TOO_DEEP,
	NOT_AN_INTEGER,
	CLASS,
	OTHER
};

enum class sort {
	REFUSED,
	INTEGER,
	FLOATING,
	BOOL,
	CHAR,
	CODE_UNIT,
	POINTER,
	TEXT,
	BOUNDED,
	CHANGED,
	TIME,
	DURATION,
	OPTIONAL,
	ARRAY,
	SEQUENCE,
	PLAIN_ENUM,
	LABELS,
	MEMBERS,
	GET
};

// The type that a field is written as: qualifiers say how an object is reached,
// not what it is.
template <class Type>
struct normal {
	using type = Type;
};
template <class Type>
struct normal<std::atomic<Type>> {
	using type = Type;
};
template <class Type>
using normal_t = typename normal<std::remove_cv_t<std::remove_reference_t<Type>>>::type;

// The value of an argument, which may be atomic.
template <class Argument>
UST_DETAIL_INLINE const Argument &plain(const Argument &argument) noexcept
{
	return argument;
}
template <class Type>
UST_DETAIL_INLINE Type plain(const std::atomic<Type> &argument) noexcept
{
	return argument.load(std::memory_order_relaxed);
}
template <class Type>
UST_DETAIL_INLINE Type plain(const volatile std::atomic<Type> &argument) noexcept
{
	return argument.load(std::memory_order_relaxed);
}

#define UST_DETAIL_HAS(member)                                                                     \
	template <class Type, class = void>                                                        \
	inline constexpr bool has_##member = false;                                                \
	template <class Type>                                                                      \
	inline constexpr bool has_##member<Type, std::void_t<decltype(field<Type>::member)>> =     \
		true;
UST_DETAIL_HAS(labels)
UST_DETAIL_HAS(members)
template <class Type, class = void>
inline constexpr bool has_get = false;
template <class Type>
inline constexpr bool
	has_get<Type, std::void_t<decltype(field<Type>::get(std::declval<const Type &>()))>> = true;
#undef UST_DETAIL_HAS

template <class Type, template <class...> class Template>
inline constexpr bool is_a = false;
template <class... Arguments, template <class...> class Template>
inline constexpr bool is_a<Template<Arguments...>, Template> = true;

template <class Type>
inline constexpr bool is_std_array = false;
template <class Element, std::size_t Size>
inline constexpr bool is_std_array<std::array<Element, Size>> = true;

template <class Type>
inline constexpr bool is_bounded = false;
template <std::size_t Size>
inline constexpr bool is_bounded<bounded<Size>> = true;

template <class Type>
inline constexpr bool is_character = std::is_same_v<Type, char>
#ifdef __cpp_char8_t
				     || std::is_same_v<Type, char8_t>
#endif
	;

// No characters of UTF-8.
template <class Type>
inline constexpr bool is_code_unit =
	std::is_same_v<Type, wchar_t> || std::is_same_v<Type, char16_t> ||
	std::is_same_v<Type, char32_t>;

template <class Type>
inline constexpr bool is_text = false;
template <class Type>
inline constexpr bool is_text<Type *> = is_character<std::remove_const_t<Type>>;
template <class Char, class... More>
inline constexpr bool is_text<std::basic_string<Char, More...>> = is_character<Char>;
template <class Char, class... More>
inline constexpr bool is_text<std::basic_string_view<Char, More...>> = is_character<Char>;

// The type of the elements of something that std::data() and std::size() take;
// void if it is nothing of the kind.
template <class Type, class = void>
struct element {
	using type = void;
};
template <class Type>
struct element<Type, std::void_t<decltype(std::data(std::declval<const Type &>())),
			     decltype(std::size(std::declval<const Type &>()))>> {
	using data = decltype(std::data(std::declval<const Type &>()));
	using type = std::conditional_t<std::is_pointer_v<data>,
		std::remove_cv_t<std::remove_pointer_t<data>>, void>;
};
template <class Type>
struct element<Type[], void> {
	using type = std::remove_cv_t<Type>;
};
template <class Type>
using element_t = typename element<Type>::type;

// Without the extensions of gnu++17 it is no integral type for the library.
template <class Type>
inline constexpr bool is_int128 = false;
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 unsigned_int128;
template <>
inline constexpr bool is_int128<int128> = true;
template <>
inline constexpr bool is_int128<unsigned_int128> = true;
#endif

template <class Type>
inline constexpr bool is_time_point = false;
template <class Duration>
inline constexpr bool is_time_point<std::chrono::time_point<std::chrono::system_clock, Duration>> =
	true;
template <class Duration>
inline constexpr bool is_time_point<std::chrono::time_point<std::chrono::steady_clock, Duration>> =
	true;

template <class Type>
constexpr sort sort_of() noexcept
{
	using Pointed = std::remove_cv_t<std::remove_pointer_t<Type>>;

	if constexpr (has_get<Type>)
		return sort::GET;
	else if constexpr (has_members<Type>)
		return sort::MEMBERS;
	else if constexpr (has_labels<Type>)
		return sort::LABELS;
	else if constexpr (std::is_enum_v<Type>)
		return sort::PLAIN_ENUM;
	else if constexpr (std::is_same_v<Type, bool>)
		return sort::BOOL;
	else if constexpr (is_character<Type>)
		return sort::CHAR;
	else if constexpr (is_code_unit<Type>)
		return sort::CODE_UNIT;
	else if constexpr (std::is_integral_v<Type> && !is_int128<Type>)
		return sort::INTEGER;
	else if constexpr (std::is_same_v<Type, float> || std::is_same_v<Type, double>)
		return sort::FLOATING;
	else if constexpr (is_text<Type>)
		return sort::TEXT;
	else if constexpr (is_bounded<Type>)
		return sort::BOUNDED;
	else if constexpr (is_a<Type, hex> || is_a<Type, oct> || is_a<Type, bin> ||
			   is_a<Type, network>)
		return sort::CHANGED;
	else if constexpr (std::is_pointer_v<Type>)
		return is_code_unit<Pointed> || std::is_same_v<Pointed, unsigned char> ||
				       std::is_same_v<Pointed, signed char>
			       ? sort::REFUSED
			       : sort::POINTER;
	else if constexpr (is_time_point<Type>)
		return sort::TIME;
	else if constexpr (is_a<Type, std::chrono::duration> || std::is_same_v<Type, timespec>)
		return sort::DURATION;
	else if constexpr (is_a<Type, std::optional>)
		return sort::OPTIONAL;
	else if constexpr (std::extent_v<Type> != 0 || is_std_array<Type>)
		return sort::ARRAY;
	else if constexpr (!std::is_void_v<element_t<Type>>)
		return sort::SEQUENCE;
	else
		return sort::REFUSED;
}

template <class Type, sort Sort>
struct kind_of;

template <class Type>
using kind = kind_of<normal_t<Type>, sort_of<normal_t<Type>>()>;

// Why a type is refused that none of the kinds takes.
template <class Type>
constexpr refusal refusal_of() noexcept
{
	using Pointed = std::remove_cv_t<std::remove_pointer_t<Type>>;

	if constexpr (std::is_same_v<Type, long double>)
		return refusal::LONG_DOUBLE;
	else if constexpr (is_int128<Type>)
		return refusal::INT128;
	else if constexpr (std::is_pointer_v<Type> && is_code_unit<Pointed>)
		return refusal::WIDE_STRING;
	else if constexpr (std::is_pointer_v<Type>)
		return refusal::BYTE_POINTER;
	else if constexpr (is_a<Type, std::vector>)
		return refusal::VECTOR_BOOL;
	else if constexpr (std::is_class_v<Type> || std::is_union_v<Type>)
		return refusal::CLASS;
	else
		return refusal::OTHER;
}

template <refusal Reason>
struct refused_kind {
	static constexpr refusal refused = Reason;
};

template <class Type>
struct kind_of<Type, sort::REFUSED> : refused_kind<refusal_of<Type>()> {
};

// Kind, which needs what it is made of, unless Reason tells that there is no such kind.
template <refusal Reason, class Kind>
using unless_refused = std::conditional_t<Reason == refusal::NONE, Kind, refused_kind<Reason>>;

// What most kinds are: a number that lies in the event as in memory.
template <class Number>
struct captured_number {
	UST_DETAIL_INLINE explicit captured_number(Number n) noexcept : number(n) {}
	UST_DETAIL_INLINE static constexpr std::size_t size() noexcept { return sizeof(Number); }
	UST_DETAIL_INLINE void put(char *&at, std::size_t &) const noexcept
	{
		std::memcpy(at, &number, sizeof number);
		at += sizeof number;
	}
	UST_DETAIL_INLINE static void fit(std::size_t &) noexcept {}

	Number number;
};

template <class Type, class Number = Type>
struct number_kind {
	static constexpr refusal refused = refusal::NONE;
	using object = Type;
	using value = Number;
	using captured = captured_number<Number>;
	static constexpr std::size_t least = sizeof(Number);
	static constexpr bool fixed = true, slack = false;
	static constexpr bool flat = sizeof(Type) == sizeof(Number);
	static constexpr std::size_t depth = 1;
	template <class Argument>
	UST_DETAIL_INLINE static Number from(const Argument &argument) noexcept
	{
		return static_cast<Number>(argument);
	}
};

UST_DETAIL_END

#endif // UST_DETAIL_KIND_H

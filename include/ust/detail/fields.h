// SPDX-License-Identifier: MIT
//
// Kinds of fields: which C++ types a field may have, what is written for it,
// and which arguments it takes. A new kind is one specialization of kind<>.
#ifndef UST_DETAIL_FIELDS_H
#define UST_DETAIL_FIELDS_H

#include "../definition.h"
#include "platform.h"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

UST_DETAIL_BEGIN

// A string as a marker carries it: measured once, so that it takes exactly the
// bytes reserved for it even if another thread changes it meanwhile.
struct text {
	const char *data;
	std::size_t size;
};

// What is written for a null pointer.
constexpr text NULL_TEXT = {"(null)", 6};

// In text.size: a C string, or null, that is yet to be measured. That is done
// out of line, to keep the code at the marker small.
constexpr std::size_t NOT_MEASURED = ~std::size_t{0};

template <class Value>
UST_DETAIL_INLINE void measure(Value &) noexcept
{
}

UST_DETAIL_INLINE void measure(text &value) noexcept
{
	if (value.size != NOT_MEASURED)
		return;
	if (value.data)
		value.size = std::strlen(value.data);
	else
		value = NULL_TEXT;
}

UST_DETAIL_INLINE std::size_t size_of(const text &value) noexcept
{
	return value.size + 1;
}

template <class Value>
UST_DETAIL_INLINE std::size_t size_of(const Value &) noexcept
{
	return sizeof(Value);
}

template <class Value>
UST_DETAIL_INLINE void put(char *&at, const Value &value) noexcept
{
	std::memcpy(at, &value, sizeof value);
	at += sizeof value;
}

// A NUL within the string would end it early for the reader, and shift every
// field after it. So each becomes a '?', looked for in the copy, which nobody
// else can change.
UST_DETAIL_INLINE void put(char *&at, const text &value) noexcept
{
	std::memcpy(at, value.data, value.size);
	char *const end = at + value.size;
	*end = '\0';
	while (UST_DETAIL_UNLIKELY((at = static_cast<char *>(std::memchr(at, '\0',
					    static_cast<std::size_t>(end - at) + 1))) != end))
		*at = '?';
	at = end + 1;
}

// kind<Type> of a field: type (enum ust_type), value (what the marker hands
// to the writer), takes<Argument>, and from(argument).
template <class Type, class = void>
struct kind {
	static constexpr bool supported = false;
	static constexpr unsigned type = 0;
};

template <class Type>
inline constexpr bool is_character_code =
	std::is_same_v<Type, wchar_t> || std::is_same_v<Type, char16_t> ||
	std::is_same_v<Type, char32_t>;

template <class Type>
inline constexpr bool is_number =
	std::is_integral_v<Type> &&std::is_same_v<Type, std::remove_cv_t<Type>> &&
	!std::is_same_v<Type, bool> && !std::is_same_v<Type, char> && !is_character_code<Type> &&
	sizeof(Type) <= 8;

// Integers and unscoped enumerations, which convert to them by themselves.
template <class Argument>
inline constexpr bool is_countable = (std::is_integral_v<Argument> && sizeof(Argument) <= 8) ||
				     (std::is_enum_v<Argument> &&
					     std::is_convertible_v<Argument, long long>);

template <class Type>
struct kind<Type, std::enable_if_t<is_number<Type>>> {
	static constexpr bool supported = true;
	static constexpr unsigned size_index = sizeof(Type) == 1   ? 0
					       : sizeof(Type) == 2 ? 1
					       : sizeof(Type) == 4 ? 2
								   : 3;
	static constexpr unsigned type =
		(std::is_signed_v<Type> ? UST_TYPE_I8 : UST_TYPE_U8) + size_index;
	using value = Type;
	template <class Argument>
	static constexpr bool takes = is_countable<Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return static_cast<Type>(argument);
	}
};

template <class Type>
struct kind<Type, std::enable_if_t<std::is_same_v<Type, float> || std::is_same_v<Type, double>>> {
	static_assert(std::numeric_limits<Type>::is_iec559, "a trace holds IEEE 754 numbers");
	static constexpr bool supported = true;
	static constexpr unsigned type = sizeof(Type) == 4 ? UST_TYPE_FLOAT : UST_TYPE_DOUBLE;
	using value = Type;
	template <class Argument>
	static constexpr bool takes = std::is_floating_point_v<Argument> || is_countable<Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return static_cast<Type>(argument);
	}
};

template <>
struct kind<bool> {
	static constexpr bool supported = true;
	static constexpr unsigned type = UST_TYPE_BOOL;
	using value = std::uint8_t;
	template <class Argument>
	static constexpr bool takes = is_countable<Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return argument ? 1 : 0;
	}
};

template <>
struct kind<char> {
	static constexpr bool supported = true;
	static constexpr unsigned type = UST_TYPE_CHAR;
	using value = char;
	template <class Argument>
	static constexpr bool takes = is_countable<Argument> && !is_character_code<Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return static_cast<char>(argument);
	}
};

template <class Type>
inline constexpr bool is_string =
	std::is_same_v<Type, const char *> || std::is_same_v<Type, char *> ||
	std::is_same_v<Type, std::string> || std::is_same_v<Type, std::string_view>;

template <class Type>
struct kind<Type, std::enable_if_t<is_string<Type>>> {
	static constexpr bool supported = true;
	static constexpr unsigned type = UST_TYPE_STRING;
	using value = text;
	template <class Argument>
	static constexpr bool takes = std::is_convertible_v<const Argument &, const char *> ||
				      std::is_convertible_v<const Argument &, std::string_view>;

	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		if constexpr (std::is_array_v<Argument>) {
			// An array need not have a NUL at its end; it ends there all the same.
			const void *const end = std::memchr(argument, '\0', sizeof argument);
			return {argument, end ? static_cast<std::size_t>(
							static_cast<const char *>(end) - argument)
					      : sizeof argument};
		} else if constexpr (std::is_convertible_v<const Argument &, const char *>) {
			return {argument, NOT_MEASURED};
		} else {
			const std::string_view string = argument;
			// An empty view may have no address, which memcpy() must not get.
			return {string.empty() ? "" : string.data(), string.size()};
		}
	}
};

// Stands after the last argument of each marker, so that a marker without
// arguments is no special case for the preprocessor. Takes no bytes.
struct end_of_arguments {
};

UST_DETAIL_INLINE std::size_t size_of(const end_of_arguments &) noexcept
{
	return 0;
}

UST_DETAIL_INLINE void put(char *&, const end_of_arguments &) noexcept {}

template <>
struct kind<end_of_arguments> {
	static constexpr bool supported = false; // as a field
	using value = end_of_arguments;
	template <class Argument>
	static constexpr bool takes = std::is_same_v<Argument, end_of_arguments>;
	UST_DETAIL_INLINE static value from(const end_of_arguments &end) noexcept { return end; }
};

// What is reported for a field or an argument that is not supported.
template <class Type>
constexpr bool check_field() noexcept
{
	static_assert(kind<Type>::supported,
		"UST_EVENT: a field has a type that cannot be traced; integers of 8 to 64 "
		"bits, float, double, bool, char, const char *, std::string and "
		"std::string_view can");
	return kind<Type>::supported;
}

template <class... Types>
struct fields {
	static constexpr std::size_t count = sizeof...(Types);
	static_assert(count <= UST_MAX_FIELDS, "UST_EVENT: an event has at most 64 fields");
	static constexpr bool supported =
		(check_field<Types>() && ... && (count <= UST_MAX_FIELDS));
};

// Without the first, which UST_EVENT adds.
template <class First, class... Types>
using fields_after = fields<Types...>;

template <unsigned Bit>
constexpr std::uint32_t filter_bit() noexcept
{
	static_assert(Bit < 32, "UST_BIT: filter bits are 0 to 31");
	return Bit < 32 ? std::uint32_t{1} << (Bit & 31) : 0;
}

UST_DETAIL_END

#endif // UST_DETAIL_FIELDS_H

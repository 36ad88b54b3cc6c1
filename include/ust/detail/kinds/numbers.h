// SPDX-License-Identifier: MIT
//
// Fields that are one number: integers, in any base and byte order, floating
// point numbers, bool, characters, addresses.
#ifndef UST_DETAIL_KINDS_NUMBERS_H
#define UST_DETAIL_KINDS_NUMBERS_H

#include "../kind.h"

UST_DETAIL_BEGIN

// Integers and unscoped enumerations, which convert to them by themselves.
template <class Argument>
inline constexpr bool is_countable = (std::is_integral_v<Argument> && sizeof(Argument) <= 8) ||
				     (std::is_enum_v<Argument> &&
					     std::is_convertible_v<Argument, long long>);

template <class Integer>
constexpr unsigned integer_code() noexcept
{
	return (std::is_signed_v<Integer> ? UST_TYPE_I8 : UST_TYPE_U8) +
	       (sizeof(Integer) == 1	      ? 0
		       : sizeof(Integer) == 2 ? 1
		       : sizeof(Integer) == 4 ? 2
					      : 3);
}

template <class Type>
struct kind_of<Type, sort::INTEGER> : number_kind<Type> {
	static constexpr auto code = make_bytes(integer_code<Type>());
	template <class Argument>
	static constexpr bool takes = is_countable<Argument>;
};

template <class Type>
struct kind_of<Type, sort::FLOATING> : number_kind<Type> {
	static_assert(std::numeric_limits<Type>::is_iec559, "a trace holds IEEE 754 numbers");
	static constexpr auto code =
		make_bytes(sizeof(Type) == 4 ? UST_TYPE_FLOAT : UST_TYPE_DOUBLE);
	template <class Argument>
	static constexpr bool takes = std::is_floating_point_v<Argument> || is_countable<Argument>;
};

template <class Type>
struct kind_of<Type, sort::BOOL> : number_kind<Type, std::uint8_t> {
	static constexpr auto code = make_bytes(UST_TYPE_BOOL);
	template <class Argument>
	static constexpr bool takes = is_countable<Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static std::uint8_t from(const Argument &argument) noexcept
	{
		return argument ? 1 : 0;
	}
};

template <class Type>
struct kind_of<Type, sort::CHAR> : number_kind<Type> {
	static constexpr auto code = make_bytes(UST_TYPE_CHAR);
	template <class Argument>
	static constexpr bool takes = is_countable<Argument> && !is_code_unit<Argument>;
};

// wchar_t, char16_t and char32_t. A trace has characters of UTF-8 only, and
// conversion would cost time and may fail, so that they are kept as the numbers
// that they are, and shown in hexadecimal as Unicode is.
template <class Type>
struct kind_of<Type, sort::CODE_UNIT> : number_kind<Type> {
	static constexpr auto code =
		make_bytes(sizeof(Type) == 2 ? UST_TYPE_CHAR16 : UST_TYPE_CHAR32);
	template <class Argument>
	static constexpr bool takes = is_code_unit<Argument> || std::is_same_v<Argument, char>;
};

template <class Type>
struct kind_of<Type, sort::POINTER> : number_kind<Type, std::uint64_t> {
	static constexpr auto code = make_bytes(UST_TYPE_POINTER);
	template <class Argument>
	static constexpr bool takes = std::is_pointer_v<std::decay_t<Argument>> ||
				      std::is_null_pointer_v<std::remove_cv_t<Argument>>;
	template <class Argument>
	UST_DETAIL_INLINE static std::uint64_t from(const Argument &argument) noexcept
	{
		if constexpr (std::is_null_pointer_v<std::remove_cv_t<Argument>>)
			return 0;
		else if constexpr (std::is_function_v<Argument>)
			return reinterpret_cast<std::uintptr_t>(&argument);
		else
			return reinterpret_cast<std::uintptr_t>(
				static_cast<std::decay_t<Argument>>(argument));
	}
};

// ust::hex, oct, bin and network.
template <class Type, template <class> class Changed>
struct changed_kind : kind<Type> {
	static constexpr unsigned change = is_a<Changed<Type>, hex>   ? UST_TYPE_BASE_16
					   : is_a<Changed<Type>, oct> ? UST_TYPE_BASE_8
					   : is_a<Changed<Type>, bin> ? UST_TYPE_BASE_2
								      : UST_TYPE_NETWORK;
	static constexpr auto code = join(make_bytes(change), kind<Type>::code);
	static constexpr std::size_t depth = kind<Type>::depth + 1;
};

template <class Type>
constexpr refusal refusal_of_change() noexcept
{
	constexpr sort inner = sort_of<normal_t<Type>>();
	if constexpr (inner == sort::CHANGED)
		return kind<Type>::refused;
	else
		return inner == sort::INTEGER ? refusal::NONE : refusal::NOT_AN_INTEGER;
}

template <class Type, template <class> class Changed>
struct kind_of<Changed<Type>, sort::CHANGED>
	: unless_refused<refusal_of_change<Type>(), changed_kind<Type, Changed>> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_NUMBERS_H

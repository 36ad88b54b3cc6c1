// SPDX-License-Identifier: MIT
//
// Fields that are many of a kind: arrays, whose size is part of their type, and
// sequences, which bring it along: std::vector, std::span, ust::span, T[], and
// whatever else std::data() and std::size() take.
#ifndef UST_DETAIL_KINDS_RANGES_H
#define UST_DETAIL_KINDS_RANGES_H

#include "../kind.h"

UST_DETAIL_BEGIN

template <class Type>
inline constexpr std::size_t extent_of = std::extent_v<Type>;
template <class Element, std::size_t Size>
inline constexpr std::size_t extent_of<std::array<Element, Size>> = Size;

template <class Type>
inline constexpr bool is_atomic = !std::is_same_v<normal_t<Type>, std::remove_cv_t<Type>>;

// Objects of a type of C++ lie in a row as those of the field: they are of its
// type, or numbers of the same kind, such as long and long long.
template <class Kind, class Object>
constexpr bool lies_like() noexcept
{
	if constexpr (std::is_same_v<Object, typename Kind::object>)
		return true;
	else if constexpr (is_atomic<Object> || sort_of<Object>() != sort::INTEGER || !Kind::flat ||
			   Kind::least != sizeof(Object))
		return false;
	else
		return sort_of<typename Kind::object>() == sort::INTEGER &&
		       std::is_signed_v<Object> == std::is_signed_v<typename Kind::object>;
}

template <class Element>
constexpr refusal refusal_of_elements(std::size_t count = 1) noexcept
{
	return !count		    ? refusal::EMPTY_ARRAY
	       : is_atomic<Element> ? refusal::ATOMIC_ELEMENTS
				    : kind<Element>::refused;
}

template <class Type>
inline constexpr bool is_wide_string = false;
template <class Char, class... More>
inline constexpr bool is_wide_string<std::basic_string<Char, More...>> = true;
template <class Char, class... More>
inline constexpr bool is_wide_string<std::basic_string_view<Char, More...>> = true;

// Elements that are stored one after the other.
template <class Kind>
struct elements {
	using object = typename Kind::object;
	using captured = typename Kind::captured;
	static constexpr bool flat = Kind::flat && Kind::least == sizeof(object);

	UST_DETAIL_INLINE std::size_t size(std::size_t count) const noexcept
	{
		if constexpr (Kind::fixed) {
			return count * Kind::least;
		} else {
			std::size_t result = 0;
			for (std::size_t i = 0; i < count; ++i)
				result += captured(Kind::from(data[i])).size();
			return result;
		}
	}

	UST_DETAIL_INLINE void put(std::size_t count, char *&at, std::size_t &spare) const noexcept
	{
		if constexpr (flat) {
			// An empty range may have no address, which memcpy() must not get.
			if (count)
				std::memcpy(at, data, count * Kind::least);
			at += count * Kind::least;
		} else {
			for (std::size_t i = 0; i < count; ++i) {
				captured each(Kind::from(data[i]));
				if constexpr (!Kind::fixed)
					each.fit(spare);
				each.put(at, spare);
			}
		}
	}

	const object *data;
};

template <class Type>
struct array_kind {
	using each = kind<element_t<Type>>;
	static constexpr std::size_t count = extent_of<Type>;
	static constexpr refusal refused = refusal::NONE;

	static constexpr auto make_code() noexcept
	{
		bytes<5> head = {{UST_TYPE_ARRAY}};
		byte_writer(head.data + 1).put_number(count, 4);
		return join(head, each::code);
	}
	static constexpr auto code = make_code();
	using object = Type;
	using value = elements<each>;

	struct captured {
		UST_DETAIL_INLINE explicit captured(value v) noexcept : m_elements(v) {}
		UST_DETAIL_INLINE std::size_t size() const noexcept
		{
			return m_elements.size(count);
		}
		UST_DETAIL_INLINE void put(char *&at, std::size_t &spare) const noexcept
		{
			m_elements.put(count, at, spare);
		}
		// The least of its elements is part of its own.
		UST_DETAIL_INLINE static void fit(std::size_t &) noexcept {}

	private:
		value m_elements;
	};

	static constexpr std::size_t least = count * each::least, depth = each::depth + 1;
	static constexpr bool fixed = each::fixed, slack = !each::fixed;
	static constexpr bool flat = value::flat && sizeof(Type) == least;

	template <class Argument>
	static constexpr bool takes = extent_of<Argument> ==
				      count &&lies_like<each, element_t<Argument>>();
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return {reinterpret_cast<const typename each::object *>(std::data(argument))};
	}
};

template <class Type>
struct sequence_kind {
	using each = kind<element_t<Type>>;
	static constexpr refusal refused = refusal::NONE;
	static constexpr auto code = join(make_bytes(UST_TYPE_SEQUENCE), each::code);
	using object = Type;

	struct value {
		elements<each> items;
		std::size_t count;
	};

	struct captured {
		UST_DETAIL_INLINE explicit captured(value v) noexcept : m_value(v)
		{
			// No sub-buffer is that large: counted as too big.
			if (UST_DETAIL_UNLIKELY(v.count > UINT32_MAX))
				m_value.count = UINT32_MAX;
		}
		UST_DETAIL_INLINE std::size_t size() const noexcept
		{
			return sizeof(std::uint32_t) + m_value.items.size(m_value.count);
		}
		UST_DETAIL_INLINE void put(char *&at, std::size_t &spare) const noexcept
		{
			const auto count = static_cast<std::uint32_t>(m_value.count);
			std::memcpy(at, &count, sizeof count);
			at += sizeof count;
			m_value.items.put(m_value.count, at, spare);
		}
		UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
		{
			if (m_value.count > spare / each::least)
				m_value.count = spare / each::least;
			spare -= m_value.count * each::least;
		}

	private:
		value m_value;
	};

	static constexpr std::size_t least = sizeof(std::uint32_t), depth = each::depth + 1;
	static constexpr bool fixed = false, flat = false, slack = !each::fixed;

	template <class Argument>
	static constexpr bool takes = lies_like<each, element_t<Argument>>();
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		std::size_t count = std::size(argument);
		// A string ends at its NUL, if it is a literal or another array.
		if constexpr (std::is_array_v<Argument> && is_wide_string<Type>)
			for (std::size_t i = count; i--;)
				if (!argument[i])
					count = i;
		return {{reinterpret_cast<const typename each::object *>(std::data(argument))},
			count};
	}
};

template <class Type>
struct kind_of<Type, sort::ARRAY>
	: unless_refused<refusal_of_elements<element_t<Type>>(extent_of<Type>), array_kind<Type>> {
};
template <class Type>
struct kind_of<Type, sort::SEQUENCE>
	: unless_refused<refusal_of_elements<element_t<Type>>(), sequence_kind<Type>> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_RANGES_H

// SPDX-License-Identifier: MIT
//
// Fields that are strings: const char *, std::string, std::string_view, and
// those with a bound.
#ifndef UST_DETAIL_KINDS_STRINGS_H
#define UST_DETAIL_KINDS_STRINGS_H

#include "../kind.h"
#include "../text.h"

UST_DETAIL_BEGIN

// The bound of strings that have none.
constexpr std::size_t NO_BOUND = ~std::size_t{0} - 1;

// The size without the begin of a character of UTF-8 that ends beyond it.
inline std::size_t without_torn_character(const char *data, std::size_t size) noexcept
{
	for (std::size_t back = 1; back <= 4 && back <= size; ++back) {
		const auto byte = static_cast<unsigned char>(data[size - back]);
		if ((byte & 0xc0) == 0x80)
			continue; // not its first byte
		const std::size_t length = byte >= 0xf0	  ? 4
					   : byte >= 0xe0 ? 3
					   : byte >= 0xc0 ? 2
							  : 1;
		return length > back ? size - back : size;
	}
	return size;
}

template <std::size_t Bound>
struct captured_text {
	UST_DETAIL_INLINE explicit captured_text(ust_text value) noexcept : m_text(value)
	{
		if constexpr (Bound == NO_BOUND) {
			m_text = ust_measure(value);
		} else {
			if (!value.data)
				m_text = ust_null_text();
			else if (value.size == UST_DETAIL_NOT_MEASURED)
				m_text.size = strnlen(value.data, Bound);
			if (m_text.size >= Bound)
				m_text.size = without_torn_character(m_text.data, Bound);
		}
	}
	UST_DETAIL_INLINE std::size_t size() const noexcept { return m_text.size + 1; }

	UST_DETAIL_INLINE void put(char *&at, std::size_t &) const noexcept
	{
		at = ust_put_text(at, m_text);
	}

	UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
	{
		if (m_text.size > spare)
			m_text.size = spare;
		spare -= m_text.size;
	}

private:
	ust_text m_text;
};

template <class Type, std::size_t Bound>
struct text_kind {
	static constexpr refusal refused = refusal::NONE;
	static constexpr auto code = make_bytes(UST_TYPE_STRING);
	using object = Type;
	using value = ust_text;
	using captured = captured_text<Bound>;
	static constexpr std::size_t least = 1, depth = 1;
	static constexpr bool fixed = false, flat = false, slack = false;

	template <class Char, class Argument>
	static constexpr bool is_of =
		std::is_convertible_v<const Argument &, const Char *> ||
		std::is_convertible_v<const Argument &, std::basic_string_view<Char>>;
	template <class Argument>
	static constexpr bool takes = is_of<char, Argument>
#ifdef __cpp_char8_t
				      || is_of<char8_t, Argument>
#endif
		;

	template <class Argument>
	UST_DETAIL_INLINE static ust_text from(const Argument &argument) noexcept
	{
#ifdef __cpp_char8_t
		if constexpr (!is_of<char, Argument>)
			return from_characters<char8_t>(argument);
		else
#endif
			return from_characters<char>(argument);
	}

private:
	template <class Char, class Argument>
	UST_DETAIL_INLINE static ust_text from_characters(const Argument &argument) noexcept
	{
		if constexpr (std::is_array_v<Argument>) {
			// An array need not have a NUL at its end; it ends there all the same.
			const char *const data = reinterpret_cast<const char *>(argument);
			const void *const end = std::memchr(data, '\0', sizeof argument);
			return {data, end ? static_cast<std::size_t>(
						    static_cast<const char *>(end) - data)
					  : sizeof argument};
		} else if constexpr (std::is_convertible_v<const Argument &, const Char *>) {
			const Char *const data = argument;
			return {reinterpret_cast<const char *>(data), UST_DETAIL_NOT_MEASURED};
		} else {
			const std::basic_string_view<Char> view = argument;
			// An empty view may have no address, which memcpy() must not get.
			return {view.empty() ? "" : reinterpret_cast<const char *>(view.data()),
				view.size()};
		}
	}
};

template <class Type>
struct kind_of<Type, sort::TEXT> : text_kind<Type, NO_BOUND> {
};

template <std::size_t Size>
struct kind_of<bounded<Size>, sort::BOUNDED> : text_kind<bounded<Size>, Size> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_STRINGS_H

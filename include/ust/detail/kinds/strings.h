// SPDX-License-Identifier: MIT
//
// Fields that are strings: const char *, std::string, std::string_view, and
// those with a bound. Measured once, so that a string takes exactly the bytes
// reserved for it even if another thread changes it meanwhile.
#ifndef UST_DETAIL_KINDS_STRINGS_H
#define UST_DETAIL_KINDS_STRINGS_H

#include "../kind.h"

UST_DETAIL_BEGIN

struct text {
	const char *data;
	std::size_t size;
};

// What is written for a null pointer.
constexpr text NULL_TEXT = {"(null)", 6};

// In text.size: a C string, or null, that is yet to be measured. That is done
// out of line, to keep the code at the marker small.
constexpr std::size_t NOT_MEASURED = ~std::size_t{0};

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
	UST_DETAIL_INLINE explicit captured_text(text value) noexcept : m_text(value)
	{
		if constexpr (Bound == NO_BOUND) {
			if (value.size != NOT_MEASURED)
				return;
			if (value.data)
				m_text.size = std::strlen(value.data);
			else
				m_text = NULL_TEXT;
		} else {
			if (!value.data)
				m_text = NULL_TEXT;
			else if (value.size == NOT_MEASURED)
				m_text.size = strnlen(value.data, Bound);
			if (m_text.size >= Bound)
				m_text.size = without_torn_character(m_text.data, Bound);
		}
	}
	UST_DETAIL_INLINE std::size_t size() const noexcept { return m_text.size + 1; }

	// A NUL within the string would end it early for the reader, and shift every
	// field after it. So each becomes a '?', looked for in the copy, which nobody
	// else can change.
	UST_DETAIL_INLINE void put(char *&at, std::size_t &) const noexcept
	{
		std::memcpy(at, m_text.data, m_text.size);
		char *const end = at + m_text.size;
		*end = '\0';
		while (UST_DETAIL_UNLIKELY(
			(at = static_cast<char *>(std::memchr(
				 at, '\0', static_cast<std::size_t>(end - at) + 1))) != end))
			*at = '?';
		at = end + 1;
	}

	UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
	{
		if (m_text.size > spare)
			m_text.size = spare;
		spare -= m_text.size;
	}

private:
	text m_text;
};

template <class Type, std::size_t Bound>
struct text_kind {
	static constexpr refusal refused = refusal::NONE;
	static constexpr auto code = make_bytes(UST_TYPE_STRING);
	using object = Type;
	using value = text;
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
	UST_DETAIL_INLINE static text from(const Argument &argument) noexcept
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
	UST_DETAIL_INLINE static text from_characters(const Argument &argument) noexcept
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
			return {reinterpret_cast<const char *>(data), NOT_MEASURED};
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

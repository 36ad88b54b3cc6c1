// SPDX-License-Identifier: MIT
//
// Bytes that are put together at compile time: the types in a definition.
#ifndef UST_DETAIL_BYTES_H
#define UST_DETAIL_BYTES_H

#include "platform.h"

#include <cstddef>
#include <cstdint>

UST_DETAIL_BEGIN

template <std::size_t Size>
struct bytes {
	static constexpr std::size_t size = Size;
	char data[Size];
};

template <class... Bytes>
constexpr bytes<sizeof...(Bytes)> make_bytes(Bytes... values) noexcept
{
	return {{static_cast<char>(values)...}};
}

// Appends to memory that is large enough.
class byte_writer
{
public:
	constexpr explicit byte_writer(char *at) noexcept : m_at(at) {}

	constexpr void put(const char *data, std::size_t size) noexcept
	{
		for (std::size_t i = 0; i < size; ++i)
			m_at[i] = data[i];
		m_at += size;
	}
	template <std::size_t Size>
	constexpr void put(const bytes<Size> &more) noexcept
	{
		put(more.data, Size);
	}
	// The lower bytes of a number, in the order of the machine.
	constexpr void put_number(std::uint64_t number, std::size_t size) noexcept
	{
		for (std::size_t i = 0; i < size; ++i) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			const std::size_t byte = i;
#else
			const std::size_t byte = size - 1 - i;
#endif
			m_at[i] = static_cast<char>(static_cast<unsigned char>(number >> 8 * byte));
		}
		m_at += size;
	}

private:
	char *m_at;
};

template <std::size_t... Sizes>
constexpr bytes<(Sizes + ... + 0)> join(const bytes<Sizes> &...parts) noexcept
{
	bytes<(Sizes + ... + 0)> result{};
	byte_writer writer(result.data);
	(writer.put(parts), ...);
	return result;
}

constexpr std::size_t length_of(const char *string) noexcept
{
	std::size_t length = 0;
	while (string[length])
		++length;
	return length;
}

// A name is one that C and CTF take: [A-Za-z_][A-Za-z0-9_]*.
constexpr bool is_name(const char *text) noexcept
{
	std::size_t length = 0;
	for (; text[length]; ++length) {
		const char c = text[length];
		const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!letter && !(length && c >= '0' && c <= '9'))
			return false;
	}
	return length != 0;
}

// The name of an event may be any text that can stand in a quoted string of CTF's metadata:
// what UST_TRACE gives.
constexpr bool is_text_of_event(const char *text) noexcept
{
	for (const char *at = text; *at; ++at)
		if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
			return false;
	return *text != '\0';
}

constexpr bool same_string(const char *a, const char *b) noexcept
{
	for (; *a && *a == *b; ++a, ++b)
		;
	return *a == *b;
}

UST_DETAIL_END

#endif // UST_DETAIL_BYTES_H

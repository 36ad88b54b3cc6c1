// SPDX-License-Identifier: MIT
// Types of fields as definitions hold them.
#ifndef LTT_TESTS_CTL_TYPES_H
#define LTT_TESTS_CTL_TYPES_H

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <ust/definition.h>

using Bytes = std::vector<uint8_t>;

template <class T>
void put(Bytes &out, const T &value)
{
	const uint8_t *p = reinterpret_cast<const uint8_t *>(&value);
	out.insert(out.end(), p, p + sizeof(value));
}

inline void put_string(Bytes &out, const std::string &s)
{
	out.insert(out.end(), s.begin(), s.end());
	out.push_back(0);
}

inline void append(Bytes &out, const Bytes &more)
{
	out.insert(out.end(), more.begin(), more.end());
}

// The bytes of a type; one that holds no other is its code.
struct TypeBytes {
	TypeBytes(int code) : bytes{static_cast<uint8_t>(code)} {}
	explicit TypeBytes(Bytes b) : bytes(std::move(b)) {}
	Bytes bytes;
};

using Fields = std::vector<std::pair<TypeBytes, std::string>>;

inline Bytes fields_bytes(const Fields &fields)
{
	Bytes out;
	for (const auto &[type, name] : fields) {
		append(out, type.bytes);
		put_string(out, name);
	}
	return out;
}

// code followed by what stands in its brackets.
inline TypeBytes around(int code, const TypeBytes &inner, const Bytes &before = {})
{
	Bytes out{static_cast<uint8_t>(code)};
	append(out, before);
	append(out, inner.bytes);
	return TypeBytes(out);
}

inline TypeBytes array_of(uint32_t count, const TypeBytes &element)
{
	Bytes size;
	put(size, count);
	return around(UST_TYPE_ARRAY, element, size);
}

inline TypeBytes sequence_of(const TypeBytes &element)
{
	return around(UST_TYPE_SEQUENCE, element);
}

inline TypeBytes struct_of(const Fields &members)
{
	Bytes out{UST_TYPE_STRUCT, static_cast<uint8_t>(members.size())};
	append(out, fields_bytes(members));
	return TypeBytes(out);
}

template <class Integer>
struct TestLabel {
	Integer first, last;
	std::string name;
};

template <class Integer>
TypeBytes enum_of(const TypeBytes &integer, const std::vector<TestLabel<Integer>> &labels)
{
	Bytes out{UST_TYPE_ENUM};
	append(out, integer.bytes);
	put(out, static_cast<uint16_t>(labels.size()));
	for (const TestLabel<Integer> &label : labels) {
		put(out, label.first);
		put(out, label.last);
		put_string(out, label.name);
	}
	return TypeBytes(out);
}

#endif

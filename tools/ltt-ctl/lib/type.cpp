// SPDX-License-Identifier: MIT
#include "type.h"

#include <algorithm>

#include <ust/definition.h>

namespace ltt
{

namespace
{

// One line for each type that holds no other: a new one is one line here and one in the
// table of the metadata.
struct Row {
	uint8_t code;
	uint8_t size; // 0: not fixed
	const char *name;
};

constexpr Row rows[] = {
	{UST_TYPE_U8, 1, "u8"},
	{UST_TYPE_U16, 2, "u16"},
	{UST_TYPE_U32, 4, "u32"},
	{UST_TYPE_U64, 8, "u64"},
	{UST_TYPE_I8, 1, "i8"},
	{UST_TYPE_I16, 2, "i16"},
	{UST_TYPE_I32, 4, "i32"},
	{UST_TYPE_I64, 8, "i64"},
	{UST_TYPE_FLOAT, 4, "float"},
	{UST_TYPE_DOUBLE, 8, "double"},
	{UST_TYPE_BOOL, 1, "bool"},
	{UST_TYPE_CHAR, 1, "char"},
	{UST_TYPE_STRING, 0, "string"},
	{UST_TYPE_POINTER, 8, "pointer"},
	{UST_TYPE_CHAR16, 2, "char16"},
	{UST_TYPE_CHAR32, 4, "char32"},
	{UST_TYPE_TIME, 8, "time"},
	{UST_TYPE_MONOTONIC, 8, "monotonic-time"},
	{UST_TYPE_DURATION, 8, "duration"},
};

const Row *find_row(uint8_t code)
{
	for (const Row &row : rows)
		if (row.code == code)
			return &row;
	return nullptr;
}

std::string label_text(const Label &label, bool with_sign)
{
	auto number = [&](uint64_t n) {
		return with_sign ? std::to_string(static_cast<int64_t>(n)) : std::to_string(n);
	};
	std::string s = label.name + "=" + number(label.first);
	return label.first == label.last ? s : s + ".." + number(label.last);
}

} // namespace

bool is_simple(uint8_t code)
{
	return find_row(code);
}

bool is_integer(uint8_t code)
{
	return code >= UST_TYPE_U8 && code <= UST_TYPE_I64;
}

bool is_signed(uint8_t code)
{
	return code >= UST_TYPE_I8 && code <= UST_TYPE_I64;
}

uint64_t fixed_size(const Type &type)
{
	uint64_t size = 0;

	switch (type.code) {
	case UST_TYPE_ENUM:
		return fixed_size(type.element());
	case UST_TYPE_ARRAY:
		// The parser lets no size of a fixed one grow beyond 32 bits.
		return type.count * fixed_size(type.element());
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		return 0;
	case UST_TYPE_STRUCT:
		for (const Field &member : type.members) {
			uint64_t one = fixed_size(member.type);
			if (!one)
				return 0;
			size += one;
		}
		return size;
	default:
		return find_row(type.code)->size;
	}
}

bool needs_slack(const Type &type)
{
	switch (type.code) {
	case UST_TYPE_ARRAY:
	case UST_TYPE_SEQUENCE:
		return !fixed_size(type.element());
	case UST_TYPE_OPTIONAL:
		return needs_slack(type.element());
	case UST_TYPE_STRUCT:
		return std::any_of(type.members.begin(), type.members.end(),
			[](const Field &member) { return needs_slack(member.type); });
	default:
		return false;
	}
}

std::string type_text(const Type &type)
{
	std::string s;

	switch (type.code) {
	case UST_TYPE_ENUM:
		s = "enum " + type_text(type.element()) + "{";
		for (const Label &label : type.labels)
			s += (&label == type.labels.data() ? "" : ", ") +
			     label_text(label, is_signed(type.element().code));
		return s + "}";
	case UST_TYPE_ARRAY:
		return type_text(type.element()) + "[" + std::to_string(type.count) + "]";
	case UST_TYPE_SEQUENCE:
		return type_text(type.element()) + "[]";
	case UST_TYPE_OPTIONAL:
		return "optional<" + type_text(type.element()) + ">";
	case UST_TYPE_STRUCT:
		s = "struct{";
		for (const Field &member : type.members)
			s += (&member == type.members.data() ? "" : ", ") + type_text(member.type) +
			     " " + member.name;
		return s + "}";
	default:
		s = type.base == 16  ? "hex "
		    : type.base == 8 ? "oct "
		    : type.base == 2 ? "bin "
				     : "";
		return s + (type.network ? "network " : "") + find_row(type.code)->name;
	}
}

} // namespace ltt

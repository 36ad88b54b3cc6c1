// SPDX-License-Identifier: MIT
#include "text_values.h"

#include <charconv>
#include <cstdio>

#include <ust/definition.h>

namespace ltt::reader
{

void append_number(std::string &out, uint64_t value, int base)
{
	char digits[64];
	const auto end = std::to_chars(digits, digits + sizeof(digits), value, base).ptr;
	out.append(digits, end);
}

void append_signed(std::string &out, int64_t value)
{
	char digits[24];
	const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
	out.append(digits, end);
}

void append_quoted(std::string &out, std::string_view text)
{
	static const char from_bell[] = "abtnvfr"; // what follows the backslash

	out += '"';
	for (const char c : text) {
		if (c == '\\' || c == '\'' || c == '"' || c == '?') {
			out += '\\';
			out += c;
		} else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
			out += c;
		} else if (c >= '\a' && c <= '\r') {
			out += '\\';
			out += from_bell[c - '\a'];
		} else if (c == '\033') {
			out += "\\e";
		} else {
			char code[8];
			std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(c));
			out += code;
		}
	}
	out += '"';
}

namespace
{

// Negative ones as the bits that they are, as many as their digits show.
uint64_t bits_of(uint64_t value, size_t size, unsigned bits_of_a_digit)
{
	const unsigned bits = 8 * static_cast<unsigned>(size);
	const unsigned shown = (bits + bits_of_a_digit - 1) / bits_of_a_digit * bits_of_a_digit;
	return shown >= 64 ? value : value & ((uint64_t{1} << shown) - 1);
}

void append_hexadecimal(std::string &out, uint64_t value)
{
	out += "0x";
	const size_t from = out.size();
	append_number(out, value, 16);
	for (size_t i = from; i < out.size(); ++i)
		if (out[i] >= 'a')
			out[i] = static_cast<char>(out[i] - 'a' + 'A');
}

void append_binary(std::string &out, uint64_t value, size_t size)
{
	out += "0b";
	for (size_t bit = 8 * size; bit-- > 0;)
		out += value >> bit & 1 ? '1' : '0';
}

int base_of(const Type &type)
{
	switch (type.code) {
	case UST_TYPE_POINTER:
	case UST_TYPE_CHAR16:
	case UST_TYPE_CHAR32:
		return 16;
	default:
		return type.base;
	}
}

} // namespace

void TextValues::structure(const std::vector<Shown> &fields, Bytes bytes)
{
	out_ += '{';
	first_ = true;
	walk_fields(fields, bytes, *this);
	out_ += " }";
}

void TextValues::separate()
{
	out_ += first_ ? " " : ", ";
	first_ = false;
}

void TextValues::field(const Shown &field, uint32_t n)
{
	separate();
	if (!field.length_name.empty()) {
		out_ += field.length_name;
		out_ += " = ";
		append_number(out_, n);
		out_ += ", ";
	}
	out_ += field.name;
	out_ += " = ";
}

void TextValues::element(uint32_t number)
{
	separate();
	out_ += '[';
	append_number(out_, number);
	out_ += "] = ";
}

void TextValues::integer(const Type &type, uint64_t value)
{
	const size_t size = fixed_size(type);

	switch (base_of(type)) {
	case 16:
		append_hexadecimal(out_, bits_of(value, size, 4));
		break;
	case 8:
		out_ += '0';
		append_number(out_, bits_of(value, size, 3), 8);
		break;
	case 2:
		append_binary(out_, value, size);
		break;
	default:
		if (type.code >= UST_TYPE_U8 && type.code <= UST_TYPE_U64)
			append_number(out_, value);
		else
			append_signed(out_, static_cast<int64_t>(value));
	}
}

void TextValues::enumeration(const Type &type, uint64_t value)
{
	size_t labels = 0;

	out_ += "( ";
	for_each_label(type, value, [&](const std::string &label) {
		if (labels++)
			out_ += ", ";
		append_quoted(out_, label);
	});
	out_ += labels ? " : container = " : "<unknown> : container = ";
	integer(type.element(), value);
	out_ += " )";
}

void TextValues::real(double value)
{
	char text[32];
	std::snprintf(text, sizeof(text), "%g", value);
	out_ += text;
}

void TextValues::boolean(uint8_t value)
{
	append_number(out_, value);
}

void TextValues::text(std::string_view value)
{
	append_quoted(out_, value);
}

void TextValues::begin(const Shown &s)
{
	out_ += s.type.code == UST_TYPE_STRUCT ? '{' : '[';
	first_ = true;
}

void TextValues::end(const Shown &s)
{
	out_ += s.type.code == UST_TYPE_STRUCT ? " }" : " ]";
	first_ = false;
}

} // namespace ltt::reader

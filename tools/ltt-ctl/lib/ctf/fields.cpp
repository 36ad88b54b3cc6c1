// SPDX-License-Identifier: MIT
#include "fields.h"

#include <set>

#include <ust/definition.h>

namespace ltt::ctf
{

// "align = 8" throughout: payloads are packed.
const char type_aliases[] = R"(
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 8; align = 8; signed = true; } := i8;
typealias integer { size = 16; align = 8; signed = true; } := i16;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias integer { size = 8; align = 8; signed = true; encoding = UTF8; } := character;
typealias integer { size = 16; align = 8; signed = false; base = 16; } := char16;
typealias integer { size = 32; align = 8; signed = false; base = 16; } := char32;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := pointer;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
)";

std::string quoted(const std::string &s)
{
	std::string q = "\"";
	for (char c : s) {
		if (c == '"' || c == '\\')
			q += '\\';
		// A newline would end the string, other control characters help nobody.
		q += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
	}
	return q + "\"";
}

namespace
{

// The words that no declared name may be: those of TSDL, and the aliases.
bool is_keyword(const std::string &s)
{
	static const char *const keywords[] = {
		"align",
		"callsite",
		"char",
		"clock",
		"const",
		"double",
		"enum",
		"env",
		"event",
		"float",
		"floating_point",
		"int",
		"integer",
		"long",
		"short",
		"signed",
		"stream",
		"string",
		"struct",
		"trace",
		"typealias",
		"typedef",
		"unsigned",
		"variant",
		"void",
		"_Bool",
		"_Complex",
		"_Imaginary",
		"u8",
		"u16",
		"u32",
		"u64",
		"i8",
		"i16",
		"i32",
		"i64",
		"f32",
		"f64",
		"character",
		"char16",
		"char32",
		"pointer",
		"time64",
		"time27",
	};
	for (const char *k : keywords)
		if (s == k)
			return true;
	return false;
}

// What the fields are called in the metadata. Readers strip one underscore from each name:
// with it, a field may be called like a keyword, and one that begins with an underscore
// keeps it.
std::vector<std::string> declared_names(const std::vector<std::string> &fields)
{
	std::vector<std::string> names;
	std::set<std::string> shown, declared;

	for (const std::string &name : fields) {
		// babeltrace2 refuses an event in which a declared name is the same as one that
		// an earlier field is shown by: "_x" then "x", here "__x" then "_x".
		std::string show = name, declare = "_" + show;
		if (shown.count(declare) && show[0] != '_' && !is_keyword(show))
			declare = show;
		while (shown.count(declare) || shown.count(show) || declared.count(declare)) {
			show += '_';
			declare = "_" + show;
		}
		shown.insert(show);
		declared.insert(declare);
		names.push_back(declare);
	}
	return names;
}

// One line for each type that holds no other.
const char *alias_of(uint8_t code)
{
	switch (code) {
	case UST_TYPE_U8:
	case UST_TYPE_BOOL:
		return "u8";
	case UST_TYPE_U16:
		return "u16";
	case UST_TYPE_U32:
		return "u32";
	case UST_TYPE_U64:
		return "u64";
	case UST_TYPE_I8:
		return "i8";
	case UST_TYPE_I16:
		return "i16";
	case UST_TYPE_I32:
		return "i32";
	case UST_TYPE_I64:
	case UST_TYPE_TIME:
	case UST_TYPE_MONOTONIC:
	case UST_TYPE_DURATION:
		return "i64";
	case UST_TYPE_FLOAT:
		return "f32";
	case UST_TYPE_DOUBLE:
		return "f64";
	case UST_TYPE_CHAR:
		return "character";
	case UST_TYPE_CHAR16:
		return "char16";
	case UST_TYPE_CHAR32:
		return "char32";
	case UST_TYPE_POINTER:
		return "pointer";
	default:
		return "string";
	}
}

std::string integer_type(const Type &type)
{
	if (type.base == 10 && !type.network)
		return alias_of(type.code);
	std::string s = "integer { size = " + std::to_string(8 * fixed_size(type)) +
			"; align = 8; signed = " + (is_signed(type.code) ? "true" : "false") + ";";
	if (type.base != 10)
		s += " base = " + std::to_string(type.base) + ";";
	if (type.network)
		s += " byte_order = be;";
	return s + " }";
}

std::string enum_type(const Type &type)
{
	const bool with_sign = is_signed(type.element().code);
	auto number = [&](uint64_t n) {
		return with_sign ? std::to_string(static_cast<int64_t>(n)) : std::to_string(n);
	};
	std::string s = std::string("enum : ") + alias_of(type.element().code) + " {";
	for (const Label &label : type.labels) {
		s += (&label == type.labels.data() ? " " : ", ") + quoted(label.name) + " = " +
		     number(label.first);
		if (label.last != label.first)
			s += " ... " + number(label.last);
	}
	return s + " }";
}

std::string struct_type(const std::vector<Field> &members, unsigned tabs)
{
	std::string s = "struct {\n";
	render_fields(s, members, tabs + 1);
	return s + std::string(tabs, '\t') + "}";
}

std::string element_type(const Type &type, unsigned tabs)
{
	switch (type.code) {
	case UST_TYPE_ENUM:
		return enum_type(type);
	case UST_TYPE_STRUCT:
		return struct_type(type.members, tabs);
	case UST_TYPE_ARRAY:
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		return struct_type(wrapped(type), tabs);
	default:
		return integer_type(type);
	}
}

// With those of the lengths.
std::vector<std::string> all_declared_names(const std::vector<Field> &fields)
{
	std::set<std::string> taken;
	for (const Field &f : fields)
		taken.insert(f.name);
	std::vector<std::string> names;
	for (const Field &f : fields) {
		if (has_length(f.type)) {
			std::string length = f.name + "_length";
			while (!taken.insert(length).second)
				length += '_';
			names.push_back(length);
		}
		names.push_back(f.name);
	}
	return declared_names(names);
}

} // namespace

bool has_length(const Type &type)
{
	return type.code == UST_TYPE_SEQUENCE || type.code == UST_TYPE_OPTIONAL;
}

std::vector<Field> wrapped(const Type &element)
{
	return {{element, "value"}};
}

void render_fields(std::string &s, const std::vector<Field> &fields, unsigned tabs)
{
	const std::vector<std::string> declared = all_declared_names(fields);
	const std::string indent(tabs, '\t');

	auto name = declared.begin();
	for (const Field &f : fields) {
		std::string suffix;
		if (f.type.code == UST_TYPE_ARRAY) {
			suffix = "[" + std::to_string(f.type.count) + "]";
		} else if (has_length(f.type)) {
			// An optional value is a sequence of none or one.
			s += indent + (f.type.code == UST_TYPE_OPTIONAL ? "u8 " : "u32 ") + *name +
			     ";\n";
			suffix = "[" + *name++ + "]";
		}
		s += indent + element_type(suffix.empty() ? f.type : f.type.element(), tabs) + " " +
		     *name++ + suffix + ";\n";
	}
}

std::vector<std::string> shown_names(const std::vector<Field> &fields)
{
	std::vector<std::string> names = all_declared_names(fields);
	for (std::string &name : names)
		if (name[0] == '_')
			name.erase(0, 1);
	return names;
}

} // namespace ltt::ctf

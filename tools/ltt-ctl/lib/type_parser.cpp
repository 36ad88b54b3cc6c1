// SPDX-License-Identifier: MIT
#include "type_parser.h"

#include <algorithm>
#include <set>

#include <ust/definition.h>

namespace ltt
{

namespace
{

// No sub-buffer is larger, so that no event with a larger field exists.
constexpr uint64_t max_fixed_size = uint64_t{1} << 24;

Type parse_type(RecordReader &in, const std::string &owner, unsigned depth);

// A field becomes an identifier in the metadata.
bool is_identifier(const std::string &s)
{
	return !s.empty() && !(s[0] >= '0' && s[0] <= '9') &&
	       std::all_of(s.begin(), s.end(), is_name_character);
}

std::vector<Field> parse_members(
	RecordReader &in, size_t count, const std::string &owner, unsigned depth)
{
	std::vector<Field> fields;
	std::set<std::string> seen;

	for (size_t i = 0; i < count; ++i) {
		size_t where = in.at();
		Field f;
		f.type = parse_type(in, owner, depth);
		f.name = in.string("a field's name");
		if (!is_identifier(f.name))
			bad(where, "a field's name is not an identifier");
		if (!seen.insert(f.name).second)
			bad(where, "two fields of " + owner + " are called " + f.name);
		fields.push_back(std::move(f));
	}
	return fields;
}

std::vector<Label> parse_labels(RecordReader &in, const Type &integer, const std::string &owner)
{
	const size_t size = fixed_size(integer);
	const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
	const bool with_sign = is_signed(integer.code);
	auto value = [&] {
		uint64_t n = in.number(size, "a label's value");
		return with_sign
			       ? static_cast<uint64_t>(static_cast<int64_t>(n << unused) >> unused)
			       : n;
	};
	std::vector<Label> labels;
	std::set<std::string> seen;

	for (uint64_t n = in.number(2, "the number of labels"); n; --n) {
		size_t where = in.at();
		Label label;
		label.first = value();
		label.last = value();
		label.name = in.string("a label");
		if (label.name.empty() || !seen.insert(label.name).second)
			bad(where, "an enumeration of " + owner +
					   " has two labels of one name, or one without");
		if (with_sign ? static_cast<int64_t>(label.last) < static_cast<int64_t>(label.first)
			      : label.last < label.first)
			bad(where,
				"label " + label.name + " of " + owner + " ends before it begins");
		labels.push_back(std::move(label));
	}
	if (labels.empty())
		bad(in.at(), "an enumeration of " + owner + " has no labels");
	return labels;
}

// How an integer is shown, or how it lies.
void change(Type &integer, uint8_t how)
{
	if (how == UST_TYPE_NETWORK)
		integer.network = true;
	else
		integer.base = how == UST_TYPE_BASE_2 ? 2 : how == UST_TYPE_BASE_8 ? 8 : 16;
}

Type parse_type(RecordReader &in, const std::string &owner, unsigned depth)
{
	const size_t where = in.at();
	Type type;

	if (depth == 0)
		bad(where, "types of " + owner + " stand in each other more than " +
				   std::to_string(UST_MAX_DEPTH) + " deep");
	type.code = static_cast<uint8_t>(in.number(1, "a field's type"));
	if (is_simple(type.code))
		return type;
	switch (type.code) {
	case UST_TYPE_BASE_2:
	case UST_TYPE_BASE_8:
	case UST_TYPE_BASE_16:
	case UST_TYPE_NETWORK: {
		Type integer = parse_type(in, owner, depth - 1);
		if (!is_integer(integer.code))
			bad(where, "a base or a byte order is not that of an integer");
		change(integer, type.code);
		return integer;
	}
	case UST_TYPE_ENUM:
		type.inner.push_back(parse_type(in, owner, depth - 1));
		if (!is_integer(type.element().code) || type.element().base != 10 ||
			type.element().network)
			bad(where, "an enumeration is no integer");
		type.labels = parse_labels(in, type.element(), owner);
		break;
	case UST_TYPE_ARRAY:
		type.count = static_cast<uint32_t>(in.number(4, "an array's size"));
		if (!type.count || type.count > max_fixed_size)
			bad(where, "an array of " + std::to_string(type.count) +
					   " elements fits into no event");
		[[fallthrough]];
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		type.inner.push_back(parse_type(in, owner, depth - 1));
		break;
	case UST_TYPE_STRUCT: {
		size_t count = in.number(1, "the number of members");
		if (!count || count > UST_MAX_FIELDS)
			bad(where, "a structure of " + std::to_string(count) +
					   " members is not one of 1 to " +
					   std::to_string(UST_MAX_FIELDS));
		type.members = parse_members(in, count, owner, depth - 1);
		break;
	}
	default:
		bad(where, "field type " + std::to_string(type.code) +
				   " does not exist in this version");
	}
	if (fixed_size(type) > max_fixed_size)
		bad(where, "a field of " + std::to_string(fixed_size(type)) +
				   " bytes fits into no event");
	return type;
}

} // namespace

std::vector<Field> parse_fields(RecordReader &in, size_t count, const std::string &owner)
{
	return parse_members(in, count, owner, UST_MAX_DEPTH);
}

} // namespace ltt

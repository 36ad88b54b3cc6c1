// SPDX-License-Identifier: MIT
#include "definitions.h"

#include <cstring>
#include <set>

#include <ust/definition.h>

#include "error.h"

namespace ltt
{

namespace
{

// One line for each type: a new type is one line here and one in the metadata table.
struct TypeRow {
	uint8_t type;
	uint8_t size; // 0: not fixed
	const char *name;
};

constexpr TypeRow types[] = {
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
};

const TypeRow *find_type(uint8_t type)
{
	for (const TypeRow &row : types)
		if (row.type == type)
			return &row;
	return nullptr;
}

constexpr const char *levels[] = {
	"emerg",
	"alert",
	"crit",
	"err",
	"warning",
	"notice",
	"info",
	"debug-system",
	"debug-program",
	"debug-process",
	"debug-module",
	"debug-unit",
	"debug-function",
	"debug-line",
	"debug",
};
constexpr uint8_t max_level = sizeof(levels) / sizeof(levels[0]) - 1;

[[noreturn]] void bad(size_t offset, const std::string &why)
{
	throw BadData("event definitions, byte " + std::to_string(offset) + ": " + why);
}

bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

// A field becomes an identifier in the metadata.
bool is_identifier(const std::string &s)
{
	if (s.empty() || !is_alpha(s[0]))
		return false;
	for (char c : s)
		if (!is_alpha(c) && !is_digit(c))
			return false;
	return true;
}

// A provider or an event becomes part of a quoted string in the metadata.
bool is_event_name(const std::string &s)
{
	if (s.empty())
		return false;
	for (char c : s)
		if (!is_alpha(c) && !is_digit(c) && !std::strchr(".-:/", c))
			return false;
	return true;
}

constexpr size_t max_name = 255;

// The strings of one record: a cursor that cannot leave it.
class Strings
{
public:
	Strings(const uint8_t *base, size_t from, size_t to) : base_(base), at_(from), end_(to) {}

	uint8_t byte(const char *what)
	{
		if (at_ == end_)
			bad(at_, std::string("the record ends before ") + what);
		return base_[at_++];
	}

	std::string string(const char *what)
	{
		const void *nul = at_ < end_ ? std::memchr(base_ + at_, 0, end_ - at_) : nullptr;
		if (!nul)
			bad(at_, std::string("the record ends inside ") + what);
		size_t length =
			static_cast<size_t>(static_cast<const uint8_t *>(nul) - (base_ + at_));
		if (length > max_name)
			bad(at_, std::string(what) + " is longer than 255 bytes");
		std::string s(reinterpret_cast<const char *>(base_ + at_), length);
		at_ += length + 1;
		return s;
	}

	size_t at() const { return at_; }

	void only_zeros()
	{
		for (; at_ < end_; ++at_)
			if (base_[at_])
				bad(at_, "rubbish after the last field");
	}

private:
	const uint8_t *base_;
	size_t at_;
	size_t end_;
};

Definition parse_one(const uint8_t *data, size_t at, const ust_definition &head)
{
	Strings strings(data, at + offsetof(ust_definition, strings), at + head.size);
	Definition d;

	d.id = head.id;
	d.filter = head.filter;
	d.level = head.level;
	if (d.level > max_level)
		bad(at, "log level " + std::to_string(d.level) + " does not exist");
	if (head.n_fields > UST_MAX_FIELDS)
		bad(at, std::to_string(head.n_fields) + " fields are more than " +
				std::to_string(UST_MAX_FIELDS));
	d.provider = strings.string("the provider's name");
	d.name = strings.string("the event's name");
	if (!is_event_name(d.provider) || !is_event_name(d.name))
		bad(at, "the name of a provider or event is empty or has other characters than "
			"letters, digits and _.-:/");

	std::set<std::string> seen;
	for (unsigned i = 0; i < head.n_fields; ++i) {
		size_t where = strings.at();
		Field f;
		f.type = strings.byte("a field's type");
		if (!find_type(f.type))
			bad(where, "field type " + std::to_string(f.type) + " does not exist");
		f.name = strings.string("a field's name");
		if (!is_identifier(f.name))
			bad(where, "a field's name is not an identifier");
		if (!seen.insert(f.name).second)
			bad(where, "two fields of " + d.full_name() + " are called " + f.name);
		d.fields.push_back(f);
	}
	strings.only_zeros();
	return d;
}

} // namespace

std::string Definition::identity() const
{
	std::string s = full_name();
	s += '\0';
	s += static_cast<char>(level);
	for (const Field &f : fields) {
		s += static_cast<char>(f.type);
		s += f.name;
		s += '\0';
	}
	return s;
}

std::vector<Definition> parse_definitions(const uint8_t *data, size_t size)
{
	std::vector<Definition> all;
	size_t at = 0;

	while (at < size) {
		uint32_t magic;
		if (size - at < sizeof(magic))
			bad(at, "cut off");
		std::memcpy(&magic, data + at, sizeof(magic));
		if (magic == 0) { // padding of the linker
			at += sizeof(magic);
			continue;
		}
		if (magic != UST_DEFINITION_MAGIC)
			bad(at, "not a definition");
		if (at % 8)
			bad(at, "a definition is not aligned to 8 bytes");
		ust_definition head;
		if (size - at < sizeof(head))
			bad(at, "cut off");
		std::memcpy(&head, data + at, sizeof(head));
		if (head.size % 8 || head.size < sizeof(head) || head.size > size - at)
			bad(at, "a size of " + std::to_string(head.size) + " bytes does not fit");
		all.push_back(parse_one(data, at, head));
		at += head.size;
	}
	return all;
}

size_t fixed_size(uint8_t type)
{
	const TypeRow *row = find_type(type);
	return row ? row->size : 0;
}

const char *type_name(uint8_t type)
{
	const TypeRow *row = find_type(type);
	return row ? row->name : "?";
}

const char *level_name(uint8_t level)
{
	return level <= max_level ? levels[level] : "?";
}

} // namespace ltt

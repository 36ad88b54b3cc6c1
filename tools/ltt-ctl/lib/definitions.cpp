// SPDX-License-Identifier: MIT
#include "definitions.h"

#include <cstring>

#include <ust/definition.h>
#include <ust/detail/bytes.h>

#include "record_reader.h"
#include "type_parser.h"

namespace ltt
{

namespace
{

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

using ust::detail::is_name;
using ust::detail::is_text_of_event;
constexpr char not_a_name[] =
	" is empty or has other characters than printable ones of ASCII without \" and \\";

// @what: "a definition".
template <class Head>
Head read_head(const uint8_t *data, size_t at, size_t size, const std::string &what)
{
	Head head;
	if (size < sizeof(head))
		bad(at, what + " of " + std::to_string(size) + " bytes does not fit");
	std::memcpy(&head, data + at, sizeof(head));
	return head;
}

Definition parse_event(const uint8_t *data, size_t at, size_t size)
{
	const auto head = read_head<ust_definition>(data, at, size, "a definition");
	RecordReader in(data, at + offsetof(ust_definition, strings), at + size);
	Definition d;

	d.id = head.id;
	d.filter = head.filter;
	d.level = head.level;
	if (d.level > max_level)
		bad(at, "log level " + std::to_string(d.level) + " does not exist");
	if (head.n_fields > UST_MAX_FIELDS)
		bad(at, std::to_string(head.n_fields) + " fields are more than " +
				std::to_string(UST_MAX_FIELDS));
	d.provider = in.string("the provider's name");
	d.name = in.string("the event's name");
	if (!is_text_of_event(d.provider.c_str()) || !is_text_of_event(d.name.c_str()))
		bad(at, std::string("the name of a provider or event") + not_a_name);

	const size_t begin = in.at();
	d.fields = parse_fields(in, head.n_fields, d.full_name());
	d.layout.assign(reinterpret_cast<const char *>(data + begin), in.at() - begin);
	while (uint8_t property = in.property()) {
		std::string value = in.bytes(in.number(2, "a property's size"), "a property");
		if (property == UST_PROPERTY_DOC)
			d.doc = value;
		else if (property == UST_PROPERTY_ROLE && value.size() == 1)
			d.role = static_cast<uint8_t>(value[0]);
	}
	return d;
}

Definition parse_context(const uint8_t *data, size_t at, size_t size)
{
	Definition d = parse_event(data, at, size);
	const uint64_t bytes = d.fields.size() == 1 ? fixed_size(d.fields[0].type) : 0;

	if (!bytes || bytes > sizeof(uint64_t))
		bad(at, "context " + d.full_name() + " is no value of 1 to 8 bytes");
	if (!is_name(d.provider.c_str()) || !is_name(d.name.c_str()))
		bad(at, "the name of context " + d.full_name() + " is not an identifier");
	d.is_context = true;
	return d;
}

Category parse_category(const uint8_t *data, size_t at, size_t size)
{
	const auto head = read_head<ust_category_record>(data, at, size, "a category");
	RecordReader in(data, at + offsetof(ust_category_record, strings), at + size);
	Category c;

	if (!head.filter || (head.filter & (head.filter - 1)))
		bad(at, "a category is one filter bit");
	c.filter = head.filter;
	std::string provider = in.string("the provider's name");
	std::string name = in.string("the category's name");
	if (!is_text_of_event(provider.c_str()) || !is_text_of_event(name.c_str()))
		bad(at, std::string("the name of a category") + not_a_name);
	c.name = provider + ":" + name;
	c.doc = in.string("the category's documentation");
	in.only_zeros();
	return c;
}

} // namespace

std::string Definition::identity() const
{
	std::string s = full_name();
	s += '\0';
	s += static_cast<char>(level);
	s += is_context ? 'c' : 'e';
	return s + layout;
}

Definitions parse_definitions(const uint8_t *data, size_t size, bool of_kernel)
{
	Definitions all;
	size_t at = 0;

	while (at < size) {
		ust_record head;
		if (size - at < sizeof(head.magic))
			bad(at, "cut off");
		std::memcpy(&head.magic, data + at, sizeof(head.magic));
		if (head.magic == 0) { // padding of the linker
			at += sizeof(head.magic);
			continue;
		}
		if ((head.magic & 0xffffff) != UST_RECORD_MAGIC)
			bad(at, "not a definition");
		if (at % 8)
			bad(at, "a definition is not aligned to 8 bytes");
		if (size - at < sizeof(head))
			bad(at, "cut off");
		std::memcpy(&head, data + at, sizeof(head));
		if (head.size % 8 || head.size < sizeof(head) || head.size > size - at)
			bad(at, "a size of " + std::to_string(head.size) + " bytes does not fit");
		if (head.magic == UST_DEFINITION_MAGIC)
			all.events.push_back(parse_event(data, at, head.size));
		else if (head.magic == UST_CONTEXT_MAGIC)
			all.contexts.push_back(parse_context(data, at, head.size));
		else if (head.magic == UST_CATEGORY_MAGIC)
			all.categories.push_back(parse_category(data, at, head.size));
		at += head.size; // others are of a newer version, and may be left out
	}
	for (Definition &d : all.events)
		d.of_kernel = of_kernel;
	return all;
}

const char *level_name(uint8_t level)
{
	return level <= max_level ? levels[level] : "?";
}

const char *role_name(uint8_t role)
{
	switch (role) {
	case UST_ROLE_SPAN_BEGIN:
		return "span begin";
	case UST_ROLE_SPAN_END:
		return "span end";
	case UST_ROLE_COUNTER:
		return "counter";
	}
	return ""; // of a newer version, too
}

} // namespace ltt

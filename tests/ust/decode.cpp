// SPDX-License-Identifier: MIT
#include "decode.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <ust/definition.h>

namespace
{

class cursor
{
public:
	cursor(const char *at, std::size_t size) : m_at(at), m_end(at + size) {}

	bool at_end() const { return m_at == m_end; }
	std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }

	template <class Value>
	Value take()
	{
		Value value;
		if (left() < sizeof value)
			FAIL("the bytes end within a value");
		std::memcpy(&value, m_at, sizeof value);
		m_at += sizeof value;
		return value;
	}

	std::string take_string()
	{
		const void *nul = std::memchr(m_at, 0, left());
		if (!nul)
			FAIL("the bytes end within a string");
		std::string result(m_at, static_cast<const char *>(nul));
		m_at += result.size() + 1;
		return result;
	}

	// Padding may reach beyond the packet.
	void skip_padding(std::uint64_t size) { m_at += size < left() ? size : left(); }

private:
	const char *m_at, *m_end;
};

std::string value_text(cursor &bytes, unsigned type)
{
	std::ostringstream text;

	switch (type) {
	case UST_TYPE_U8:
		text << +bytes.take<std::uint8_t>();
		break;
	case UST_TYPE_U16:
		text << bytes.take<std::uint16_t>();
		break;
	case UST_TYPE_U32:
		text << bytes.take<std::uint32_t>();
		break;
	case UST_TYPE_U64:
		text << bytes.take<std::uint64_t>();
		break;
	case UST_TYPE_I8:
		text << +bytes.take<std::int8_t>();
		break;
	case UST_TYPE_I16:
		text << bytes.take<std::int16_t>();
		break;
	case UST_TYPE_I32:
		text << bytes.take<std::int32_t>();
		break;
	case UST_TYPE_I64:
		text << bytes.take<std::int64_t>();
		break;
	case UST_TYPE_FLOAT:
		text << bytes.take<float>();
		break;
	case UST_TYPE_DOUBLE:
		text << bytes.take<double>();
		break;
	case UST_TYPE_BOOL: {
		const auto value = bytes.take<std::uint8_t>();
		if (value > 1)
			FAIL("a bool is " << +value);
		text << (value ? "true" : "false");
		break;
	}
	case UST_TYPE_CHAR:
		text << "'" << bytes.take<char>() << "'";
		break;
	case UST_TYPE_STRING:
		text << '"' << bytes.take_string() << '"';
		break;
	case UST_TYPE_POINTER:
		text << "0x" << std::hex << bytes.take<std::uint64_t>();
		break;
	default:
		FAIL("unknown type " << type);
	}
	return text.str();
}

} // namespace

std::map<unsigned, definition> decode_definitions(const std::string &bytes)
{
	std::map<unsigned, definition> result;

	for (std::size_t at = 0; at < bytes.size();) {
		ust_definition head;
		std::uint64_t word;
		std::memcpy(&word, &bytes[at], sizeof word);
		if (!word) { // the linker's padding
			at += sizeof word;
			continue;
		}
		std::memcpy(&head, &bytes[at], sizeof head);
		if ((head.magic != UST_DEFINITION_MAGIC && head.magic != UST_CATEGORY_MAGIC &&
			    head.magic != UST_CONTEXT_MAGIC) ||
			head.size % 8 || head.size < sizeof head || head.size > bytes.size() - at)
			FAIL("no record at " << at);
		at += head.size;
		if (head.magic != UST_DEFINITION_MAGIC)
			continue;
		cursor strings(&bytes[at - head.size + sizeof head], head.size - sizeof head);
		definition d;
		d.provider = strings.take_string();
		d.name = strings.take_string();
		d.filter = head.filter;
		d.level = head.level;
		for (unsigned i = 0; i < head.n_fields; ++i) {
			const auto type = strings.take<std::uint8_t>();
			d.fields.emplace_back(type, strings.take_string());
		}
		while (strings.left() && strings.take<std::uint8_t>() == UST_PROPERTY_DOC) {
			d.doc.assign(strings.take<std::uint16_t>(), 0);
			for (char &c : d.doc)
				c = strings.take<char>();
		}
		if (strings.left() > 6)
			FAIL(d.name << ": " << strings.left() + 1 << " bytes of padding");
		if (!head.id || !result.emplace(head.id, d).second)
			FAIL(d.name << ": id " << head.id << " is zero or taken");
	}
	return result;
}

std::vector<event> decode(const fake::packet &packet)
{
	static const std::map<unsigned, definition> definitions = [] {
		std::map<unsigned, definition> all;
		for (const fake::registration &r : fake::registrations())
			for (const auto &[id, d] : decode_definitions(r.definitions))
				if (!all.emplace(id, d).second)
					FAIL(d.name << ": id " << id << " is taken");
		return all;
	}();
	std::vector<event> result;
	std::uint64_t last = packet.begin & ((std::uint64_t{1} << 48) - 1);
	cursor bytes(packet.bytes.data(), packet.bytes.size());

	while (!bytes.at_end()) {
		const auto header = bytes.take<std::uint64_t>();
		if (!(header & 0xffff)) {
			bytes.skip_padding((header >> 16) - sizeof header);
			continue;
		}
		const auto found = definitions.find(header & 0xffff);
		if (found == definitions.end())
			FAIL("an event with the unknown id " << (header & 0xffff));
		const definition &d = found->second;
		event e{header >> 16, d.provider + ":" + d.name};
		for (const auto &[type, name] : d.fields)
			e.text += " " + name + "=" + value_text(bytes, type);
		if (e.time < last)
			FAIL(e.text << ": time goes back");
		last = e.time;
		result.push_back(std::move(e));
	}
	return result;
}

std::vector<std::string> read_texts(unsigned trace)
{
	std::vector<std::string> result;
	for (const fake::packet &packet : fake::read(trace))
		for (event &e : decode(packet))
			result.push_back(std::move(e.text));
	return result;
}

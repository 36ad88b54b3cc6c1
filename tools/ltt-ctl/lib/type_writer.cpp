// SPDX-License-Identifier: MIT
#include "type_writer.h"

#include <ust/definition.h>

namespace ltt
{

namespace
{

void put_number(std::string &out, uint64_t value, size_t size)
{
	static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower bytes come first");
	out.append(reinterpret_cast<const char *>(&value), size);
}

void put_text(std::string &out, const std::string &text)
{
	out.append(text.c_str(), text.size() + 1);
}

void write_type(std::string &out, const Type &type)
{
	if (type.base != 10)
		out += static_cast<char>(type.base == 2	  ? UST_TYPE_BASE_2
					 : type.base == 8 ? UST_TYPE_BASE_8
							  : UST_TYPE_BASE_16);
	if (type.network)
		out += static_cast<char>(UST_TYPE_NETWORK);
	out += static_cast<char>(type.code);
	switch (type.code) {
	case UST_TYPE_ENUM: {
		const size_t size = fixed_size(type.element());
		write_type(out, type.element());
		put_number(out, type.labels.size(), 2);
		for (const Label &label : type.labels) {
			put_number(out, label.first, size);
			put_number(out, label.last, size);
			put_text(out, label.name);
		}
		break;
	}
	case UST_TYPE_ARRAY:
		put_number(out, type.count, 4);
		[[fallthrough]];
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		write_type(out, type.element());
		break;
	case UST_TYPE_STRUCT:
		out += static_cast<char>(type.members.size());
		write_fields(out, type.members);
		break;
	default: // holds no other
		break;
	}
}

} // namespace

void write_fields(std::string &out, const std::vector<Field> &fields)
{
	for (const Field &f : fields) {
		write_type(out, f.type);
		put_text(out, f.name);
	}
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "shown.h"

#include <ust/definition.h>

#include "../ctf/fields.h"

namespace ltt::reader
{

namespace
{

Shown shown(const Type &type);

Shown shown_element(const Type &type)
{
	switch (type.code) {
	case UST_TYPE_ARRAY:
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL: {
		Shown s;
		s.type.code = UST_TYPE_STRUCT;
		s.inner = shown_fields(ctf::wrapped(type));
		s.wrapper = true;
		return s;
	}
	default:
		return shown(type);
	}
}

Shown shown(const Type &type)
{
	Shown s;

	s.type = type;
	switch (type.code) {
	case UST_TYPE_STRUCT:
		s.inner = shown_fields(type.members);
		break;
	case UST_TYPE_ARRAY:
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		s.inner.push_back(shown_element(type.element()));
		break;
	}
	return s;
}

} // namespace

std::vector<Shown> shown_fields(const std::vector<Field> &fields)
{
	const std::vector<std::string> names = ctf::shown_names(fields);
	std::vector<Shown> all;

	auto name = names.begin();
	for (const Field &f : fields) {
		all.push_back(shown(f.type));
		if (ctf::has_length(f.type))
			all.back().length_name = *name++;
		all.back().name = *name++;
	}
	return all;
}

} // namespace ltt::reader

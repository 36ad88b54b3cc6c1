// SPDX-License-Identifier: MIT
#include "values.h"

#include <cstring>

#include <ust/definition.h>

#include "../ctf/fields.h"
#include "../error.h"

namespace ltt::reader
{

namespace
{

class Walk
{
public:
	Walk(Bytes bytes, Values &values) : in_(bytes), values_(values) {}

	void fields(const std::vector<Shown> &all);

private:
	void value(const Shown &s, uint32_t n);
	void row(const Shown &s, uint32_t n);
	uint64_t integer(const Type &type);
	const uint8_t *take(size_t size);
	template <class T>
	T number()
	{
		T n;
		std::memcpy(&n, take(sizeof(n)), sizeof(n));
		return n;
	}

	Bytes in_;
	Values &values_;
};

const uint8_t *Walk::take(size_t size)
{
	if (size > in_.size)
		throw BadData("a value does not end within the event");
	const uint8_t *at = in_.data;
	in_.data += size;
	in_.size -= size;
	return at;
}

void Walk::fields(const std::vector<Shown> &all)
{
	for (const Shown &s : all) {
		uint32_t n = 0;
		if (s.type.code == UST_TYPE_SEQUENCE)
			n = number<uint32_t>();
		else if (s.type.code == UST_TYPE_OPTIONAL)
			n = number<uint8_t>();
		values_.field(s, n);
		value(s, s.type.code == UST_TYPE_ARRAY ? s.type.count : n);
	}
}

uint64_t Walk::integer(const Type &type)
{
	const size_t size = fixed_size(type);
	uint64_t n = 0;

	std::memcpy(&n, take(size), size);
	const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
	if (type.network)
		n = __builtin_bswap64(n) >> unused;
	const bool with_sign = is_signed(type.code) || type.code == UST_TYPE_TIME ||
			       type.code == UST_TYPE_MONOTONIC || type.code == UST_TYPE_DURATION ||
			       type.code == UST_TYPE_CHAR;
	return with_sign ? static_cast<uint64_t>(static_cast<int64_t>(n << unused) >> unused) : n;
}

void Walk::row(const Shown &s, uint32_t n)
{
	if (s.inner[0].type.code == UST_TYPE_CHAR) {
		const auto *text = reinterpret_cast<const char *>(take(n));
		values_.text({text, strnlen(text, n)});
		return;
	}
	values_.begin(s);
	for (uint32_t i = 0; i < n; ++i) {
		values_.element(i);
		value(s.inner[0], 0);
	}
	values_.end(s);
}

void Walk::value(const Shown &s, uint32_t n)
{
	switch (s.type.code) {
	case UST_TYPE_STRING: {
		const auto *text = reinterpret_cast<const char *>(in_.data);
		const size_t length = strnlen(text, in_.size);
		take(length + 1);
		values_.text({text, length});
		break;
	}
	case UST_TYPE_FLOAT:
		values_.real(number<float>());
		break;
	case UST_TYPE_DOUBLE:
		values_.real(number<double>());
		break;
	case UST_TYPE_BOOL:
		values_.boolean(number<uint8_t>());
		break;
	case UST_TYPE_ENUM:
		values_.enumeration(s.type, integer(s.type.element()));
		break;
	case UST_TYPE_STRUCT:
		values_.begin(s);
		fields(s.inner);
		values_.end(s);
		break;
	case UST_TYPE_ARRAY:
	case UST_TYPE_SEQUENCE:
	case UST_TYPE_OPTIONAL:
		row(s, n);
		break;
	default:
		values_.integer(s.type, integer(s.type));
		break;
	}
}

} // namespace

void walk_fields(const std::vector<Shown> &fields, Bytes bytes, Values &values)
{
	Walk(bytes, values).fields(fields);
}

} // namespace ltt::reader

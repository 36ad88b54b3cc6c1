// SPDX-License-Identifier: MIT
#include "layout.h"

#include <algorithm>
#include <cstring>

#include <ust/definition.h>

namespace ltt
{

Layout::Layout(const std::vector<Field> &fields)
{
	for (const Field &f : fields)
		add(f.type);
	if (steps_.empty())
		add_fixed(0);
	fixed_ = steps_.size() == 1 && steps_[0].op == Op::FIXED;
	slack_ = std::any_of(
		fields.begin(), fields.end(), [](const Field &f) { return needs_slack(f.type); });
}

void Layout::add(const Type &type)
{
	const uint64_t size = fixed_size(type);

	if (size) {
		add_fixed(size);
		return;
	}
	switch (type.code) {
	case UST_TYPE_STRING:
		steps_.push_back({Op::STRING, 0, 0});
		break;
	case UST_TYPE_STRUCT:
		for (const Field &member : type.members)
			add(member.type);
		break;
	case UST_TYPE_SEQUENCE:
		if (uint64_t one = fixed_size(type.element()))
			steps_.push_back({Op::ELEMENTS, static_cast<uint32_t>(one), 0});
		else
			add_around(Op::SEQUENCE, 0, type.element());
		break;
	case UST_TYPE_ARRAY:
		add_around(Op::ARRAY, type.count, type.element());
		break;
	case UST_TYPE_OPTIONAL:
		add_around(Op::OPTIONAL, 0, type.element());
		break;
	}
}

// Joins the fields of fixed size that follow each other. What stands in brackets begins and
// ends with steps of its own.
void Layout::add_fixed(uint64_t size)
{
	constexpr uint64_t most = UINT32_MAX;

	if (steps_.size() > bracket_ && steps_.back().op == Op::FIXED &&
		size <= most - steps_.back().n)
		steps_.back().n += static_cast<uint32_t>(size);
	else
		steps_.push_back({Op::FIXED, static_cast<uint32_t>(size), 0});
}

void Layout::add_around(Op op, uint32_t n, const Type &inner)
{
	const size_t begin = steps_.size();

	steps_.push_back({op, n, 0});
	bracket_ = steps_.size();
	add(inner);
	bracket_ = steps_.size();
	steps_[begin].end = static_cast<uint32_t>(steps_.size());
}

bool Layout::Cursor::skip(uint64_t n)
{
	if (n > room - at)
		return false;
	at += n;
	return true;
}

bool Layout::Cursor::skip_string()
{
	const void *nul = at < room ? std::memchr(data + at, 0, room - at) : nullptr;
	if (!nul)
		return false;
	at = static_cast<size_t>(static_cast<const uint8_t *>(nul) - data) + 1;
	return true;
}

bool Layout::Cursor::take(void *value, size_t size)
{
	const size_t from = at;
	if (!skip(size))
		return false;
	std::memcpy(value, data + from, size);
	return true;
}

bool Layout::walk(size_t from, size_t to, Cursor &c) const
{
	for (size_t i = from; i < to;) {
		const Step &step = steps_[i];
		const size_t next = step.end ? step.end : i + 1;
		uint32_t times = step.n;
		uint8_t there = 0;

		switch (step.op) {
		case Op::FIXED:
			if (!c.skip(step.n))
				return false;
			break;
		case Op::STRING:
			if (!c.skip_string())
				return false;
			break;
		case Op::ELEMENTS:
			if (!c.take(&times, sizeof(times)) || !c.skip(uint64_t{times} * step.n))
				return false;
			break;
		case Op::OPTIONAL:
			if (!c.take(&there, sizeof(there)) || there > 1)
				return false;
			if (there && !walk(i + 1, next, c))
				return false;
			break;
		case Op::SEQUENCE:
			if (!c.take(&times, sizeof(times)))
				return false;
			[[fallthrough]];
		case Op::ARRAY:
			// Each takes a byte at least, so that the room ends it soon.
			for (uint32_t n = 0; n < times; ++n)
				if (!walk(i + 1, next, c))
					return false;
			break;
		}
		i = next;
	}
	return true;
}

bool Layout::measure_all(const uint8_t *data, size_t room, Size &size) const
{
	Cursor c{data, room, 0};
	uint32_t unused = 0;

	if (!walk(0, steps_.size(), c))
		return false;
	size.content = c.at;
	if (slack_ && (!c.take(&unused, sizeof(unused)) || !c.skip(unused)))
		return false;
	size.all = c.at;
	return true;
}

} // namespace ltt

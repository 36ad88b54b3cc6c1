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
		fixed_ = before_;
	const bool slack = std::any_of(
		fields.begin(), fields.end(), [](const Field &f) { return needs_slack(f.type); });
	add_step(slack ? Op::SLACK : Op::END);
}

void Layout::add(const Type &type)
{
	const uint64_t size = fixed_size(type);

	if (size) {
		before_ = static_cast<uint32_t>(std::min(before_ + size, uint64_t{varies}));
		return;
	}
	switch (type.code) {
	case UST_TYPE_STRING:
		add_step(Op::STRING);
		break;
	case UST_TYPE_STRUCT:
		for (const Field &member : type.members)
			add(member.type);
		break;
	case UST_TYPE_SEQUENCE:
		if (uint64_t one = fixed_size(type.element()))
			add_step(Op::ELEMENTS, static_cast<uint32_t>(one));
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

void Layout::add_step(Op op, uint32_t n)
{
	steps_.push_back({before_, op, n, 1});
	before_ = 0;
}

void Layout::add_around(Op op, uint32_t n, const Type &inner)
{
	const size_t begin = steps_.size();

	add_step(op, n);
	add(inner);
	add_step(Op::CLOSE);
	steps_[begin].next = static_cast<uint32_t>(steps_.size() - begin);
}

namespace
{

// nullptr if there is no NUL.
const uint8_t *behind_string(const uint8_t *at, const uint8_t *end)
{
	constexpr uint64_t ones = 0x0101010101010101, tops = ones << 7;
	static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lowest byte is the first");
	// Most strings are short, and a word at a time is faster than a call.
	constexpr size_t words = 6;

	for (size_t n = 0; n < words; ++n) {
		uint64_t word;
		if (static_cast<size_t>(end - at) < sizeof(word))
			break;
		std::memcpy(&word, at, sizeof(word));
		// The lowest bit that is set is the top one of the first byte that is 0.
		if (const uint64_t zeros = (word - ones) & ~word & tops)
			return at + __builtin_ctzll(zeros) / 8 + 1;
		at += sizeof(word);
	}
	const void *nul = std::memchr(at, 0, static_cast<size_t>(end - at));
	return nul ? static_cast<const uint8_t *>(nul) + 1 : nullptr;
}

// A number in front of what it counts; false if there is no room for it.
template <class Number>
bool take(const uint8_t *&at, const uint8_t *end, Number &number)
{
	if (static_cast<size_t>(end - at) < sizeof(number))
		return false;
	std::memcpy(&number, at, sizeof(number));
	at += sizeof(number);
	return true;
}

[[gnu::noinline]] const uint8_t *behind_inner(
	const Layout::Step *step, const uint8_t *at, const uint8_t *end);

// Passes from step to step, up to one that ends them, which is stored. What is behind their
// fields, or nullptr if these do not end within @end.
inline const uint8_t *behind_steps(
	const Layout::Step *step, const uint8_t *at, const uint8_t *end, Layout::Op &last)
{
	using Op = Layout::Op;

	for (;; step += step->next) {
		if (step->before > static_cast<size_t>(end - at))
			return nullptr;
		at += step->before;
		if (step->op == Op::STRING) {
			at = behind_string(at, end);
		} else if (step->op == Op::ELEMENTS) {
			uint32_t count;
			if (!take(at, end, count) ||
				uint64_t{count} * step->n > static_cast<size_t>(end - at))
				return nullptr;
			at += uint64_t{count} * step->n;
		} else if (step->op >= Op::END) {
			last = step->op;
			return at;
		} else {
			at = behind_inner(step, at, end);
		}
		if (!at)
			return nullptr;
	}
}

// The same for one step that has others in it.
const uint8_t *behind_inner(const Layout::Step *step, const uint8_t *at, const uint8_t *end)
{
	uint32_t times = step->n;
	uint8_t there = 0;
	Layout::Op close;

	switch (step->op) {
	case Layout::Op::SEQUENCE:
		if (!take(at, end, times))
			return nullptr;
		break;
	case Layout::Op::OPTIONAL:
		if (!take(at, end, there) || there > 1)
			return nullptr;
		times = there;
		break;
	default:
		break;
	}
	// Each takes a byte at least, so that the room ends it soon.
	for (uint32_t n = 0; n < times && at; ++n)
		at = behind_steps(step + 1, at, end, close);
	return at;
}

} // namespace

Layout::Size Layout::measure(const Step *steps, const uint8_t *data, size_t room)
{
	const uint8_t *const end = data + room;
	Op last = Op::END;
	const uint8_t *at = behind_steps(steps, data, end, last);

	constexpr Size none{SIZE_MAX, SIZE_MAX};

	if (!at)
		return none;
	const auto content = static_cast<size_t>(at - data);
	if (last == Op::END)
		return {content, content};
	uint32_t unused;
	if (!take(at, end, unused) || unused > static_cast<size_t>(end - at))
		return none;
	return {content, static_cast<size_t>(at - data) + unused};
}

size_t Layout::measure_content(const Step *steps, const uint8_t *data, size_t room)
{
	Op last; // whichever it is
	const uint8_t *at = behind_steps(steps, data, data + room, last);

	return at ? static_cast<size_t>(at - data) : SIZE_MAX;
}

} // namespace ltt

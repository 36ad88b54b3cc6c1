// SPDX-License-Identifier: MIT
// How the fields of an event lie in its payload: finds its size without making anything of
// the values.
#ifndef LTT_CTL_LAYOUT_H
#define LTT_CTL_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "type.h"

namespace ltt
{

class Layout
{
public:
	struct Size {
		size_t content; // bytes of the fields
		size_t all;	// with the room that was not needed
	};

	explicit Layout(const std::vector<Field> &fields);

	// Of the payload at @data. False if it does not end within @room, or is none.
	bool measure(const uint8_t *data, size_t room, Size &size) const
	{
		if (fixed_) {
			size.content = size.all = steps_[0].n;
			return size.all <= room;
		}
		return measure_all(data, room, size);
	}

private:
	enum class Op : uint8_t {
		FIXED,	  // n bytes
		STRING,	  // up to a NUL
		ELEMENTS, // a count, and so many times n bytes
		SEQUENCE, // a count, and so many times the steps up to end
		ARRAY,	  // n times the steps up to end
		OPTIONAL, // 0, or 1 and the steps up to end
	};
	struct Step {
		Op op;
		uint32_t n;
		uint32_t end;
	};
	struct Cursor {
		const uint8_t *data;
		size_t room;
		size_t at;

		bool skip(uint64_t n);
		bool skip_string();
		bool take(void *value, size_t size);
	};

	void add(const Type &type);
	void add_fixed(uint64_t size);
	void add_around(Op op, uint32_t n, const Type &inner);
	bool walk(size_t from, size_t to, Cursor &c) const;
	bool measure_all(const uint8_t *data, size_t room, Size &size) const;

	std::vector<Step> steps_;
	size_t bracket_ = 0; // where the last SEQUENCE, ARRAY or OPTIONAL began or ended
	bool fixed_ = false;
	bool slack_ = false;
};

} // namespace ltt

#endif

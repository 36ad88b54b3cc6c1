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
	enum class Op : uint8_t {
		STRING,	  // up to a NUL
		ELEMENTS, // a count, and so many times n bytes
		SEQUENCE, // a count, and so many times the steps up to next
		ARRAY,	  // n times the steps up to next
		OPTIONAL, // 0, or 1 and the steps up to next
		// These end a row of steps.
		END,   // of an event
		SLACK, // of an event: a count, and so many bytes that were not needed
		CLOSE, // of what is in a SEQUENCE, ARRAY or OPTIONAL
	};
	// Bytes of fields whose size is fixed, and one behind them whose size is not.
	struct Step {
		uint32_t before;
		Op op;
		uint32_t n;
		uint32_t next; // steps from this one on
	};
	struct Size {
		size_t content; // bytes of the fields
		size_t all;	// with the room that was not needed
	};
	// More than any packet has room for.
	static constexpr uint32_t varies = UINT32_MAX;

	explicit Layout(const std::vector<Field> &fields);

	// Bytes of each payload, content and all; varies if they are not all the same.
	uint32_t fixed() const { return fixed_; }
	const Step *steps() const { return steps_.data(); }

	// Of the payload at @data. All is more than @room if that does not hold it, or holds none.
	static Size measure(const Step *steps, const uint8_t *data, size_t room);
	// Bytes of the payload at @data on disk, where the room that was not needed is left out.
	// More than @room if that does not hold it, or holds none.
	static size_t measure_content(const Step *steps, const uint8_t *data, size_t room);

private:
	void add(const Type &type);
	void add_step(Op op, uint32_t n = 0);
	void add_around(Op op, uint32_t n, const Type &inner);

	std::vector<Step> steps_;
	uint32_t before_ = 0; // bytes of fixed size since the last step
	uint32_t fixed_ = varies;
};

} // namespace ltt

#endif

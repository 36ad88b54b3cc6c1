// SPDX-License-Identifier: MIT
// Goes through the values of an event. Who gets them makes something of them.
#ifndef LTT_CTL_READER_VALUES_H
#define LTT_CTL_READER_VALUES_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "events.h"
#include "shown.h"

namespace ltt::reader
{

class Values
{
public:
	virtual ~Values() = default;

	// What follows is the value of this field. @n: elements of a sequence, or 0 or 1 for an
	// optional value; 0 if it is neither.
	virtual void field(const Shown &field, uint32_t n) = 0;
	// What follows is an element of an array, a sequence or an optional value.
	virtual void element(uint32_t number) = 0;

	// Sign-extended if the type is signed.
	virtual void integer(const Type &type, uint64_t value) = 0;
	virtual void enumeration(const Type &type, uint64_t value) = 0;
	virtual void real(double value) = 0;
	virtual void boolean(uint8_t value) = 0;
	// A string, or characters in a row.
	virtual void text(std::string_view value) = 0;
	virtual void begin(const Shown &structure_or_row) = 0;
	virtual void end(const Shown &structure_or_row) = 0;
};

// Of fields that the layout has measured: @bytes is what they take. Throws BadData if it is
// not.
void walk_fields(const std::vector<Shown> &fields, Bytes bytes, Values &values);

} // namespace ltt::reader

#endif

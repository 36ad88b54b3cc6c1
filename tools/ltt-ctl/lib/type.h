// SPDX-License-Identifier: MIT
// Types of fields, as definitions describe them (ust/definition.h).
#ifndef LTT_CTL_TYPE_H
#define LTT_CTL_TYPE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ltt
{

struct Field;

// A name for the values from first to last, which are as the integer of the enumeration has
// them: sign-extended if that is signed.
struct Label {
	uint64_t first;
	uint64_t last;
	std::string name;
};

struct Type {
	uint8_t code = 0; // enum ust_type, but for the bases and NETWORK
	// Of integers.
	uint8_t base = 10;
	bool network = false;
	// Of enumerations: the integer; of arrays, sequences and optionals: what they hold.
	std::vector<Type> inner;
	uint32_t count = 0; // of arrays
	std::vector<Label> labels;
	std::vector<Field> members; // of structures

	const Type &element() const { return inner.front(); }
};

struct Field {
	Type type;
	std::string name;
};

bool is_simple(uint8_t code); // holds no other type
bool is_integer(uint8_t code);
bool is_signed(uint8_t code);

// Bytes that each value takes; 0 if that depends on the value.
uint64_t fixed_size(const Type &type);
// Whether events with such a field end with room that was not needed.
bool needs_slack(const Type &type);

// As people write it: "u32", "hex u32", "string[]", "optional<u8[16]>",
// "struct{i32 x, i32 y}", "enum i32{off=0, on=1}".
std::string type_text(const Type &type);

} // namespace ltt

#endif

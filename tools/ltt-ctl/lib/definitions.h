// SPDX-License-Identifier: MIT
// Event definitions, as a process registers them and as an ELF section holds them
// (format: ust/definition.h). The bytes come from programs and are not trusted.
#ifndef LTT_CTL_DEFINITIONS_H
#define LTT_CTL_DEFINITIONS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ltt
{

struct Field {
	uint8_t type; // enum ust_type
	std::string name;

	bool operator==(const Field &o) const { return type == o.type && name == o.name; }
};

struct Definition {
	uint16_t id = 0; // in the header of an event; 0 in a file
	uint32_t filter = 0;
	uint8_t level = 0; // enum ust_level
	std::string provider;
	std::string name;
	std::vector<Field> fields;

	// The name that readers show.
	std::string full_name() const { return provider + ":" + name; }
	// Equal for events that a reader may not tell apart. The filter bits are not part of
	// it: they say who gets the event, not what it is.
	std::string identity() const;
};

// Reads a row of definitions. Throws BadData with the offset and the reason; either all
// of them are right or none is returned.
std::vector<Definition> parse_definitions(const uint8_t *data, size_t size);

// Bytes of a field of this type; 0 for a string, whose size depends on its value.
size_t fixed_size(uint8_t type);

const char *type_name(uint8_t type);   // "u32", "string"
const char *level_name(uint8_t level); // "info"

} // namespace ltt

#endif

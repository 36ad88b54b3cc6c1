// SPDX-License-Identifier: MIT
// Event definitions, as a process registers them and as an ELF section holds them
// (format: ust/definition.h). The bytes come from programs and are not trusted.
#ifndef LTT_CTL_DEFINITIONS_H
#define LTT_CTL_DEFINITIONS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "type.h"

namespace ltt
{

struct Definition {
	uint16_t id = 0; // in the header of an event; 0 in a file
	uint32_t filter = 0;
	uint8_t level = 0; // enum ust_level
	uint8_t role = 0;  // enum ust_role
	std::string provider;
	std::string name;
	std::string doc;
	std::vector<Field> fields;
	std::string layout; // the bytes that describe the fields
	// Of the program's own; its value is the only field, of fixed size.
	bool is_context = false;
	// Of the kernel, whose events have names that stand alone.
	bool of_kernel = false;

	// The name that readers show.
	std::string full_name() const { return of_kernel ? name : provider + ":" + name; }
	// Equal for events that a reader may not tell apart. The filter bits are not part of
	// it: they say who gets the event, not what it is.
	std::string identity() const;
};

// A filter bit with a name of the program's own.
struct Category {
	uint32_t filter = 0;
	std::string name; // with its provider
	std::string doc;
};

struct Definitions {
	std::vector<Definition> events;
	std::vector<Definition> contexts;
	std::vector<Category> categories;
};

// Reads a row of records. Throws BadData with the offset and the reason; either all of them
// are right or none is returned. @of_kernel: they are the kernel's.
Definitions parse_definitions(const uint8_t *data, size_t size, bool of_kernel = false);

const char *level_name(uint8_t level); // "info"
const char *role_name(uint8_t role);   // "counter"; "" for none

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
//
// The ids of events, as markers know them.
#ifndef UST_DETAIL_IDENTITY_H
#define UST_DETAIL_IDENTITY_H

#include "event.h"

UST_DETAIL_C_BEGIN

UST_DETAIL_C_HELPER const char *ust_skip_name(const char *at)
{
	return at + strlen(at) + 1;
}

// Before the first event of a layout: the id that the definition has, if its fields
// are those of the layout, or 0. Only a registered program has ids. Of two definitions
// that two files have for one name, the linker keeps one; a marker must not write the
// fields of the other.
//
// types are those of the layout: of each field 4 bytes of size, and the type as in a
// definition.
UST_DETAIL_C_FUNCTION(ust_find_id)
__attribute__((cold)) uint64_t ust_find_id(struct ust_event *event,
	const struct ust_definition *definition, const char *types, unsigned n_fields)
{
	const char *at = definition->strings;
	const char *const end = (const char *)definition + definition->size;

	if (ust_load(&ust_module_state) != UST_DETAIL_REGISTERED) {
		if (!ust_has_thread_state())
			return 0;
		ust_register_module();
	}
	if (definition->n_fields != n_fields)
		return 0;
	at = ust_skip_name(ust_skip_name(at));
	for (; n_fields; --n_fields) {
		uint32_t size;
		memcpy(&size, types, sizeof size);
		types += sizeof size;
		if ((size_t)(end - at) <= size || memcmp(at, types, size) != 0)
			return 0;
		at = ust_skip_name(at + size);
		types += size;
	}
	const uint64_t id = ust_load(&definition->id);
	ust_store(&event->id, id);
	return id;
}

// The id as known, which is 0 until it was asked for.
UST_DETAIL_C_INLINE uint64_t ust_id_of(struct ust_event *event,
	const struct ust_definition *definition, const char *types, unsigned n_fields)
{
	const uint64_t id = ust_load(&event->id);

	return UST_DETAIL_UNLIKELY(!id) ? ust_find_id(event, definition, types, n_fields) : id;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_IDENTITY_H

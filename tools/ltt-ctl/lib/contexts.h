// SPDX-License-Identifier: MIT
// Contexts: what a trace has with each event besides its fields (LTT_CONTEXT_..., the ABI
// header).
#ifndef LTT_CTL_CONTEXTS_H
#define LTT_CTL_CONTEXTS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ust/detail/abi.h>

namespace ltt
{

struct Context {
	uint32_t bit;
	const char *name;  // as people write it
	const char *field; // in a trace on disk; null: those of the program's own
	uint8_t type;	   // there, enum ust_type; of characters: an array of all the bytes
	size_t size;	   // bytes there, and in the event if it is in that
};

// All of them, in the order of their bits, but vpid, vtid and procname first: that is the
// order on disk.
extern const std::vector<Context> all_contexts;

constexpr uint32_t reader_contexts = LTT_CONTEXT_VPID | LTT_CONTEXT_VTID | LTT_CONTEXT_PROCNAME;

// The mask that names between commas mean; "" is none. Throws Error(misuse) that names the
// word if it is not one of @allowed.
uint32_t parse_contexts(const std::string &text, uint32_t allowed = LTT_CONTEXTS_KNOWN);
std::vector<std::string> context_names(uint32_t mask);
// For helps: "vpid, vtid, ..."
std::string context_words(uint32_t allowed = LTT_CONTEXTS_KNOWN);

} // namespace ltt

#endif

// SPDX-License-Identifier: MIT
//
// Two MB of definitions: records of a kind that this version does not know, and leaves alone.
#include <ust/definition.h>

namespace
{

struct record {
	ust_record head;
	char rest[400000 - sizeof(ust_record)];
};

constexpr ust_record head = {UST_RECORD_MAGIC | '?' << 24, sizeof(record)};

[[gnu::used, gnu::section(UST_SECTION), gnu::aligned(8)]] record records[] = {
	{head, {}}, {head, {}}, {head, {}}, {head, {}}, {head, {}}};

} // namespace

// SPDX-License-Identifier: MIT
// Times of the day, and how people write them.
#ifndef LTT_CTL_READER_TIME_H
#define LTT_CTL_READER_TIME_H

#include <cstdint>
#include <string>

#include "../ctf/metadata.h"

namespace ltt::reader
{

// Of the clock of a trace.
inline uint64_t since_1970(const ctf::Environment &environment, uint64_t ns)
{
	return ns + static_cast<uint64_t>(environment.epoch_offset);
}

// Nanoseconds since 1970 of "10:11:12.5" (on the day of @first, in local time), "2026-01-31
// 10:11:12.5", "+1.5" (seconds from @first on) or "1700000000.5" (seconds since 1970). Throws
// Error(misuse).
uint64_t parse_time(const std::string &text, uint64_t first);
// For helps.
constexpr char time_words[] = "10:11:12.5, '2026-01-31 10:11:12', or +1.5, seconds from the "
			      "begin of the trace on";

} // namespace ltt::reader

#endif

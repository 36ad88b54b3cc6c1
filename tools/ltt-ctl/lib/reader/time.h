// SPDX-License-Identifier: MIT
// Times as people write them.
#ifndef LTT_CTL_READER_TIME_H
#define LTT_CTL_READER_TIME_H

#include <cstdint>
#include <string>

namespace ltt::reader
{

// Nanoseconds since 1970 of "10:11:12.5" (on the day of @first, in local time), "2026-01-31
// 10:11:12.5", "+1.5" (seconds from @first on) or "1700000000.5" (seconds since 1970). Throws
// Error(misuse).
uint64_t parse_time(const std::string &text, uint64_t first);
// For helps.
constexpr char time_words[] = "10:11:12.5, '2026-01-31 10:11:12', or +1.5, seconds from the "
			      "begin of the trace on";

} // namespace ltt::reader

#endif

// SPDX-License-Identifier: MIT
//
// The events that are measured. lttng_events.h has the same for LTTng-UST.
#pragma once

#include <ust/ust.h>

UST_EVENT(bench, number, UST_BIT(0), (std::int32_t, a)(std::uint64_t, b))
UST_EVENT(bench, text, UST_BIT(0), (std::int32_t, a)(const char *, b))
// The trace does not have this bit.
UST_EVENT(bench, off, UST_BIT(1), (std::int32_t, a)(std::uint64_t, b))

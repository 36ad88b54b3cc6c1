/* SPDX-License-Identifier: MIT */
/*
 * The events of events.h for LTTng-UST. lttng.py enables those that begin with on_.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_events.h"

#if !defined(BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bench, on_number,
	LTTNG_UST_TP_ARGS(int32_t, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)))

LTTNG_UST_TRACEPOINT_EVENT(bench, on_text,
	LTTNG_UST_TP_ARGS(int32_t, a, const char *, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, a, a)
		lttng_ust_field_string(b, b)))

LTTNG_UST_TRACEPOINT_EVENT(bench, off,
	LTTNG_UST_TP_ARGS(int32_t, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int32_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)))
/* clang-format on */

#endif /* BENCH_LTTNG_EVENTS_H */

#include <lttng/tracepoint-event.h>

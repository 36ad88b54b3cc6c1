// SPDX-License-Identifier: MIT
//
// Markers: typed events that a program in C++ or C writes into trace buffers owned
// by the kernel.
//
// Needs: C++17 or C11, gcc 12 or clang 14 or later, Boost.Preprocessor, and a kernel
// with CONFIG_LTT. On any other kernel a program runs the same, and its markers
// stay off. Nothing is to be linked; exceptions and RTTI are not used. In C, POSIX has
// to be there: -std=gnu11, or -std=c11 -D_DEFAULT_SOURCE.
//
// Quick start. A header lists the events; any number of files may include it:
//
//	// worker_events.h
//	#pragma once
//	#include <ust/ust.h>
//
//	UST_EVENT(worker, start, UST_BIT(0))
//	UST_EVENT(worker, step, UST_BIT(1), (int, number)(double, value)(std::string_view, what))
//
// and markers write them:
//
//	#include "worker_events.h"
//
//	UST(worker, start);
//	UST(worker, step, i, 0.5 * i, "polish");
//
// Then, as any user: ltt-ctl run -o DIR -- ./program
//
// In C the macros are the same, but for UST_CLASS, UST_STRUCT, UST_ENUM, spans, counters
// and UST_TRACE, which do not compile there. Fields are integers, bool, char, float,
// double, const char * and addresses. A file of events with such fields serves files of
// both languages: they are the same events.
//
// Macros:
//	UST_EVENT(provider, name, filter[, level][, "documentation"][, fields])
//						defines an event
//	UST_CLASS(provider, class, fields)	fields that several events have
//	UST_CLASS_EVENT(provider, class, name, filter[, level][, "documentation"])
//						defines one of these events
//	UST(provider, name[, arguments])	writes it, where a trace wants it
//	UST_TRACE("text"[, "name", value]...)	the same without a definition
//	UST_SPAN_EVENT, UST_SPAN		the begin and the end of a scope
//	UST_COUNTER_EVENT			a number that is drawn as a line
//	UST_ENABLED(provider, name)		true where a trace wants it
//	UST_BIT(n), UST_CATEGORY_NET ...	filter bits: the program's own, 0 to 15, and
//						standard ones (definition.h)
//	UST_CATEGORY(provider, name, n[, "documentation"]), UST_IN(provider, name)
//						names for the program's own
//	UST_STRUCT(type, members), UST_ENUM(type, enumerators)
//						types of the program's own as fields (types.h)
//	UST_VERSION				major * 10000 + minor * 100 + patch
//
// Names: provider, event and field are C identifiers, [A-Za-z_][A-Za-z0-9_]*;
// C++ keywords are fine too, names of macros are not. An event is one provider
// and one name; it is defined once, outside of functions and classes. Public
// names of this library are UST_ macros, UST and namespace ust; namespace
// ust::detail, UST_DETAIL_ macros and what else begins with ust_ are its own.
#ifndef UST_UST_H
#define UST_UST_H

#ifdef __cplusplus
#include "detail/macros.h"
#include "detail/own_context.h"
#include "detail/span.h"
#include "types.h"
#else
#include "detail/c/context.h"
#include "detail/c/macros.h"
#endif

#define UST_VERSION 100 // 0.1.0

// UST_BIT(n): the mask that has only filter bit n. Bits 0 to 15 are the
// program's own; 16 to 31 have names, see UST_CATEGORY_... in definition.h.
// Joined by |:
//
//	UST_EVENT(net, packet, UST_BIT(3) | UST_CATEGORY_NET, (unsigned, length))
//
// A constant expression; a bit past 31 does not compile.
#define UST_BIT(n) UST_DETAIL_FILTER_BIT(n)

// UST_CATEGORY(provider, name, n[, "documentation"]): gives filter bit n, 0 to 15,
// a name, which ltt-ctl shows. UST_IN(provider, name) is the mask. Stands for
//
//	namespace ust_provider_net {
//	inline constexpr std::uint32_t category_noise = UST_BIT(3);
//	inline ust_category_record category_record_noise = { ... }; // in section ust_events
//	}
//
// and costs the bytes of that record, 16 and the texts.
#define UST_CATEGORY(...) UST_DETAIL_CATEGORY(__VA_ARGS__, "", )
#define UST_IN(provider, name) UST_DETAIL_CATEGORY_MASK(provider, name)

// UST_EVENT(provider, name, filter[, level][, "documentation"][, fields]):
// defines an event. The level is one of enum ust_level, UST_LEVEL_INFO if none is
// given; fields is (type, name)(type, name)..., at most 64:
//
//	UST_EVENT(net, reset, UST_CATEGORY_NET, UST_LEVEL_WARNING, "The peer has gone.",
//		(int, reason)(ust::hex<unsigned>, flags))
//
// Stands for
//
//	namespace ust_provider_net {
//	struct event_reset { field types, filter, names; };
//	inline ust_definition definition_reset = { ... };	// in section ust_events
//	}
//
// and costs the bytes of the definition: 16, the names, a byte or a few for each
// type, and the documentation; no code runs. The types of fields are in
// docs/markers.md; ust::field<> in types.h adds the program's own. What is wrong
// with a name, a filter or a field is told with the name of the event.
#define UST_EVENT(provider, name, ...)                                                             \
	UST_DETAIL_CALL(UST_DETAIL_EVENT_, BOOST_PP_VARIADIC_SIZE(__VA_ARGS__))                    \
	(UST_DETAIL_EVENT, provider, name, __VA_ARGS__)

// UST_EVENT_LEVEL(provider, name, filter, level[, fields]): the same; the name
// that was needed for a level once.
#define UST_EVENT_LEVEL(provider, name, ...) UST_EVENT(provider, name, __VA_ARGS__)

// UST_CLASS(provider, class, fields): a class of events, which have the same
// fields and share the code that writes them.
// UST_CLASS_EVENT(provider, class, name, filter[, level][, "documentation"]): one
// of these events.
//
//	UST_CLASS(disk, io, (int, fd)(std::size_t, bytes))
//	UST_CLASS_EVENT(disk, io, read, UST_CATEGORY_STORAGE)
//	UST_CLASS_EVENT(disk, io, write, UST_CATEGORY_STORAGE, "Before the cache is told.")
//	...
//	UST(disk, read, fd, n);
//
// A class costs nothing by itself. Each of its events costs its definition; the
// code out of line, some hundred bytes, is there once for all of them.
#define UST_CLASS(provider, name, fields) UST_DETAIL_CLASS(provider, name, fields)
#define UST_CLASS_EVENT(provider, of, name, ...)                                                   \
	UST_DETAIL_CALL(UST_DETAIL_CLASS_EVENT_, BOOST_PP_VARIADIC_SIZE(__VA_ARGS__))              \
	(provider, of, name, __VA_ARGS__)

// UST_SPAN_EVENT(provider, name, filter[, level][, "documentation"][, fields]): the
// two events of a span, which UST_SPAN writes: name_begin with these fields, and
// name_end with the duration. Stands for
//
//	UST_EVENT(provider, name_begin, filter, level, "documentation", fields)
//	UST_EVENT(provider, name_end, filter, level, "documentation",
//		(std::chrono::nanoseconds, duration))
#define UST_SPAN_EVENT(provider, name, ...)                                                        \
	UST_DETAIL_CALL(UST_DETAIL_EVENT_, BOOST_PP_VARIADIC_SIZE(__VA_ARGS__))                    \
	(UST_DETAIL_SPAN_EVENT, provider, name, __VA_ARGS__)

// UST_COUNTER_EVENT(provider, name, type, filter[, level][, "documentation"]): an
// event with the one field value, a number which holds until the next one. It is an
// event like any other, but those who draw a trace draw it as a line:
//
//	UST_COUNTER_EVENT(pool, free, std::size_t, UST_CATEGORY_MEMORY)
//	...
//	UST(pool, free, pool.size());
#define UST_COUNTER_EVENT(provider, name, type, ...)                                               \
	UST_DETAIL_CALL(UST_DETAIL_EVENT_, BOOST_PP_VARIADIC_SIZE(__VA_ARGS__, type))              \
	(UST_DETAIL_COUNTER_EVENT, provider, name, __VA_ARGS__, (type, value))

// UST_CONTEXT(provider, name, type): a value that each thread sets when it likes, and
// that all its events carry from then on, those of libraries too, in traces that have
// the context app (ltt-ctl create --context app):
//
//	UST_CONTEXT(shop, request, std::uint64_t)
//	...
//	UST_SET_CONTEXT(shop, request, id);
//
// type is an integer, a number with a point, bool, a character, an enumeration or an
// address. Stands for
//
//	namespace ust_provider_shop {
//	inline thread_local std::uint64_t value_of_context_request = 0;
//	inline ust_definition definition_of_context_request = { ... };
//	}
//
// It is defined once, as events are, and costs its definition, and 8 bytes in each
// thread. A thread that has not set it has 0; so have those who are not asked before the
// program has set it anywhere. UST_SET_CONTEXT is a store, and a test whether it is the
// first one; may stand in signal handlers. No value of this program is written anywhere
// before a trace asks for it.
#define UST_CONTEXT(provider, name, ...) UST_DETAIL_CONTEXT(provider, name, __VA_ARGS__)
#define UST_SET_CONTEXT(provider, name, ...) UST_DETAIL_SET_CONTEXT(provider, name, __VA_ARGS__)

// UST(provider, name[, arguments]): a marker. Stands for
//
//	if (gate.mask & filter of the event)			// here, 16 bytes of code
//		write(argument, argument, ...);			// out of line
//
// Off: one load, one test, one branch that is not taken; the arguments are not
// evaluated. On: each argument is evaluated once; the write is a few
// nanoseconds and the reading of the clock, without a system call except when
// a sub-buffer is full. May stand wherever a statement may, in signal handlers
// too; leaves errno alone; threads do not wait for each other. An argument is
// converted to the type of its field as a cast does; a null string is written
// as "(null)". A wrong number of arguments, an argument of another kind than
// its field and an unknown event do not compile.
#define UST(...) UST_DETAIL_MARKER(__VA_ARGS__)

// UST_ENABLED(provider, name): true where UST(provider, name, ...) would
// evaluate its arguments. For work that only the marker needs; costs the same
// test.
#define UST_ENABLED(provider, name) UST_DETAIL_WANTED(provider, name)

// UST_SPAN(provider, name[, arguments]): a declaration; begins a span, which ends
// where its scope is left, also by an exception. Stands for
//
//	UST(provider, name_begin, arguments);
//	auto begin = clock();			// both only where a trace wants name_begin
//	...
//	UST(provider, name_end, clock() - begin);	// only if name_begin was written
//
// Off: the same test as a marker's, and one of the object at the end. On: two events,
// and two more readings of the clock. One of them may stand in a line; not in
// constexpr functions.
#define UST_SPAN(...) UST_DETAIL_SPAN(__VA_ARGS__, ::ust::detail::end_of_arguments())

// Markers without a declaration, for the first hour of debugging:
//
//	UST_TRACE("cache miss", "key", key, "size", entry.size());
//	UST_TRACE_SPAN("load", "file", name);
//	UST_TRACE_COUNTER("queue", queue.size());
//
// The events are trace:cache miss, trace:load_begin and trace:load_end, trace:queue.
// Text and names are string literals; a field has the type of its value (docs/markers.md),
// an array of characters that of a string; 31 values at most. The filter is
// UST_CATEGORY_DEBUG, the level UST_LEVEL_DEBUG, the documentation "file:line". They cost
// what UST, UST_SPAN and UST cost, and each has code of its own out of line. Where there
// is no processor x86-64 they write nothing.
#define UST_TRACE(...)                                                                             \
	UST_DETAIL_TRACE("UST_TRACE(" #__VA_ARGS__ ")", "", ::UST_ROLE_NONE, __VA_ARGS__)
#define UST_TRACE_COUNTER(text, ...)                                                               \
	UST_DETAIL_TRACE("UST_TRACE_COUNTER(" #text ")", "", ::UST_ROLE_COUNTER, text, "value",    \
		(__VA_ARGS__))
#define UST_TRACE_SPAN(...)                                                                        \
	UST_DETAIL_TRACE_SPAN(UST_DETAIL_UNIQUE(ust_begin), UST_DETAIL_UNIQUE(ust_end),            \
		"UST_TRACE_SPAN(" #__VA_ARGS__ ")", __VA_ARGS__)

#endif // UST_UST_H

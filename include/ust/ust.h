// SPDX-License-Identifier: MIT
//
// Markers: typed events that a C++ program writes into trace buffers owned by
// the kernel.
//
// Needs: C++17, gcc 12 or clang 14 or later, Boost.Preprocessor, and a kernel
// with CONFIG_LTT. On any other kernel a program runs the same, and its markers
// stay off. Nothing is to be linked; exceptions and RTTI are not used.
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
// Macros:
//	UST_EVENT(provider, name, filter[, fields])		defines an event
//	UST_EVENT_LEVEL(provider, name, filter, level[, fields])	with a log level
//	UST(provider, name[, arguments])			writes it, where a trace wants it
//	UST_ENABLED(provider, name)				true where a trace wants it
//	UST_BIT(n)						filter bit n, 0 to 31
//	UST_VERSION						major * 10000 + minor * 100 + patch
//
// Names: provider, event and field are C identifiers, [A-Za-z_][A-Za-z0-9_]*;
// C++ keywords are fine too, names of macros are not. An event is one provider
// and one name; it is defined once, outside of functions and classes. Public
// names of this library are UST_ macros, UST and namespace ust; namespace
// ust::detail, UST_DETAIL_ macros and ust_provider_ namespaces are its own.
#ifndef UST_UST_H
#define UST_UST_H

#include "detail/marker.h"
#include "detail/record.h"

#include <boost/preprocessor/control/if.hpp>
#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <boost/preprocessor/seq/for_each_i.hpp>
#include <boost/preprocessor/seq/variadic_seq_to_seq.hpp>
#include <boost/preprocessor/tuple/elem.hpp>

#define UST_VERSION 100 // 0.1.0

// UST_BIT(n): the mask that has only filter bit n. Joined by |:
//
//	UST_EVENT(net, packet, UST_BIT(3) | UST_BIT(7), (unsigned, length))
//
// A constant expression; a bit past 31 does not compile.
#define UST_BIT(n) (::ust::detail::filter_bit<(n)>())

// UST_EVENT(provider, name, filter[, fields]): defines an event with log level
// UST_LEVEL_INFO. fields is (type, name)(type, name)..., at most 64. Stands for
//
//	namespace ust_provider_net {
//	struct event_packet { field types, filter, names; };
//	inline ust_definition definition_packet = { ... };	// in section ust_events
//	}
//
// and costs the bytes of the definition, 16 and the names; no code runs.
// Types: integers of 8 to 64 bits, float, double, bool, char, const char *,
// std::string, std::string_view. Another type, a bad name, a filter without a
// bit and a 65th field do not compile.
#define UST_EVENT(...) UST_DETAIL_EVENT(UST_LEVEL_INFO, __VA_ARGS__, , ~)

// UST_EVENT_LEVEL(provider, name, filter, level[, fields]): the same with one
// of enum ust_level:
//
//	UST_EVENT_LEVEL(net, reset, UST_BIT(3), UST_LEVEL_WARNING, (int, reason))
#define UST_EVENT_LEVEL(...) UST_DETAIL_EVENT_LEVEL(__VA_ARGS__, , ~)

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
#define UST(...) UST_DETAIL_MARKER(__VA_ARGS__, ::ust::detail::end_of_arguments())

// UST_ENABLED(provider, name): true where UST(provider, name, ...) would
// evaluate its arguments. For work that only the marker needs; costs the same
// test.
#define UST_ENABLED(provider, name)                                                                \
	(::ust::detail::wanted<UST_DETAIL_EVENT_TYPE(provider, name)::filter>(::ust::detail::gate))

// ---------------------------------------------------------------------------
// From here on: how it is done.

#define UST_DETAIL_EVENT_TYPE(provider, name) ust_provider_##provider::event_##name

#define UST_DETAIL_MARKER(provider, name, ...)                                                     \
	do {                                                                                       \
		if (!__builtin_is_constant_evaluated() &&                                          \
			UST_DETAIL_UNLIKELY(UST_ENABLED(provider, name)))                          \
			::ust::detail::marker<UST_DETAIL_EVENT_TYPE(provider, name)>::write(       \
				__VA_ARGS__);                                                      \
	} while (false)

// The trailing arguments catch what UST_EVENT adds, because a macro of C++17
// may not be called without any argument for its "...".
#define UST_DETAIL_EVENT_LEVEL(provider, name, filter, level, fields, ...)                         \
	UST_DETAIL_EVENT(level, provider, name, filter, fields, ~)

// A first element makes sure that the sequence of fields is never empty.
#define UST_DETAIL_EVENT(level, provider, name, filter, fields, ...)                               \
	UST_DETAIL_DEFINE(                                                                         \
		level, provider, name, filter, BOOST_PP_VARIADIC_SEQ_TO_SEQ((void, first)fields))

#define UST_DETAIL_DEFINE(level_, provider, name, filter_, fields_)                                \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		struct description_##name {                                                        \
			using fields = ::ust::detail::fields_after<BOOST_PP_SEQ_FOR_EACH_I(        \
				UST_DETAIL_FIELD_TYPE, ~, fields_)>;                               \
			static_assert(                                                             \
				fields::supported, "UST_EVENT: the event cannot be defined");      \
			static constexpr ::std::uint32_t filter = (filter_);                       \
			static_assert(                                                             \
				filter != 0, "UST_EVENT: the filter needs at least one bit");      \
			static constexpr char names[] = #provider                                  \
				"\0" #name                                                         \
				"\0" BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_FIELD_NAME, ~, fields_);   \
			static_assert(::ust::detail::valid_names(names, fields::count),            \
				"UST_EVENT: names of provider, event and fields are "              \
				"[A-Za-z_][A-Za-z0-9_]*; the name of a macro does not serve");     \
			static constexpr auto record =                                             \
				::ust::detail::make_record(fields(), filter, (level_), names);     \
		};                                                                                 \
		UST_DETAIL_IN_SECTION(#provider "." #name)                                         \
		UST_DETAIL_HIDDEN inline auto definition_##name = description_##name::record;      \
		struct event_##name : description_##name {                                         \
			static ::std::uint16_t id() noexcept                                       \
			{                                                                          \
				return ::ust::detail::load(definition_##name.id);                  \
			}                                                                          \
		};                                                                                 \
	}

#define UST_DETAIL_FIELD_TYPE(r, data, i, field) BOOST_PP_COMMA_IF(i) BOOST_PP_TUPLE_ELEM(0, field)

// "?" keeps the place of the type.
#define UST_DETAIL_FIELD_NAME(r, data, i, field)                                                   \
	BOOST_PP_IF(i, UST_DETAIL_FIELD_NAME_TEXT, UST_DETAIL_NO_TEXT)                             \
	(BOOST_PP_TUPLE_ELEM(1, field))
#define UST_DETAIL_FIELD_NAME_TEXT(name) "?" UST_DETAIL_STRING(name) "\0"
#define UST_DETAIL_NO_TEXT(name)
#define UST_DETAIL_STRING(name) #name

#endif // UST_UST_H

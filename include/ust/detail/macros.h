// SPDX-License-Identifier: MIT
//
// What the macros of ust/ust.h consist of in C++; c/macros.h is for C.
#ifndef UST_DETAIL_MACROS_H
#define UST_DETAIL_MACROS_H

#include "arguments.h"
#include "marker.h"
#include "record.h"

#include <boost/preprocessor/punctuation/comma_if.hpp>

#define UST_DETAIL_EVENT_TYPE(provider, name) ust_provider_##provider::event_##name

#define UST_DETAIL_FILTER_BIT(n) (::ust::detail::filter_bit<(n)>())
#define UST_DETAIL_CATEGORY_MASK(provider, name) (::ust_provider_##provider::category_##name)
#define UST_DETAIL_WANTED(provider, name)                                                          \
	(::ust::detail::wanted<UST_DETAIL_EVENT_TYPE(provider, name)::filter>())

#define UST_DETAIL_MARKER(...) UST_DETAIL_MARKER_NOW(__VA_ARGS__, ::ust::detail::end_of_arguments())
#define UST_DETAIL_MARKER_NOW(provider, name, ...)                                                 \
	do {                                                                                       \
		if (!__builtin_is_constant_evaluated() &&                                          \
			UST_DETAIL_UNLIKELY(UST_DETAIL_WANTED(provider, name)))                    \
			::ust::detail::marker<UST_DETAIL_EVENT_TYPE(provider, name)>::write(       \
				__VA_ARGS__);                                                      \
	} while (false)

#define UST_DETAIL_EVENT(provider, name, filter, attributes, fields)                               \
	UST_DETAIL_EVENT_OF(provider, name, filter, attributes, UST_ROLE_NONE, fields)
#define UST_DETAIL_SPAN_EVENT(provider, name, filter, attributes, fields)                          \
	UST_DETAIL_EVENT_OF(                                                                       \
		provider, name##_begin, filter, attributes, UST_ROLE_SPAN_BEGIN, fields)           \
	UST_DETAIL_EVENT_OF(provider, name##_end, filter, attributes, UST_ROLE_SPAN_END,           \
		(void, first)(::std::chrono::nanoseconds, duration))
#define UST_DETAIL_COUNTER_EVENT(provider, name, filter, attributes, fields)                       \
	UST_DETAIL_EVENT_OF(provider, name, filter, attributes, UST_ROLE_COUNTER, fields)

#define UST_DETAIL_EVENT_OF(provider, name, filter, attributes, role, fields)                      \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		UST_DETAIL_LAYOUT("UST_EVENT(" #provider ", " #name "): ", layout_##name,          \
			BOOST_PP_VARIADIC_SEQ_TO_SEQ(fields))                                      \
		UST_DETAIL_DEFINITION("UST_EVENT(" #provider ", " #name "): ", provider, name,     \
			layout_##name, false, filter, attributes, role)                            \
	}

#define UST_DETAIL_CLASS(provider, of, fields)                                                     \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		UST_DETAIL_LAYOUT("UST_CLASS(" #provider ", " #of "): ", class_##of,               \
			BOOST_PP_VARIADIC_SEQ_TO_SEQ((void, first)fields))                         \
	}

#define UST_DETAIL_CLASS_EVENT(provider, of, name, filter, attributes)                             \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		UST_DETAIL_DEFINITION("UST_CLASS_EVENT(" #provider ", " #of ", " #name "): ",      \
			provider, name, class_##of, true, filter, attributes, UST_ROLE_NONE)       \
	}

// The fields of an event, or of a class of events. who begins each message.
#define UST_DETAIL_LAYOUT(who, layout_, fields_)                                                   \
	struct layout_ {                                                                           \
		using fields = ::ust::detail::fields_after<BOOST_PP_SEQ_FOR_EACH_I(                \
			UST_DETAIL_FIELD_TYPE, ~, fields_)>;                                       \
		static constexpr char names[] =                                                    \
			BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_FIELD_NAME, ~, fields_);                \
		static_assert(fields::count <= UST_MAX_FIELDS,                                     \
			who "it has too many fields: an event has at most 64");                    \
		static_assert(::ust::detail::unique_names(names, fields::count),                   \
			who "two of its fields have the same name");                               \
		BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_CHECK_FIELD, who, fields_)                      \
	};

#define UST_DETAIL_DEFINITION(who, provider, name, layout_, of_class_, filter_, attributes_, role) \
	struct description_##name {                                                                \
		using layout = layout_;                                                            \
		static constexpr bool of_class = of_class_;                                        \
		static constexpr ::std::uint32_t filter = (filter_);                               \
		static constexpr auto attributes = ::ust::detail::make_attributes attributes_;     \
		static_assert(filter != 0, who "its filter needs at least one bit");               \
		static_assert(::ust::detail::is_name(#provider) && ::ust::detail::is_name(#name),  \
			who "names of providers and events are [A-Za-z_][A-Za-z0-9_]*");           \
		static_assert(::ust::detail::good_attributes(attributes),                          \
			who "between filter and fields may stand one of enum ust_level, and "      \
			    "a string of documentation, of 4095 bytes at most");                   \
		static constexpr auto record =                                                     \
			::ust::detail::make_definition<::ust::detail::length_of(attributes.doc),   \
				role>(typename layout::fields(), filter, attributes,               \
				#provider "\0" #name, layout::names);                              \
	};                                                                                         \
	UST_DETAIL_DEFINED auto definition_##name UST_DETAIL_SYMBOL(#provider "." #name)           \
		UST_DETAIL_IN_SECTION(#provider "." #name) = description_##name::record;           \
	struct event_##name : description_##name {                                                 \
		static const ust_definition *definition() noexcept                                 \
		{                                                                                  \
			return reinterpret_cast<const ust_definition *>(&definition_##name);       \
		}                                                                                  \
	};

#define UST_DETAIL_CATEGORY(provider, name, bit, doc, ...)                                         \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		static_assert((bit) < UST_FIRST_CATEGORY,                                          \
			"UST_CATEGORY(" #provider ", " #name "): bits of a program's own are "     \
			"0 to 15");                                                                \
		static_assert(::ust::detail::is_name(#provider) && ::ust::detail::is_name(#name),  \
			"UST_CATEGORY(" #provider ", " #name "): its names are not "               \
			"[A-Za-z_][A-Za-z0-9_]*");                                                 \
		inline constexpr ::std::uint32_t category_##name = UST_BIT(bit);                   \
		UST_DETAIL_DEFINED auto category_record_##name UST_DETAIL_SYMBOL(                  \
			"category." #provider "." #name)                                           \
			UST_DETAIL_IN_SECTION("category." #provider "." #name) =                   \
				::ust::detail::make_category(                                      \
					category_##name, #provider "\0" #name "\0" doc);           \
	}

#define UST_DETAIL_FIELD_TYPE(r, data, i, field) BOOST_PP_COMMA_IF(i) UST_DETAIL_TYPE_OF(field)

// Each name with a NUL. The first one is the empty string that the array needs.
#define UST_DETAIL_FIELD_NAME(r, data, i, field)                                                   \
	BOOST_PP_IF(i, UST_DETAIL_FIELD_NAME_TEXT, UST_DETAIL_NO_TEXT)(UST_DETAIL_NAME_OF(field))
#define UST_DETAIL_FIELD_NAME_TEXT(name) UST_DETAIL_STRING(name) "\0"
#define UST_DETAIL_NO_TEXT(name) ""

#define UST_DETAIL_CHECK_FIELD(r, who, i, field)                                                   \
	BOOST_PP_IF(i, UST_DETAIL_CHECK, UST_DETAIL_NO_CHECK)                                      \
	(who, UST_DETAIL_NAME_OF(field), UST_DETAIL_TYPE_OF(field))
#define UST_DETAIL_NO_CHECK(...)
#define UST_DETAIL_CHECK(who, name, ...) UST_DETAIL_CHECK_NOW(who, name, __VA_ARGS__)
#define UST_DETAIL_CHECK_NOW(who, name, ...)                                                       \
	static_assert(::ust::detail::is_traceable<__VA_ARGS__>(),                                  \
		who "field " #name " cannot be traced as " #__VA_ARGS__);                          \
	static_assert(::ust::detail::is_name(#name),                                               \
		who "\"" #name "\" is no name of a field: [A-Za-z_][A-Za-z0-9_]*; the name of a "  \
		    "macro does not serve");

#endif // UST_DETAIL_MACROS_H

// SPDX-License-Identifier: MIT
//
// What the macros of ust/ust.h consist of in C. For the event p:e it is, in each file,
//
//	ust_record_p__e, ust_definition_p__e	the definition, byte for byte that of C++
//	ust_low_p__e, ust_high_p__e		the filter, in two halves that fit an int
//	ust_n_fields_p__e
//	ust_values_p__e				what markers hand over: members _1, _2 ...
//	ust_wanted_p__e()			the test of the gate
//	ust_state_p__e				what is known of it
//	ust_emit_p__e()				the part of its markers that is out of line
//	ust_write_p__e()			the same, for what is not usual
#ifndef UST_DETAIL_C_MACROS_H
#define UST_DETAIL_C_MACROS_H

#include "../arguments.h"
#include "../fast.h"
#include "../identity.h"
#include "../section.h"
#include "marker.h"
#include "types.h"

#include <boost/preprocessor/arithmetic/dec.hpp>
#include <boost/preprocessor/cat.hpp>
#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <boost/preprocessor/seq/size.hpp>
#include <boost/preprocessor/tuple/eat.hpp>
#include <boost/preprocessor/tuple/elem.hpp>

#define UST_DETAIL_FILTER_BIT(n)                                                                   \
	(UINT32_C(1) << ((n)&31) | (uint32_t)(0 * sizeof(struct {                                  \
		_Static_assert((n) < 32, "UST_BIT: filter bits are 0 to 31");                      \
		char any;                                                                          \
	})))
#define UST_DETAIL_CATEGORY_MASK(provider, name) ((uint32_t)ust_category_##provider##__##name)
#define UST_DETAIL_WANTED(provider, name) ust_wanted_##provider##__##name()

#define UST_DETAIL_CATEGORY(provider, name, bit, doc, ...)                                         \
	UST_DETAIL_DEFINE_CATEGORY("UST_CATEGORY(" #provider ", " #name "): ", provider##__##name, \
		"category." #provider "." #name, bit, #provider "\0" #name "\0" doc)
#define UST_DETAIL_DEFINE_CATEGORY(who, id, symbol, bit, texts)                                    \
	_Static_assert(                                                                            \
		(bit) < UST_FIRST_CATEGORY, who "bits that a program may name are 0 to 15");       \
	enum {                                                                                     \
		ust_category_##id = 1 << ((bit)&15)                                                \
	};                                                                                         \
	struct ust_category_record_##id {                                                          \
		uint32_t magic, size, filter, reserved;                                            \
		char strings[sizeof(texts)];                                                       \
	} __attribute__((aligned(8)));                                                             \
	extern struct ust_category_record_##id ust_category_definition_##id UST_DETAIL_SYMBOL(     \
		symbol);                                                                           \
	UST_DETAIL_DEFINED struct ust_category_record_##id ust_category_definition_##id            \
		UST_DETAIL_IN_SECTION(symbol) = {UST_CATEGORY_MAGIC,                               \
			sizeof(struct ust_category_record_##id), ust_category_##id, 0, texts};

#define UST_DETAIL_CLASS(provider, of, fields)                                                     \
	_Static_assert(0, "UST_CLASS(" #provider ", " #of "): classes of events are for C++; in "  \
			  "C, UST_EVENT gives each its fields");
#define UST_DETAIL_CLASS_EVENT(provider, of, name, filter, attributes)                             \
	_Static_assert(0, "UST_CLASS_EVENT(" #provider ", " #of ", " #name "): classes of "        \
			  "events are for C++; in C, UST_EVENT gives each its fields");

#define UST_DETAIL_SPAN_EVENT(provider, name, filter, attributes, fields)                          \
	_Static_assert(0, "UST_SPAN_EVENT(" #provider ", " #name "): spans are for C++; in C, "    \
			  "UST_EVENT gives each end an event");
#define UST_DETAIL_COUNTER_EVENT(provider, name, filter, attributes, fields)                       \
	_Static_assert(0, "UST_COUNTER_EVENT(" #provider ", " #name "): counters are for C++; "    \
			  "in C, UST_EVENT gives an event a value");

#define UST_DETAIL_FOR_CXX(what)                                                                   \
	_Static_assert(0, what " is for C++; in C, an event is declared by UST_EVENT")
#define UST_DETAIL_SPAN(...) UST_DETAIL_FOR_CXX("UST_SPAN")
#define UST_DETAIL_TRACE(...) UST_DETAIL_FOR_CXX("UST_TRACE")
#define UST_DETAIL_TRACE_SPAN(...) UST_DETAIL_FOR_CXX("UST_TRACE_SPAN")

#define UST_STRUCT(type, members)                                                                  \
	_Static_assert(0, "UST_STRUCT(" #type "): structures as fields are for C++");
#define UST_ENUM(type, enumerators)                                                                \
	_Static_assert(0,                                                                          \
		"UST_ENUM(" #type "): labels are for C++; in C, enumerations are traced "          \
		"as integers");

#define UST_DETAIL_EVENT(provider, name, filter, attributes, fields)                               \
	UST_DETAIL_EVENT_WITH("UST_EVENT(" #provider ", " #name "): ", provider##__##name,         \
		#provider "." #name, #provider "\0" #name, filter,                                 \
		UST_DETAIL_CALL(UST_DETAIL_ATTRIBUTES_, BOOST_PP_TUPLE_SIZE(attributes))           \
			attributes,                                                                \
		BOOST_PP_VARIADIC_SEQ_TO_SEQ(fields))

// Attributes are (0), (0, a) or (0, a, b). They become level, documentation, and 1 if
// there is some. Which is which is seen by the name of the level: behind u8 it is one of
// the macros below, while a string is still a string.
#define UST_DETAIL_ATTRIBUTES_1(zero) (UST_LEVEL_INFO, "", 0)
#define UST_DETAIL_ATTRIBUTES_2(zero, a)                                                           \
	BOOST_PP_IF(UST_DETAIL_IS_LEVEL(a), (a, "", 0), (UST_LEVEL_INFO, a, 1))
#define UST_DETAIL_ATTRIBUTES_3(zero, a, b)                                                        \
	BOOST_PP_IF(UST_DETAIL_IS_LEVEL(a), (a, b, 1),                                             \
		BOOST_PP_IF(UST_DETAIL_IS_LEVEL(b), (b, a, 1), (-1, a, 1)))
#define UST_DETAIL_ATTRIBUTES_4(zero, a, b, c) (-1, "", 0)
#define UST_DETAIL_IS_LEVEL(a) UST_DETAIL_SECOND(BOOST_PP_CAT(u8, a), 0, ~)
#define UST_DETAIL_SECOND(...) UST_DETAIL_SECOND_NOW(__VA_ARGS__)
#define UST_DETAIL_SECOND_NOW(a, b, ...) b
#define u8UST_LEVEL_EMERG ~, 1
#define u8UST_LEVEL_ALERT ~, 1
#define u8UST_LEVEL_CRIT ~, 1
#define u8UST_LEVEL_ERR ~, 1
#define u8UST_LEVEL_WARNING ~, 1
#define u8UST_LEVEL_NOTICE ~, 1
#define u8UST_LEVEL_INFO ~, 1
#define u8UST_LEVEL_DEBUG ~, 1
#define UST_DETAIL_IS_TEXT(doc) __builtin_types_compatible_p(__typeof__(doc), char[sizeof(doc)])

#define UST_DETAIL_EVENT_WITH(who, id, symbol, names, filter, attributes, fields)                  \
	UST_DETAIL_DEFINE(who, id, symbol, names, filter, BOOST_PP_TUPLE_ELEM(0, attributes),      \
		BOOST_PP_TUPLE_ELEM(1, attributes), BOOST_PP_TUPLE_ELEM(2, attributes),            \
		BOOST_PP_DEC(BOOST_PP_SEQ_SIZE(fields)), fields)

#define UST_DETAIL_DEFINE(who, event, symbol, names_, filter_, level_, doc, has_doc, n, fields)    \
	_Static_assert((filter_) != 0, who "its filter needs at least one bit");                   \
	_Static_assert(                                                                            \
		n <= UST_MAX_FIELDS, who "it has too many fields: an event has at most 64");       \
	_Static_assert(UST_DETAIL_IS_TEXT(doc) && sizeof(doc) <= 4096 &&                           \
			       (sizeof(doc) > 1 || !has_doc) && (level_) >= 0 && (level_) < 15,    \
		who "between filter and fields may stand one of enum ust_level, and a string of "  \
		    "documentation, of 1 to 4095 bytes");                                          \
	UST_DETAIL_EACH(UST_DETAIL_CHECK_FIELD, who, fields)                                       \
	enum {                                                                                     \
		ust_low_##event = (filter_)&0xffff,                                                \
		ust_high_##event = (filter_) >> 16,                                                \
		ust_n_fields_##event = n                                                           \
	};                                                                                         \
	struct ust_values_##event {                                                                \
		char none;                                                                         \
		UST_DETAIL_EACH(UST_DETAIL_VALUE_MEMBER, ~, fields)                                \
	};                                                                                         \
	struct ust_names_##event {                                                                 \
		char none;                                                                         \
		UST_DETAIL_EACH(UST_DETAIL_NAME_MEMBER, ~, fields)                                 \
	};                                                                                         \
	struct ust_record_##event {                                                                \
		uint32_t magic, size, filter;                                                      \
		uint16_t id;                                                                       \
		uint8_t level, n_fields;                                                           \
		char names[sizeof(names_)];                                                        \
		UST_DETAIL_EACH(UST_DETAIL_RECORD_MEMBER, ~, fields)                               \
		BOOST_PP_IF(has_doc, UST_DETAIL_DOC_MEMBER, BOOST_PP_TUPLE_EAT(1))(doc)            \
	} __attribute__((aligned(8)));                                                             \
	extern struct ust_record_##event ust_definition_##event UST_DETAIL_SYMBOL(symbol);         \
	UST_DETAIL_DEFINED struct ust_record_##event ust_definition_##event UST_DETAIL_IN_SECTION( \
		symbol) = {UST_DEFINITION_MAGIC, sizeof(struct ust_record_##event),                \
		UST_DETAIL_FILTER(event), 0, level_, n,                                            \
		names_ UST_DETAIL_EACH(UST_DETAIL_RECORD_VALUE, ~, fields)                         \
			BOOST_PP_IF(has_doc, UST_DETAIL_DOC_VALUE, BOOST_PP_TUPLE_EAT(1))(doc)};   \
	static inline __attribute__((always_inline, unused)) _Bool ust_wanted_##event(void)        \
	{                                                                                          \
		UST_DETAIL_TEST_GATE(&ust_gate, UST_DETAIL_FILTER(event));                         \
	}                                                                                          \
	static struct ust_event ust_state_##event;                                                 \
	static __attribute__((noinline, cold, unused)) void ust_write_##event(                     \
		uintptr_t ust_here UST_DETAIL_EACH(UST_DETAIL_NEXT_PARAMETER, ~, fields))          \
	{                                                                                          \
		static const struct {                                                              \
			uint32_t size;                                                             \
			uint8_t code;                                                              \
		} __attribute__((packed))                                                          \
		ust_types[] = {UST_DETAIL_EACH(UST_DETAIL_SIZED_TYPE, ~, fields){0, 0}};           \
		const struct ust_definition *const ust_definition =                                \
			(const struct ust_definition *)&ust_definition_##event;                    \
		UST_DETAIL_EACH(UST_DETAIL_CAPTURED, ~, fields)                                    \
		const uint64_t ust_size =                                                          \
			sizeof(uint64_t) UST_DETAIL_EACH(UST_DETAIL_PLUS_SIZE, ~, fields);         \
		struct ust_slot ust_slot;                                                          \
		if (!ust_id_of(&ust_state_##event, ust_definition, (const char *)ust_types, n))    \
			return;                                                                    \
		ust_slot =                                                                         \
			ust_begin_event(ust_size, ust_here, &ust_state_##event, ust_definition);   \
		while (ust_slot.at) {                                                              \
			char *ust_at = ust_slot.at;                                                \
			UST_DETAIL_EACH(UST_DETAIL_STORE, ~, fields)                               \
			(void)ust_at;                                                              \
			ust_slot = ust_next_slot(                                                  \
				ust_slot, ust_size, ust_here, &ust_state_##event, ust_definition); \
		}                                                                                  \
	}                                                                                          \
	static __attribute__((noinline, unused)) void ust_emit_##event(BOOST_PP_IF(                \
		n, UST_DETAIL_EACH, void BOOST_PP_TUPLE_EAT(3))(UST_DETAIL_PARAMETER, ~, fields))  \
	{                                                                                          \
		ust_buffer *const ust_b = ust_begin_fast(&ust_state_##event);                      \
		if (UST_DETAIL_LIKELY(ust_b)) {                                                    \
			UST_DETAIL_EACH(UST_DETAIL_CAPTURED, ~, fields)                            \
			const uint64_t ust_size =                                                  \
				sizeof(uint64_t) UST_DETAIL_EACH(UST_DETAIL_PLUS_SIZE, ~, fields); \
			char *ust_at = ust_reserve_fast(ust_b, ust_size, &ust_state_##event);      \
			if (UST_DETAIL_LIKELY(ust_at)) {                                           \
				UST_DETAIL_EACH(UST_DETAIL_STORE, ~, fields)                       \
				(void)ust_at;                                                      \
				ust_end_fast(ust_b);                                               \
				return;                                                            \
			}                                                                          \
			ust_give_up(ust_b, ust_stack_position());                                  \
		}                                                                                  \
		ust_write_##event(ust_stack_position()                                             \
				UST_DETAIL_EACH(UST_DETAIL_NEXT_ARGUMENT, ~, fields));             \
	}

#define UST_DETAIL_FILTER(id) ((uint32_t)ust_high_##id << 16 | (uint32_t)ust_low_##id)

// macro(data, i, type, name) for each field but the first, which is (void, first).
#define UST_DETAIL_EACH(macro, data, fields)                                                       \
	BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_EACH_FIELD, (macro, data), fields)
#define UST_DETAIL_EACH_FIELD(r, both, i, field)                                                   \
	BOOST_PP_IF(i, UST_DETAIL_THIS_FIELD, BOOST_PP_TUPLE_EAT(5))                               \
	(BOOST_PP_TUPLE_ELEM(0, both), BOOST_PP_TUPLE_ELEM(1, both), i, UST_DETAIL_NAME_OF(field), \
		UST_DETAIL_TYPE_OF(field))
#define UST_DETAIL_THIS_FIELD(macro, data, i, name, ...) macro(data, i, name, __VA_ARGS__)

#define UST_DETAIL_CHECK_FIELD(who, i, name, ...)                                                  \
	_Static_assert(UST_DETAIL_TYPE_CODE(__VA_ARGS__) != 0,                                     \
		who "field " #name " cannot be traced as " #__VA_ARGS__                            \
		    ": in C, fields are integers of 8 to 64 bits, bool, char, float, double, "     \
		    "const char * as a string, and pointers, but not to unsigned char or signed "  \
		    "char, which may be a string or an address");                                  \
	_Static_assert(sizeof(#name) > 1, who "a field has no name");
#define UST_DETAIL_VALUE_MEMBER(data, i, name, ...) UST_DETAIL_VALUE_TYPE(__VA_ARGS__) _##i;
// Refuses two of one name, and what is none. Words of C may be names.
#define UST_DETAIL_NAME_MEMBER(data, i, name, ...) char name##_;
#define UST_DETAIL_RECORD_MEMBER(data, i, name, ...)                                               \
	uint8_t type_##i;                                                                          \
	char name_##i[sizeof(#name)];
#define UST_DETAIL_RECORD_VALUE(data, i, name, ...) , UST_DETAIL_TYPE_CODE(__VA_ARGS__), #name

// A property: which, 2 bytes of size, and so many bytes.
#define UST_DETAIL_DOC_MEMBER(doc)                                                                 \
	uint8_t property, property_size[2];                                                        \
	char doc_text[sizeof(doc) - 1] UST_DETAIL_WITHOUT_NUL;
#define UST_DETAIL_DOC_VALUE(doc) , UST_PROPERTY_DOC, {UST_DETAIL_TWO_BYTES(sizeof(doc) - 1)}, doc
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UST_DETAIL_TWO_BYTES(n) (n) & 0xff, (n) >> 8
#else
#define UST_DETAIL_TWO_BYTES(n) (n) >> 8, (n)&0xff
#endif
#if __has_attribute(nonstring)
#define UST_DETAIL_WITHOUT_NUL __attribute__((nonstring))
#else
#define UST_DETAIL_WITHOUT_NUL
#endif

#define UST_DETAIL_PARAMETER(data, i, name, ...)                                                   \
	BOOST_PP_COMMA_IF(BOOST_PP_DEC(i)) UST_DETAIL_VALUE_TYPE(__VA_ARGS__) ust_##i
#define UST_DETAIL_NEXT_PARAMETER(data, i, name, ...) , UST_DETAIL_VALUE_TYPE(__VA_ARGS__) ust_##i
#define UST_DETAIL_NEXT_ARGUMENT(data, i, name, ...) , ust_##i
#define UST_DETAIL_SIZED_TYPE(data, i, name, ...) {1, UST_DETAIL_TYPE_CODE(__VA_ARGS__)},
#define UST_DETAIL_CAPTURED(data, i, name, ...)                                                    \
	const struct ust_text ust_captured_##i = UST_DETAIL_CAPTURE(ust_##i);
#define UST_DETAIL_PLUS_SIZE(data, i, name, ...) +UST_DETAIL_SIZE(ust_##i, ust_captured_##i)
#define UST_DETAIL_STORE(data, i, name, ...)                                                       \
	ust_at = UST_DETAIL_PUT(ust_at, ust_##i, ust_captured_##i);

#endif // UST_DETAIL_C_MACROS_H

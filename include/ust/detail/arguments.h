// SPDX-License-Identifier: MIT
//
// What the arguments of the macros of ust/ust.h are: the part of them that is the same in
// C and C++, which both end in UST_DETAIL_EVENT and so on.
#ifndef UST_DETAIL_ARGUMENTS_H
#define UST_DETAIL_ARGUMENTS_H

#include "platform.h"

#include <boost/preprocessor/control/if.hpp>
#include <boost/preprocessor/punctuation/is_begin_parens.hpp>
#include <boost/preprocessor/seq/for_each_i.hpp>
#include <boost/preprocessor/seq/variadic_seq_to_seq.hpp>
#include <boost/preprocessor/tuple/size.hpp>
#include <boost/preprocessor/variadic/size.hpp>

#define UST_DETAIL_CALL(macro, n) UST_DETAIL_CALL_NOW(macro, n)
#define UST_DETAIL_CALL_NOW(macro, n) macro##n

// UST_EVENT and its kin with 1 to 4 arguments after the name: the filter, up to two
// attributes and the fields, which are known by their parentheses. make gets them
// sorted. (void, first) makes sure that the sequence of fields is never empty, and 0 the
// same of attributes.
#define UST_DETAIL_EVENT_1(make, provider, name, filter)                                           \
	make(provider, name, filter, (0), (void, first))
#define UST_DETAIL_EVENT_2(make, provider, name, filter, last)                                     \
	UST_DETAIL_EVENT_BY(last)(make, provider, name, filter, (0), (0, last), last)
#define UST_DETAIL_EVENT_3(make, provider, name, filter, a, last)                                  \
	UST_DETAIL_EVENT_BY(last)(make, provider, name, filter, (0, a), (0, a, last), last)
#define UST_DETAIL_EVENT_4(make, provider, name, filter, a, b, last)                               \
	UST_DETAIL_EVENT_BY(last)(make, provider, name, filter, (0, a, b), (0, a, b, last), last)
#define UST_DETAIL_EVENT_5(make, provider, name, ...)                                              \
	UST_DETAIL_ASSERT(0, "UST_EVENT(" #provider ", " #name "): it has too many arguments: "    \
			     "filter, level, documentation and one row of fields may follow");

#define UST_DETAIL_EVENT_BY(last)                                                                  \
	BOOST_PP_IF(BOOST_PP_IS_BEGIN_PARENS(last), UST_DETAIL_WITH_FIELDS, UST_DETAIL_NO_FIELDS)
#define UST_DETAIL_WITH_FIELDS(make, provider, name, filter, attributes, all, fields)              \
	make(provider, name, filter, attributes, (void, first)fields)
#define UST_DETAIL_NO_FIELDS(make, provider, name, filter, attributes, all, last)                  \
	make(provider, name, filter, all, (void, first))

#define UST_DETAIL_CLASS_EVENT_1(provider, of, name, filter)                                       \
	UST_DETAIL_CLASS_EVENT(provider, of, name, filter, (0))
#define UST_DETAIL_CLASS_EVENT_2(provider, of, name, filter, a)                                    \
	UST_DETAIL_CLASS_EVENT(provider, of, name, filter, (0, a))
#define UST_DETAIL_CLASS_EVENT_3(provider, of, name, filter, a, b)                                 \
	UST_DETAIL_CLASS_EVENT(provider, of, name, filter, (0, a, b))

// A field is (type, name). A type may have commas of its own.
#define UST_DETAIL_TYPE_OF(field)                                                                  \
	UST_DETAIL_CALL(UST_DETAIL_TYPE_OF_, BOOST_PP_TUPLE_SIZE(field)) field
#define UST_DETAIL_NAME_OF(field)                                                                  \
	UST_DETAIL_CALL(UST_DETAIL_NAME_OF_, BOOST_PP_TUPLE_SIZE(field)) field
#define UST_DETAIL_TYPE_OF_1(a) a
#define UST_DETAIL_TYPE_OF_2(a, name) a
#define UST_DETAIL_TYPE_OF_3(a, b, name) a, b
#define UST_DETAIL_TYPE_OF_4(a, b, c, name) a, b, c
#define UST_DETAIL_TYPE_OF_5(a, b, c, d, name) a, b, c, d
#define UST_DETAIL_TYPE_OF_6(a, b, c, d, e, name) a, b, c, d, e
#define UST_DETAIL_NAME_OF_1(a)
#define UST_DETAIL_NAME_OF_2(a, name) name
#define UST_DETAIL_NAME_OF_3(a, b, name) name
#define UST_DETAIL_NAME_OF_4(a, b, c, name) name
#define UST_DETAIL_NAME_OF_5(a, b, c, d, name) name
#define UST_DETAIL_NAME_OF_6(a, b, c, d, e, name) name

#define UST_DETAIL_STRING(...) #__VA_ARGS__

#endif // UST_DETAIL_ARGUMENTS_H

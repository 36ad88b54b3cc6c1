// SPDX-License-Identifier: MIT
//
// A marker in C: checks its arguments and hands them over as the field types say.
#ifndef UST_DETAIL_C_MARKER_H
#define UST_DETAIL_C_MARKER_H

#include "../arguments.h"
#include "types.h"

#include <boost/preprocessor/arithmetic/inc.hpp>
#include <boost/preprocessor/cat.hpp>
#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>

#define UST_DETAIL_MARKER(...)                                                                     \
	BOOST_PP_IF(                                                                               \
		UST_DETAIL_COUNT(__VA_ARGS__, ~), UST_DETAIL_MARKER_SOME, UST_DETAIL_MARKER_NONE)  \
	(__VA_ARGS__)

#define UST_DETAIL_MARKER_NONE(provider, name)                                                     \
	do {                                                                                       \
		UST_DETAIL_CHECK_COUNT("UST(" #provider ", " #name "): ", provider##__##name, 0)   \
		if (UST_DETAIL_UNLIKELY(ust_wanted_##provider##__##name())) {                      \
			ust_emit_##provider##__##name();                                           \
			ust_return_here();                                                         \
		}                                                                                  \
	} while (0)

// Not all arguments are evaluated that stand in a check.
#define UST_DETAIL_MARKER_SOME(provider, name, ...)                                                \
	do {                                                                                       \
		UST_DETAIL_CHECK_COUNT("UST(" #provider ", " #name "): ", provider##__##name,      \
			UST_DETAIL_COUNT(provider, name, __VA_ARGS__, ~))                          \
		UST_DETAIL_UNEVALUATED_BEGIN                                                       \
		BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_CHECK_ARGUMENT,                                 \
			("UST(" #provider ", " #name "): ", provider##__##name),                   \
			BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))                                     \
		UST_DETAIL_UNEVALUATED_END                                                         \
		if (UST_DETAIL_UNLIKELY(ust_wanted_##provider##__##name())) {                      \
			ust_emit_##provider##__##name(BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_ARGUMENT, \
				provider##__##name, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)));       \
			ust_return_here();                                                         \
		}                                                                                  \
	} while (0)

#define UST_DETAIL_CHECK_COUNT(who, id, n)                                                         \
	_Static_assert((int)ust_n_fields_##id == n,                                                \
		who "a marker needs one argument for each field of its event");
#define UST_DETAIL_CHECK_ARGUMENT(r, event, i, argument)                                           \
	UST_DETAIL_CHECK_ARGUMENT_OF(BOOST_PP_TUPLE_ELEM(0, event), BOOST_PP_TUPLE_ELEM(1, event), \
		BOOST_PP_INC(i), argument)
#define UST_DETAIL_CHECK_ARGUMENT_OF(who, id, i, argument)                                         \
	_Static_assert(UST_DETAIL_TAKES(UST_DETAIL_VALUE_OF(id, i), argument),                     \
		who "an argument does not convert to the type of its field; integers take "        \
		    "integers, float and double take numbers, strings take char *, pointers take " \
		    "addresses");
#define UST_DETAIL_ARGUMENT(r, id, i, argument)                                                    \
	BOOST_PP_COMMA_IF(i) __extension__(UST_DETAIL_VALUE_OF(id, BOOST_PP_INC(i)))(argument)
#define UST_DETAIL_VALUE_OF(id, i)                                                                 \
	__typeof__(((struct BOOST_PP_CAT(ust_values_, id) *)0)->BOOST_PP_CAT(_, i))

// clang warns of ++i where it is looked at only.
#if defined(__clang__)
#define UST_DETAIL_UNEVALUATED_BEGIN                                                               \
	_Pragma("clang diagnostic push")                                                           \
		_Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"")
#define UST_DETAIL_UNEVALUATED_END _Pragma("clang diagnostic pop")
#else
#define UST_DETAIL_UNEVALUATED_BEGIN
#define UST_DETAIL_UNEVALUATED_END
#endif

// How many arguments stand between the first two and the ~ at the end. Boost counts to 64.
#define UST_DETAIL_COUNT(...)                                                                      \
	UST_DETAIL_COUNT_NOW(__VA_ARGS__, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52,  \
		51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,    \
		31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,    \
		11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define UST_DETAIL_COUNT_NOW(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, \
	a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33,  \
	a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51,  \
	a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, n, ...)    \
	n

#endif // UST_DETAIL_C_MARKER_H

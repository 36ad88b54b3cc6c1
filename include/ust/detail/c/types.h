// SPDX-License-Identifier: MIT
//
// Types of fields in C: how each is defined, handed over and stored. _Generic looks at
// the type, as the kinds of kind.h do in C++.
#ifndef UST_DETAIL_C_TYPES_H
#define UST_DETAIL_C_TYPES_H

#include "../../definition.h"
#include "../text.h"

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 ust_int128;
__extension__ typedef unsigned __int128 ust_unsigned_int128;
#define UST_DETAIL_WIDE_INTEGERS                                                                   \
	ust_int128:                                                                                \
	0, ust_unsigned_int128 : 0,
#else
#define UST_DETAIL_WIDE_INTEGERS
#endif

// Something of that type as an expression without qualifiers, never evaluated.
#define UST_DETAIL_ANY(type) ((void)0, *(__typeof__(type) *)sizeof(void *))

// What __builtin_classify_type() tells of an expression.
#define UST_DETAIL_IS_INTEGER(value)                                                               \
	(__builtin_classify_type(value) >= 1 && __builtin_classify_type(value) <= 4)
#define UST_DETAIL_IS_ADDRESS(value) (__builtin_classify_type(value) == 5)
#define UST_DETAIL_IS_REAL(value) (__builtin_classify_type(value) == 8)

// An expression has lost that it was an array.
#define UST_DETAIL_IS_ARRAY(type)                                                                  \
	(!__builtin_types_compatible_p(__typeof__(type), __typeof__(UST_DETAIL_ANY(type))))

// The type in a definition; 0: it cannot be traced.
#define UST_DETAIL_TYPE_CODE(type)                                                                 \
	(UST_DETAIL_IS_ARRAY(type) ? 0 : UST_DETAIL_VALUE_CODE(UST_DETAIL_ANY(type)))
#define UST_DETAIL_VALUE_CODE(value)                                                               \
	_Generic((value), \
		_Bool: UST_TYPE_BOOL, \
		char: UST_TYPE_CHAR, \
		signed char: UST_TYPE_I8, \
		unsigned char: UST_TYPE_U8, \
		short: UST_TYPE_I16, \
		unsigned short: UST_TYPE_U16, \
		int: UST_TYPE_I32, \
		unsigned: UST_TYPE_U32, \
		long: sizeof(long) == 8 ? UST_TYPE_I64 : UST_TYPE_I32, \
		unsigned long: sizeof(long) == 8 ? UST_TYPE_U64 : UST_TYPE_U32, \
		long long: UST_TYPE_I64, \
		unsigned long long: UST_TYPE_U64, \
		float: UST_TYPE_FLOAT, \
		double: UST_TYPE_DOUBLE, \
		char *: UST_TYPE_STRING, \
		const char *: UST_TYPE_STRING, \
		UST_DETAIL_BYTE_POINTERS(unsigned) \
		UST_DETAIL_BYTE_POINTERS(signed) \
		default: UST_DETAIL_IS_ADDRESS(value) ? UST_TYPE_POINTER : 0)
// They may be strings or addresses: refused, as in C++.
#define UST_DETAIL_BYTE_POINTERS(sign)                                                             \
	sign char * : 0, const sign char * : 0, volatile sign char * : 0,                          \
		const volatile sign char * : 0,

// The type that a marker hands over. Strings are measured out of line.
#define UST_DETAIL_VALUE_TYPE(type)                                                                \
	__typeof__(_Generic(UST_DETAIL_ANY(type), \
		_Bool: (_Bool)0, \
		char: (char)0, \
		signed char: (signed char)0, \
		unsigned char: (unsigned char)0, \
		short: (short)0, \
		unsigned short: (unsigned short)0, \
		int: 0, \
		unsigned: 0u, \
		long: 0l, \
		unsigned long: 0ul, \
		long long: 0ll, \
		unsigned long long: 0ull, \
		float: 0.0f, \
		double: 0.0, \
		char *: (const char *)0, \
		const char *: (const char *)0, \
		default: (const volatile void *)0))

// Whether an argument will do for a value type.
#define UST_DETAIL_TAKES(value_type, argument)                                                     \
	_Generic(UST_DETAIL_ANY(value_type), \
		float: UST_DETAIL_TAKES_NUMBER(argument), \
		double: UST_DETAIL_TAKES_NUMBER(argument), \
		const char *: _Generic((argument), \
			char *: 1, const char *: 1, void *: 1, default: 0), \
		const volatile void *: UST_DETAIL_IS_ADDRESS(argument), \
		default: UST_DETAIL_TAKES_INTEGER(argument))
#define UST_DETAIL_TAKES_INTEGER(argument)                                                         \
	(UST_DETAIL_IS_INTEGER(argument) &&                                                        \
		_Generic((argument), UST_DETAIL_WIDE_INTEGERS default : 1))
#define UST_DETAIL_TAKES_NUMBER(argument)                                                          \
	(UST_DETAIL_IS_REAL(argument) || UST_DETAIL_TAKES_INTEGER(argument))

// What the writer makes of the value at that address, once: how many bytes there are,
// and where. Nothing of it changes any more.
#define UST_DETAIL_CAPTURE(value)                                                                  \
	_Generic((value), \
		const char *: ust_capture_string, \
		const volatile void *: ust_capture_address, \
		default: ust_capture_number)(&(value), sizeof(value))
#define UST_DETAIL_SIZE(value, captured)                                                           \
	((captured).size + _Generic((value), const char * : 1u, default : 0u))
// Stores it; the end.
#define UST_DETAIL_PUT(at, value, captured)                                                        \
	_Generic((value), \
		const char *: ust_put_text, \
		const volatile void *: ust_put_address, \
		default: ust_put_number)(at, captured)

UST_DETAIL_C_BEGIN

UST_DETAIL_C_INLINE struct ust_text ust_capture_number(const void *value, size_t size)
{
	const struct ust_text captured = {(const char *)value, size};
	return captured;
}

UST_DETAIL_C_INLINE struct ust_text ust_capture_address(const void *value, size_t size)
{
	(void)size;
	return ust_capture_number(value, sizeof(uint64_t));
}

UST_DETAIL_C_INLINE struct ust_text ust_capture_string(const void *value, size_t size)
{
	struct ust_text text = {NULL, UST_DETAIL_NOT_MEASURED};

	memcpy(&text.data, value, size);
	return ust_measure(text);
}

UST_DETAIL_C_INLINE char *ust_put_number(char *at, struct ust_text captured)
{
	memcpy(at, captured.data, captured.size);
	return at + captured.size;
}

UST_DETAIL_C_INLINE char *ust_put_address(char *at, struct ust_text captured)
{
	uintptr_t address;
	uint64_t number;

	memcpy(&address, captured.data, sizeof address);
	number = address;
	memcpy(at, &number, sizeof number);
	return at + sizeof number;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_C_TYPES_H

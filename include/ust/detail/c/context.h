// SPDX-License-Identifier: MIT
//
// A context of the program's own in C. For the context c of provider p it is, in each file,
//
//	ust_context_record_p__c, ust_context_definition_p__c
//					the definition, byte for byte that of C++
//	ust_context_type_p__c		what is set: as markers hand it over
//	ust_context_value_p__c		the value of each thread
//	ust_context_p__c		what is known of it
#ifndef UST_DETAIL_C_CONTEXT_H
#define UST_DETAIL_C_CONTEXT_H

#include "../context.h"
#include "../section.h"
#include "types.h"

#define UST_DETAIL_CONTEXT(provider, name, ...)                                                    \
	UST_DETAIL_DEFINE_CONTEXT("UST_CONTEXT(" #provider ", " #name "): ", provider##__##name,   \
		"context." #provider "." #name, #provider "\0" #name, __VA_ARGS__)

#define UST_DETAIL_DEFINE_CONTEXT(who, id, symbol, names_, ...)                                    \
	_Static_assert(UST_DETAIL_TYPE_CODE(__VA_ARGS__) != 0 &&                                   \
			       UST_DETAIL_TYPE_CODE(__VA_ARGS__) != UST_TYPE_STRING,               \
		who "a context is a number, a character, an enumeration or an address, of 8 "      \
		    "bytes at most, and not " #__VA_ARGS__);                                       \
	typedef UST_DETAIL_VALUE_TYPE(__VA_ARGS__) ust_context_type_##id;                          \
	struct ust_context_record_##id {                                                           \
		uint32_t magic, size, filter;                                                      \
		uint16_t id;                                                                       \
		uint8_t level, n_fields;                                                           \
		char names[sizeof(names_)];                                                        \
		uint8_t type;                                                                      \
		char field[sizeof "value"];                                                        \
	} __attribute__((aligned(8)));                                                             \
	extern struct ust_context_record_##id ust_context_definition_##id UST_DETAIL_SYMBOL(       \
		symbol);                                                                           \
	UST_DETAIL_DEFINED struct ust_context_record_##id ust_context_definition_##id              \
		UST_DETAIL_IN_SECTION(symbol) = {UST_CONTEXT_MAGIC,                                \
			sizeof(struct ust_context_record_##id), 0, 0, UST_LEVEL_INFO, 1, names_,   \
			UST_DETAIL_TYPE_CODE(__VA_ARGS__), "value"};                               \
	extern __thread uint64_t ust_context_value_##id UST_DETAIL_SYMBOL("value." symbol);        \
	UST_DETAIL_C_VARIABLE __thread uint64_t ust_context_value_##id                             \
		__attribute__((tls_model("initial-exec"))) = 0;                                    \
	static uint64_t *ust_context_address_##id(void)                                            \
	{                                                                                          \
		return &ust_context_value_##id;                                                    \
	}                                                                                          \
	extern struct ust_context ust_context_##id UST_DETAIL_SYMBOL("state." symbol);             \
	UST_DETAIL_C_VARIABLE struct ust_context ust_context_##id = {NULL,                         \
		&ust_context_definition_##id, ust_context_address_##id,                            \
		UST_DETAIL_TYPE_CODE(__VA_ARGS__) == UST_TYPE_POINTER                              \
			? sizeof(uint64_t)                                                         \
			: sizeof(ust_context_type_##id),                                           \
		0};

#define UST_DETAIL_SET_CONTEXT(provider, name, ...)                                                \
	UST_DETAIL_SET_CONTEXT_OF(provider##__##name, __VA_ARGS__)
#define UST_DETAIL_SET_CONTEXT_OF(id, ...)                                                         \
	do {                                                                                       \
		_Static_assert(UST_DETAIL_TAKES(ust_context_type_##id, (__VA_ARGS__)),             \
			"UST_SET_CONTEXT: the value does not convert to the type of the "          \
			"context, as the argument of a marker does to that of its field");         \
		const ust_context_type_##id ust_value = (ust_context_type_##id)(__VA_ARGS__);      \
		ust_set_context(&ust_context_##id, &ust_value, sizeof ust_value);                  \
	} while (0)

#endif // UST_DETAIL_C_CONTEXT_H

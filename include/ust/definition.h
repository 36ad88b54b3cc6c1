/* SPDX-License-Identifier: MIT */
/*
 * Event definitions: the bytes that markers lay down in the ELF section
 * "ust_events", that a process hands to ltt_register(), and that a reader of
 * the trace gets back. Plain C, so that any reader can include it.
 *
 * The section is a row of records, each aligned to 8 bytes, that begins with
 * struct ust_record. Zero words between records are padding of the linker.
 * Integers are in the byte order of the machine.
 *
 * A definition is
 *
 *	struct ust_definition
 *	"provider\0" "name\0"
 *	n_fields times:	type, "field\0"
 *	properties:	one byte of enum ust_property, 2 bytes of size, that many bytes
 *	zeros up to size
 *
 * The provider's and the event's name are printable characters of ASCII, but no quotes
 * and no backslashes; a field's is [A-Za-z_][A-Za-z0-9_]*.
 *
 * A type is one byte of enum ust_type, followed by what stands in brackets
 * there, which may be types again, up to UST_MAX_DEPTH within each other:
 *
 *	0a				double
 *	16 03				unsigned 32 bits, shown in hexadecimal
 *	29 29 0d			sequence of sequences of strings
 *	20 05 01 00 00 07 "low\0"	enumeration, signed 8 bits, whose values from 0 to 7
 *					have a label
 *
 * The name of a category of a program's own is
 *
 *	struct ust_category_record
 *	"provider\0" "name\0" "documentation\0"
 *	zeros up to size
 *
 * A context of a program's own, LTT_CONTEXT_APP, is like a definition with one field, but
 * for its magic, UST_CONTEXT_MAGIC. The type of that field, "value", is one whose values
 * all have the same size, 8 bytes at most; filter and level mean nothing.
 *
 * Rules say which events a trace takes, besides its filter (LTT_IOC_RULES). They are
 * text, one after the other with a comma between them, blanks around them ignored:
 *
 *	pattern		takes the events whose "provider:name" is like it; '*' stands for
 *			any characters, '?' for one
 *	pattern@level	of these the ones of this level or a more urgent one; a number
 *			or a word: emerg alert crit err warning notice info debug
 *	!pattern, !pattern@level
 *			leaves these out
 *
 * The last rule that means an event decides. An event that none means is taken if the
 * first rule begins with '!', or if there are none. A rule with an unknown level means
 * nothing.
 *
 * How it grows: a reader skips properties and records (whose magic begins with
 * "UST") that it does not know. It refuses a definition with a type that it
 * does not know. Whatever an older reader would take for something else gets a
 * new magic.
 *
 * An event in a buffer is an 8-byte header, timestamp << 16 | id, the contexts of the
 * trace if it has some (LTT_CONTEXT_...), and the fields packed in the order of the definition,
 *without alignment; how each lies there is said at its type. If a field holds elements whose size
 *may differ from one to the next (a sequence or array of strings, of sequences, of structures with
 *one of these ...), 4 bytes follow the last field, and as many bytes without meaning as they say:
 *room that was reserved for elements which another thread made shorter meanwhile.
 *
 * Id 0 is padding, where a marker was left by longjmp() or an exception out of a
 * signal handler: the upper 48 bits are then the size of the record in bytes, these
 * 8 included. It may reach beyond the end of the packet.
 */
#ifndef UST_DEFINITION_H
#define UST_DEFINITION_H

#include <stdint.h>

#define UST_RECORD_MAGIC 0x00545355u	 /* "UST", the lower three bytes of any magic */
#define UST_DEFINITION_MAGIC 0x45545355u /* "USTE" */
#define UST_CATEGORY_MAGIC 0x43545355u	 /* "USTC" */
#define UST_CONTEXT_MAGIC 0x58545355u	 /* "USTX" */
#define UST_SECTION "ust_events"
#define UST_MAX_FIELDS 64 /* of an event, and of a structure */
#define UST_MAX_DEPTH 8	  /* of types within types */

/* Log levels: the numbers of syslog, but for debug, which has LTTng's. */
enum ust_level {
	UST_LEVEL_EMERG = 0,
	UST_LEVEL_ALERT = 1,
	UST_LEVEL_CRIT = 2,
	UST_LEVEL_ERR = 3,
	UST_LEVEL_WARNING = 4,
	UST_LEVEL_NOTICE = 5,
	UST_LEVEL_INFO = 6,
	UST_LEVEL_DEBUG = 14,
};

/*
 * Filter bits 0 to 15 are the program's own. 16 to 31 are the standard
 * categories, the same in all programs, in this order.
 */
#define UST_FIRST_CATEGORY 16
#define UST_CATEGORY_LIFE (UINT32_C(1) << 16)	 /* begin and end of the program and of its parts */
#define UST_CATEGORY_CONFIG (UINT32_C(1) << 17)	 /* settings read or changed */
#define UST_CATEGORY_STATE (UINT32_C(1) << 18)	 /* changes of state */
#define UST_CATEGORY_ERROR (UINT32_C(1) << 19)	 /* failures, retries, timeouts */
#define UST_CATEGORY_REQUEST (UINT32_C(1) << 20) /* units of work: requests, jobs, transactions */
#define UST_CATEGORY_NET (UINT32_C(1) << 21)	 /* connections, packets */
#define UST_CATEGORY_STORAGE (UINT32_C(1) << 22) /* files, disks, databases */
#define UST_CATEGORY_IPC (UINT32_C(1) << 23)	 /* messages between processes of one machine */
#define UST_CATEGORY_TASK (UINT32_C(1) << 24)	 /* threads, tasks, work queues, timers */
#define UST_CATEGORY_LOCK (UINT32_C(1) << 25)	 /* locks, and waiting for them */
#define UST_CATEGORY_MEMORY (UINT32_C(1) << 26)	 /* allocation, caches */
#define UST_CATEGORY_SECURITY (UINT32_C(1) << 27) /* users, rights, keys */
#define UST_CATEGORY_UI (UINT32_C(1) << 28)	  /* what people see and do */
#define UST_CATEGORY_DEVICE (UINT32_C(1) << 29)	  /* hardware */
#define UST_CATEGORY_PERF (UINT32_C(1) << 30)	  /* counters, samples, measured times */
#define UST_CATEGORY_DEBUG (UINT32_C(1) << 31)	  /* for those who develop the program */

enum ust_type {
	/* Integers of that many bits. */
	UST_TYPE_U8 = 1,
	UST_TYPE_U16 = 2,
	UST_TYPE_U32 = 3,
	UST_TYPE_U64 = 4,
	UST_TYPE_I8 = 5,
	UST_TYPE_I16 = 6,
	UST_TYPE_I32 = 7,
	UST_TYPE_I64 = 8,
	UST_TYPE_FLOAT = 9,	 /* IEEE 754, 4 bytes */
	UST_TYPE_DOUBLE = 10,	 /* IEEE 754, 8 bytes */
	UST_TYPE_BOOL = 11,	 /* 1 byte, 0 or 1 */
	UST_TYPE_CHAR = 12,	 /* 1 byte, a character */
	UST_TYPE_STRING = 13,	 /* UTF-8 bytes, final NUL */
	UST_TYPE_POINTER = 14,	 /* 8 bytes, an address */
	UST_TYPE_CHAR16 = 15,	 /* 2 bytes, a code unit of UTF-16 */
	UST_TYPE_CHAR32 = 16,	 /* 4 bytes, a code unit of UTF-32 */
	UST_TYPE_TIME = 17,	 /* as I64: nanoseconds since 1970, UTC */
	UST_TYPE_MONOTONIC = 18, /* as I64: nanoseconds of CLOCK_MONOTONIC */
	UST_TYPE_DURATION = 19,	 /* as I64: nanoseconds */

	/* [an integer, or one of these on top of it]: how it is shown, how it lies. */
	UST_TYPE_BASE_2 = 20,
	UST_TYPE_BASE_8 = 21,
	UST_TYPE_BASE_16 = 22,
	UST_TYPE_NETWORK = 23, /* most significant byte first */

	/*
	 * [an integer, U8 to I64; 2 bytes: how many labels; each label: its first
	 * and its last value, in the bytes of the integer, "label\0"]. Values
	 * without a label may occur. Lies as the integer.
	 */
	UST_TYPE_ENUM = 32,

	/* [4 bytes: n, 1 at least; type of the elements]: n elements. */
	UST_TYPE_ARRAY = 40,
	/* [type of the elements]: 4 bytes: how many, and the elements. */
	UST_TYPE_SEQUENCE = 41,
	/* [type]: 1 byte: 0 or 1, and after a 1 the value. */
	UST_TYPE_OPTIONAL = 42,
	/* [1 byte: n, 1 to UST_MAX_FIELDS; n times: type, "member\0"]: the members. */
	UST_TYPE_STRUCT = 43,
};

enum ust_property {
	UST_PROPERTY_NONE = 0, /* zeros up to the end of the record */
	UST_PROPERTY_DOC = 1,  /* what the event means: UTF-8, no NUL */
	UST_PROPERTY_ROLE = 2, /* 1 byte of enum ust_role */
};

/* What an event is for those who draw it. */
enum ust_role {
	UST_ROLE_NONE = 0,
	/* Of one thread: a begin, and an end of the same name but for _begin and _end. */
	UST_ROLE_SPAN_BEGIN = 1,
	UST_ROLE_SPAN_END = 2, /* its only field is the duration */
	UST_ROLE_COUNTER = 3,  /* its only field is the value from now on */
};

/* The begin of any record. */
struct ust_record {
	uint32_t magic;
	uint32_t size; /* bytes of the record, padding included; a multiple of 8 */
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif
struct ust_definition {
	uint32_t magic;	  /* UST_DEFINITION_MAGIC */
	uint32_t size;	  /* as in struct ust_record */
	uint32_t filter;  /* filter bits of the event */
	uint16_t id;	  /* in the event header; 0 until the process numbers it at registration */
	uint8_t level;	  /* enum ust_level */
	uint8_t n_fields; /* 0 to UST_MAX_FIELDS */
	__extension__ char strings[]; /* names and types, see above */
};

struct ust_category_record {
	uint32_t magic;	 /* UST_CATEGORY_MAGIC */
	uint32_t size;	 /* as in struct ust_record */
	uint32_t filter; /* the one filter bit of the category */
	uint32_t reserved;
	__extension__ char strings[]; /* names, see above */
};
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* UST_DEFINITION_H */

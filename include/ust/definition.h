/* SPDX-License-Identifier: MIT */
/*
 * Event definitions: the bytes that markers lay down in the ELF section
 * "ust_events", that a process hands to ltt_register(), and that a reader of
 * the trace gets back. Plain C, so that any reader can include it.
 *
 * The section is a row of records, each aligned to 8 bytes. Zero words between
 * records are padding of the linker. Integers are in the byte order of the
 * machine.
 *
 *	struct ust_definition
 *	"provider\0" "name\0"
 *	n_fields times:	one byte of enum ust_type, "field\0"
 *	zeros up to size
 *
 * An event in a buffer is an 8-byte header, timestamp << 16 | id, and the
 * fields packed in the order of the definition, without alignment. A string is
 * its bytes and a final NUL.
 *
 * Id 0 is padding, where a marker was left by longjmp() or an exception out of a
 * signal handler: the upper 48 bits are then the size of the record in bytes, these
 * 8 included. It may reach beyond the end of the packet.
 */
#ifndef UST_DEFINITION_H
#define UST_DEFINITION_H

#include <stdint.h>

#define UST_DEFINITION_MAGIC 0x45545355u /* "USTE" */
#define UST_SECTION "ust_events"
#define UST_MAX_FIELDS 64

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

enum ust_type {
	UST_TYPE_U8 = 1,
	UST_TYPE_U16 = 2,
	UST_TYPE_U32 = 3,
	UST_TYPE_U64 = 4,
	UST_TYPE_I8 = 5,
	UST_TYPE_I16 = 6,
	UST_TYPE_I32 = 7,
	UST_TYPE_I64 = 8,
	UST_TYPE_FLOAT = 9,   /* IEEE 754, 4 bytes */
	UST_TYPE_DOUBLE = 10, /* IEEE 754, 8 bytes */
	UST_TYPE_BOOL = 11,   /* 1 byte, 0 or 1 */
	UST_TYPE_CHAR = 12,   /* 1 byte, a character */
	UST_TYPE_STRING = 13, /* UTF-8 bytes, final NUL */
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif
struct ust_definition {
	uint32_t magic;
	uint32_t size;	  /* bytes of the record, strings and padding included; a multiple of 8 */
	uint32_t filter;  /* filter bits of the event */
	uint16_t id;	  /* in the event header; 0 until the process numbers it at registration */
	uint8_t level;	  /* enum ust_level */
	uint8_t n_fields; /* 0 to UST_MAX_FIELDS */
	__extension__ char strings[]; /* names and types, see above */
};
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif /* UST_DEFINITION_H */

// SPDX-License-Identifier: MIT
//
// What there must be once in a program, though each executable and library
// with markers brings its own, and though the dynamic linker keeps those of a
// library opened by dlopen() apart: the one in the object that was loaded first
// serves for all. Each object tells where its own lies by an ELF note, which
// the others find through the list of loaded objects.
#ifndef UST_DETAIL_PROCESS_H
#define UST_DETAIL_PROCESS_H

#include "platform.h"

#include <link.h>
#include <pthread.h>
#include <string.h>

UST_DETAIL_C_BEGIN

struct ust_process {
	uint32_t last_id;
	// 0 as long as the handler is not installed.
	int signal;
	// Where the thread state lies that all use, from the thread pointer on: the
	// same distance in all threads. 0 until the first registers.
	intptr_t thread_distance;
};

extern struct ust_process ust_own_process __asm__("ust_process_state");
UST_DETAIL_C_VARIABLE struct ust_process ust_own_process __attribute__((used)) = {0, 0, 0};

enum {
	UST_DETAIL_NOTE_PROCESS = 1
};
#define UST_DETAIL_NOTE_NAME "UST"

#if defined(__arm__)
#define UST_DETAIL_AT "%"
#else
#define UST_DETAIL_AT "@"
#endif

// The note: sizes, type and name, and the distance of the state from that
// number. And a symbol that keeps its library loaded as soon as anything refers
// to it: others may be using what lies there when the program closes the
// library, and the kernel writes to its gate. Weak for clang, which optimizes at link
// time without a look at groups. Asked for once, as optimization
// at link time puts the statements of several files into one.
__asm__(".ifndef ust_keep_loaded\n"
	"\t.pushsection .note.ust,\"aGR\"," UST_DETAIL_AT "note,ust.note,comdat\n"
	"\t.balign 4\n"
	"\t.long 4, 4, 1\n"
	"\t.asciz \"" UST_DETAIL_NOTE_NAME "\"\n"
	"\t.long ust_process_state - .\n"
	"\t.popsection\n"
	"\t.pushsection .bss.ust_keep_loaded,\"awG\"," UST_DETAIL_AT
	"nobits,ust_keep_loaded,comdat\n"
	"\t.weak ust_keep_loaded\n"
	"\t.type ust_keep_loaded, " UST_DETAIL_AT "gnu_unique_object\n"
	"\t.size ust_keep_loaded, 1\n"
	"ust_keep_loaded:\n"
	"\t.zero 1\n"
	"\t.popsection\n"
	"\t.endif");
extern char ust_keep_loaded __attribute__((visibility("default")));

// The list of loaded objects. C libraries declare its function, and the begin of
// what it tells of each, for programs of GNU's dialect only.
struct ust_object {
	ElfW(Addr) address;
	const char *name;
	const ElfW(Phdr) * parts;
	ElfW(Half) n_parts;
};
extern int ust_for_each_object(int (*call)(struct ust_object *object, size_t size, void *data),
	void *data) __asm__("dl_iterate_phdr");

// The state that a note in [at, end) tells of, or null.
UST_DETAIL_C_HELPER struct ust_process *ust_find_note(const char *at, const char *end, size_t align)
{
	ElfW(Nhdr) note;

	while ((size_t)(end - at) >= sizeof note) {
		memcpy(&note, at, sizeof note);
		const size_t name = (note.n_namesz + align - 1) & ~(align - 1);
		const size_t size = (note.n_descsz + align - 1) & ~(align - 1);
		at += sizeof note;
		if ((size_t)(end - at) < name + size)
			return NULL;
		if (note.n_type == UST_DETAIL_NOTE_PROCESS &&
			note.n_namesz == sizeof UST_DETAIL_NOTE_NAME &&
			memcmp(at, UST_DETAIL_NOTE_NAME, sizeof UST_DETAIL_NOTE_NAME) == 0) {
			int32_t distance;
			memcpy(&distance, at + name, sizeof distance);
			return (struct ust_process *)((intptr_t)(at + name) + distance);
		}
		at += name + size;
	}
	return NULL;
}

UST_DETAIL_C_FUNCTION(ust_find_in_object)
int ust_find_in_object(struct ust_object *object, size_t size, void *found)
{
	(void)size;
	for (unsigned i = 0; i < object->n_parts; ++i) {
		const ElfW(Phdr) *const part = &object->parts[i];
		if (part->p_type != PT_NOTE)
			continue;
		const char *const begin = (const char *)(object->address + part->p_vaddr);
		struct ust_process *const state =
			ust_find_note(begin, begin + part->p_memsz, part->p_align == 8 ? 8 : 4);
		if (state) {
			*(struct ust_process **)found = state;
			return 1;
		}
	}
	return 0;
}

// The state of the whole program.
UST_DETAIL_C_HELPER struct ust_process *ust_find_process(void)
{
	struct ust_process *found = &ust_own_process;

	__asm__ volatile("" : : "r"(&ust_keep_loaded));
	ust_for_each_object(ust_find_in_object, &found);
	return found;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_PROCESS_H

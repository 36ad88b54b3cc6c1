// SPDX-License-Identifier: MIT
//
// What there must be once in a program, though each executable and library
// with markers brings its own, and though the dynamic linker keeps those of a
// library opened by dlopen() apart: the one in the object that was loaded first
// serves for all. Each object tells where its own lies by an ELF note, which
// the others find through the list of loaded objects.
//
// Objects may be compiled with different versions of this library. The type of the note
// is UST_DETAIL_STATE_VERSION. An object whose version is not that of the first one
// stays silent. So does one that was linked of files with different versions, and nobody
// uses what lies there. With the same number all work together, whatever else differs.
#ifndef UST_DETAIL_PROCESS_H
#define UST_DETAIL_PROCESS_H

#include "platform.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

UST_DETAIL_C_BEGIN

struct ust_context;

struct ust_process {
	uint32_t last_id;
	// 0 as long as the handler is not installed.
	int signal;
	// Where the thread state lies that all use, from the thread pointer on: the
	// same distance in all threads. 0 until the first registers.
	intptr_t thread_distance;
	// Of the program's own, in whichever object; the last that was listed.
	struct ust_context *contexts;
};

extern struct ust_process ust_own_process __asm__("ust_process_state");
UST_DETAIL_C_VARIABLE struct ust_process ust_own_process __attribute__((used)) = {0, 0, 0, NULL};

// The version of all that the objects of a program share: ust_process, ust_thread, what a
// thread keeps in the control page, in which order it stores there, how events are
// numbered, and this note. Whoever changes one of them raises it.
#define UST_DETAIL_STATE_VERSION 2
UST_DETAIL_ASSERT(
	sizeof(struct ust_process) == 8 + 2 * sizeof(intptr_t) && UST_DETAIL_STATE_VERSION == 2,
	"what objects share has changed: raise UST_DETAIL_STATE_VERSION");
#define UST_DETAIL_NOTE_NAME "UST"
#define UST_DETAIL_TEXT(number) UST_DETAIL_TEXT_NOW(number)
#define UST_DETAIL_TEXT_NOW(number) #number
#define UST_DETAIL_STATE_TEXT UST_DETAIL_TEXT(UST_DETAIL_STATE_VERSION)

#if defined(__arm__)
#define UST_DETAIL_AT "%"
#else
#define UST_DETAIL_AT "@"
#endif

// The note: sizes, type and name, and the distance of the state from that number.
// Files with different versions leave one each. Asked for once, as optimization at link
// time puts the statements of several files into one.
__asm__(".ifndef .Lust_note_" UST_DETAIL_STATE_TEXT "\n"
	"\t.pushsection .note.ust,\"aGR\"," UST_DETAIL_AT "note,ust.note." UST_DETAIL_STATE_TEXT
	",comdat\n"
	"\t.balign 4\n"
	".Lust_note_" UST_DETAIL_STATE_TEXT ":\n"
	"\t.long 4, 4, " UST_DETAIL_STATE_TEXT "\n"
	"\t.asciz \"" UST_DETAIL_NOTE_NAME "\"\n"
	"\t.long ust_process_state - .\n"
	"\t.popsection\n"
	"\t.endif");

// A symbol that keeps its library loaded as soon as anything refers to it: others may be
// using what lies there when the program closes the library, and the kernel writes to
// its gate. Weak for clang, which optimizes at link time without a look at groups.
__asm__(".ifndef ust_keep_loaded\n"
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

// What the notes of an object tell.
struct ust_notes {
	uint32_t version;	     // 0: there is none
	bool mixed;		     // there are several versions
	struct ust_process *process; // of ours
};

UST_DETAIL_C_HELPER void ust_read_notes(
	const char *at, const char *end, size_t align, struct ust_notes *all)
{
	ElfW(Nhdr) note;

	while ((size_t)(end - at) >= sizeof note) {
		memcpy(&note, at, sizeof note);
		const size_t name = (note.n_namesz + align - 1) & ~(align - 1);
		const size_t size = (note.n_descsz + align - 1) & ~(align - 1);
		at += sizeof note;
		if ((size_t)(end - at) < name + size)
			return;
		if (note.n_namesz == sizeof UST_DETAIL_NOTE_NAME &&
			memcmp(at, UST_DETAIL_NOTE_NAME, sizeof UST_DETAIL_NOTE_NAME) == 0) {
			all->mixed = all->mixed || (all->version && all->version != note.n_type);
			all->version = note.n_type;
			if (note.n_type == UST_DETAIL_STATE_VERSION) {
				int32_t distance;
				memcpy(&distance, at + name, sizeof distance);
				all->process =
					(struct ust_process *)((intptr_t)(at + name) + distance);
			}
		}
		at += name + size;
	}
}

struct ust_search {
	struct ust_process *found;
	bool begun;
	bool decided;
	bool silent;
};

// The first object with a note decides for all.
UST_DETAIL_C_HELPER void ust_decide(
	struct ust_search *all, uintptr_t address, const ElfW(Phdr) * parts, size_t n)
{
	struct ust_notes notes = {0, false, NULL};

	for (size_t i = 0; i < n; ++i) {
		if (parts[i].p_type != PT_NOTE)
			continue;
		const char *const begin = (const char *)(address + parts[i].p_vaddr);
		ust_read_notes(
			begin, begin + parts[i].p_memsz, parts[i].p_align == 8 ? 8 : 4, &notes);
	}
	if (notes.mixed) {
		all->silent = all->silent || notes.process == &ust_own_process;
	} else if (notes.version && !all->decided) {
		all->decided = true;
		all->found = notes.process;
	}
}

// A library in a namespace of its own, see dlmopen(), is not told of the program's
// objects, but for the executable, which the kernel tells of. If it has no note others
// may have one, and there is no way to know.
UST_DETAIL_C_HELPER void ust_decide_by_executable(struct ust_search *all)
{
	const ElfW(Phdr) *const parts = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	const size_t n = getauxval(AT_PHNUM);

	for (size_t i = 0; i < n; ++i)
		if (parts[i].p_type == PT_PHDR)
			ust_decide(all, (uintptr_t)parts - parts[i].p_vaddr, parts, n);
	all->silent = all->silent || !all->decided;
}

UST_DETAIL_C_FUNCTION(ust_look_at_object)
int ust_look_at_object(struct ust_object *object, size_t size, void *data)
{
	struct ust_search *const all = (struct ust_search *)data;

	(void)size;
#if defined(__GLIBC__)
	// The first one of the program's own namespace is the executable.
	if (!all->begun && object->parts != (const ElfW(Phdr) *)getauxval(AT_PHDR))
		ust_decide_by_executable(all);
#endif
	all->begun = true;
	ust_decide(all, object->address, object->parts, object->n_parts);
	return 0;
}

// The state of the whole program, or null where this object has to be silent.
UST_DETAIL_C_HELPER struct ust_process *ust_find_process(void)
{
	struct ust_search all = {&ust_own_process, false, false, false};

	__asm__ volatile("" : : "r"(&ust_keep_loaded));
	ust_for_each_object(ust_look_at_object, &all);
	return all.silent ? NULL : all.found;
}

UST_DETAIL_C_END

#endif // UST_DETAIL_PROCESS_H

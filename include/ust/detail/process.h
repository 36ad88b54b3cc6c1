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

#include <cstring>
#include <link.h>
#include <pthread.h>

UST_DETAIL_BEGIN

struct process_state {
	std::uint32_t last_id;
	// 0 as long as the handler is not installed.
	int signal;
	// Where the thread state lies that all use, from the thread's descriptor
	// on: the same distance in all threads. 0 until the first registers.
	std::intptr_t thread_distance;
};

inline process_state own_process __asm__("ust_process_state")
	__attribute__((used, visibility("hidden"))) = {0, 0, 0};

enum {
	NOTE_PROCESS = 1
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
// library, and the kernel writes to its gate. Asked for once, as optimization
// at link time puts the statements of several files into one.
asm(".ifndef ust_keep_loaded\n"
    "\t.pushsection .note.ust,\"aGR\"," UST_DETAIL_AT "note,ust.note,comdat\n"
    "\t.balign 4\n"
    "\t.long 4, 4, 1\n"
    "\t.asciz \"" UST_DETAIL_NOTE_NAME "\"\n"
    "\t.long ust_process_state - .\n"
    "\t.popsection\n"
    "\t.pushsection .bss.ust_keep_loaded,\"awG\"," UST_DETAIL_AT "nobits,ust_keep_loaded,comdat\n"
    "\t.globl ust_keep_loaded\n"
    "\t.type ust_keep_loaded, " UST_DETAIL_AT "gnu_unique_object\n"
    "\t.size ust_keep_loaded, 1\n"
    "ust_keep_loaded:\n"
    "\t.zero 1\n"
    "\t.popsection\n"
    "\t.endif");
extern "C" UST_DETAIL_SHARED char ust_keep_loaded;

// The state that a note in [at, end) tells of, or nullptr.
inline process_state *find_note(const char *at, const char *end, std::size_t align) noexcept
{
	ElfW(Nhdr) note;

	while (static_cast<std::size_t>(end - at) >= sizeof note) {
		std::memcpy(&note, at, sizeof note);
		const std::size_t name = (note.n_namesz + align - 1) & ~(align - 1);
		const std::size_t size = (note.n_descsz + align - 1) & ~(align - 1);
		at += sizeof note;
		if (static_cast<std::size_t>(end - at) < name + size)
			return nullptr;
		if (note.n_type == NOTE_PROCESS && note.n_namesz == sizeof UST_DETAIL_NOTE_NAME &&
			std::memcmp(at, UST_DETAIL_NOTE_NAME, sizeof UST_DETAIL_NOTE_NAME) == 0) {
			std::int32_t distance;
			std::memcpy(&distance, at + name, sizeof distance);
			return reinterpret_cast<process_state *>(
				reinterpret_cast<std::intptr_t>(at + name) + distance);
		}
		at += name + size;
	}
	return nullptr;
}

inline int find_in_object(dl_phdr_info *object, std::size_t, void *found) noexcept
{
	for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
		const ElfW(Phdr) &part = object->dlpi_phdr[i];
		if (part.p_type != PT_NOTE)
			continue;
		const char *begin =
			reinterpret_cast<const char *>(object->dlpi_addr + part.p_vaddr);
		process_state *const state =
			find_note(begin, begin + part.p_memsz, part.p_align == 8 ? 8 : 4);
		if (state) {
			*static_cast<process_state **>(found) = state;
			return 1;
		}
	}
	return 0;
}

// The state of the whole program.
inline process_state &find_process() noexcept
{
	process_state *found = &own_process;

	asm volatile("" : : "r"(&ust_keep_loaded));
	dl_iterate_phdr(find_in_object, &found);
	return *found;
}

UST_DETAIL_END

#endif // UST_DETAIL_PROCESS_H

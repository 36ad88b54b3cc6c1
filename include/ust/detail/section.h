// SPDX-License-Identifier: MIT
//
// Where definitions lie: in the section that the process hands to the kernel, once in
// the program however many of its files, of C and of C++, define the same.
#ifndef UST_DETAIL_SECTION_H
#define UST_DETAIL_SECTION_H

#include "../definition.h"
#include "platform.h"

//	UST_DETAIL_DEFINED type variable
//		UST_DETAIL_SYMBOL(name) UST_DETAIL_IN_SECTION(name) = { ... };
//
// defines one, whose symbol is the same in both languages. The linker's --gc-sections
// keeps it though nothing may refer to it.
//
// A COMDAT group does it, which C++ has for inline variables and clang for its attribute
// selectany. gcc looks up a section by its name alone: all inline variables of one
// section would land in the group of the first, and be dropped or doubled with it. So
// each gets a section of its own for gcc, as in platform.h.
#define UST_DETAIL_SYMBOL(name) __asm__("ust." name)
#if defined(__clang__)
#define UST_DETAIL_RETAIN , retain
#else
#define UST_DETAIL_RETAIN // in the section's flags
#endif
#define UST_DETAIL_IN_SECTION(name)                                                                \
	__attribute__((used, section(UST_DETAIL_GROUPED(UST_SECTION, "awR", "ust." name)),         \
		aligned(8) UST_DETAIL_RETAIN))

#if defined(__cplusplus)
#define UST_DETAIL_DEFINED inline __attribute__((visibility("hidden")))
#elif defined(__clang__)
#define UST_DETAIL_DEFINED __attribute__((visibility("hidden"), selectany))
#else
#define UST_DETAIL_DEFINED __attribute__((visibility("hidden"), weak))
#endif

#endif // UST_DETAIL_SECTION_H

/* SPDX-License-Identifier: MIT */
/*
 * What c_markers.c does for a test.
 */
#ifndef C_MARKERS_H
#define C_MARKERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void c_number(uint64_t value);
void c_text(const char *value);
void c_set_contexts(unsigned long request, const void *where);
void c_mixed(int i, const char *text);
void c_integers(void);
void c_small(void);
void c_floating(void);
void c_addresses(const int *object);
void c_strings(void);
void c_arguments(void);
void c_filters(void);
void c_words(void);
void c_sixty_four(void);

/* An event of two definitions: c_otherwise.c. */
void c_twice(void);
void c_twice_otherwise(void);

/* Writes a number with a side effect; how often that took place. */
int c_evaluated(void);

/* Where its executable or library keeps what there must be once. */
const void *c_thread(void);
const void *c_gate(void);
uint16_t c_id_of_number(void);

#ifdef __cplusplus
}
#endif

#endif

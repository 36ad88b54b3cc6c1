// SPDX-License-Identifier: MIT
//
// Included before everything else: lets a test interrupt a marker, of C++ or C, at the
// steps that the marker header names.
#pragma once

#define STEPS(each)                                                                                \
	each(begun) each(before_clock) each(after_clock) each(before_reserve) each(reserved)       \
		each(stored) each(before_commit) each(committed) each(ended) each(no_room)         \
			each(mapping) each(updating)

// step_hook is called at each step of this thread's markers, if set.
#ifdef __cplusplus
#define STEP(name) name,
enum class step {
	STEPS(STEP)
};
inline thread_local void (*step_hook)(step) = nullptr;
#define STEP_OF(name) step::name
#else
#define STEP(name) step_##name,
enum step {
	STEPS(STEP)
};
extern __thread void (*step_hook)(enum step); // of a file in C++
#define STEP_OF(name) step_##name
#endif

#define UST_DETAIL_STEP(name)                                                                      \
	do {                                                                                       \
		if (step_hook)                                                                     \
			step_hook(STEP_OF(name));                                                  \
	} while (0)

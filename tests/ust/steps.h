// SPDX-License-Identifier: MIT
//
// Included before everything else: lets a test interrupt a marker at the steps
// that the marker header names.
#pragma once

enum class step {
	begun,
	before_clock,
	before_reserve,
	reserved,
	stored,
	before_commit,
	committed,
	ended,
	no_room,
	updating,
};

// Called at each step of this thread's markers, if set.
inline thread_local void (*step_hook)(step) = nullptr;

#define UST_DETAIL_STEP(name)                                                                      \
	do {                                                                                       \
		if (step_hook)                                                                     \
			step_hook(step::name);                                                     \
	} while (false)

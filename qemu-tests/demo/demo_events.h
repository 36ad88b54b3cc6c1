// SPDX-License-Identifier: MIT
//
// The events of the demo: PID 1 and its workers, and the program that runs
// while the second trace is on.
#pragma once

#include <ust/ust.h>

// Filter bits: 0 what PID 1 does, 1 its workers, 2 the program.
UST_EVENT(demo, main_begins, UST_BIT(0), (int, pid))
UST_EVENT(demo, forked, UST_BIT(0), (int, pid)(const char *, role))
UST_EVENT(demo, ended, UST_BIT(0), (int, pid)(const char *, role)(int, signal))
UST_EVENT(demo, mounting, UST_BIT(0), (const char *, source)(const char *, where))
UST_EVENT(demo, running, UST_BIT(0), (const char *, command))

UST_EVENT(demo, step, UST_BIT(1), (int, number)(double, square_root))
UST_EVENT_LEVEL(demo, about_to_crash, UST_BIT(1), UST_LEVEL_CRIT, (const char *, last_words))
UST_EVENT(demo, loop, UST_BIT(1), (unsigned, round))

UST_EVENT(program, thread_begins, UST_BIT(2), (int, number))
UST_EVENT(program, work, UST_BIT(2), (int, thread)(unsigned, item)(const char *, what))

// SPDX-License-Identifier: MIT
//
// Times on a machine whose kernel chooses the clock.

#include "../times.h"

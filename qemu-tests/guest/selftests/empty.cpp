// SPDX-License-Identifier: MIT
// For the harness's own tests: a program without a test.
#include "../ktap.h"

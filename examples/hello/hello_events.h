// SPDX-License-Identifier: MIT
#pragma once
#include <ust/ust.h>

UST_EVENT(hello, start, UST_BIT(0))
UST_EVENT(hello, greeting, UST_BIT(0), (int, number)(const char *, whom))

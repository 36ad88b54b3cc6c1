// SPDX-License-Identifier: MIT
//
// Quick markers that two files have.
#pragma once

#include <ust/ust.h>

inline void quick_inline(int x)
{
	UST_TRACE("in an inline function", "x", x);
}

static inline void quick_static(int x)
{
	UST_TRACE("in a static function", "x", x);
}

template <class T>
void quick_template(T t)
{
	UST_TRACE("in a template", "t", t);
}

constexpr int quick_constexpr(int x)
{
	UST_TRACE("in a constexpr function", "x", x);
	return x;
}

struct quick_class {
	void member() { UST_TRACE("in a member"); }
};

static void call_quick_markers()
{
	quick_inline(1);
	quick_static(2);
	quick_template(3);
	quick_template("four");
	quick_constexpr(5);
	[](auto x) { UST_TRACE("in a lambda", "x", x); }(6);
	quick_class().member();
}

void call_quick_markers_of_other_unit();

// SPDX-License-Identifier: MIT
// How record and run tell of things that go wrong and do not end them.
#ifndef LTT_CTL_REPORT_H
#define LTT_CTL_REPORT_H

#include <cstdio>

#include "../lib/recorder.h"

namespace ltt {

// A thousand bad packets need not fill the screen: the summary counts them all.
inline Session::Report reporter(Progress &progress)
{
	return [&progress, n = 0](const std::string &line) mutable {
		constexpr int most = 20;
		if (++n > most)
			return;
		progress.clear();
		std::fprintf(stderr, "ltt-ctl: %s\n", line.c_str());
		if (n == most)
			std::fprintf(stderr, "ltt-ctl: more of the kind is counted, no longer shown\n");
	};
}

} // namespace ltt

#endif

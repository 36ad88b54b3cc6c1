// SPDX-License-Identifier: MIT
// What a person sees of a recording while it goes on.
#ifndef LTT_CTL_PROGRESS_H
#define LTT_CTL_PROGRESS_H

#include <cstdint>
#include <string>

#include "session.h"

namespace ltt
{

double seconds_now(); // of CLOCK_MONOTONIC

std::string megabytes(uint64_t bytes);

// Events, MB and losses so far, on a terminal only, once in half a second.
class Progress
{
public:
	Progress();
	void show(const Totals &totals);
	void clear();

private:
	bool terminal_;
	double last_ = 0;
	uint64_t last_events_ = 0;
	bool shown_ = false;
};

// What a session reports goes here: twenty lines at most, since the summary counts them all.
Session::Report reporter(Progress &progress);

} // namespace ltt

#endif

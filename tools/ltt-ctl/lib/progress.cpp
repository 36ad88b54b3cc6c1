// SPDX-License-Identifier: MIT
#include "progress.h"

#include <cstdio>
#include <ctime>

#include <unistd.h>

#include "log.h"

namespace ltt
{

double seconds_now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

std::string megabytes(uint64_t bytes)
{
	char text[32];
	std::snprintf(text, sizeof(text), "%.1f MB", static_cast<double>(bytes) / 1e6);
	return text;
}

Session::Report reporter(Progress &progress)
{
	return [&progress, n = 0](const std::string &line) mutable {
		constexpr int most = 20;
		if (++n > most)
			return;
		progress.clear();
		log_line(Level::warning, line);
		if (n == most)
			log_line(Level::warning, "more of the kind is counted, no longer shown");
	};
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), last_(seconds_now()) {}

void Progress::show(const Totals &t)
{
	double time = seconds_now();
	if (!terminal_ || time - last_ < 0.5)
		return;
	double rate = static_cast<double>(t.events - last_events_) / (time - last_);
	std::fprintf(stderr, "\r%llu events, %s, %llu lost, %.0f events/s\033[K",
		static_cast<unsigned long long>(t.events), megabytes(t.bytes).c_str(),
		static_cast<unsigned long long>(t.lost), rate);
	std::fflush(stderr);
	last_ = time;
	last_events_ = t.events;
	shown_ = true;
}

void Progress::clear()
{
	if (shown_)
		std::fputs("\r\033[K", stderr);
	shown_ = false;
}

} // namespace ltt

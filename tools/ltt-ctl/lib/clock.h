// SPDX-License-Identifier: MIT
// From the clock of the trace to nanoseconds.
#ifndef LTT_CTL_CLOCK_H
#define LTT_CTL_CLOCK_H

#include <cstdint>

#include <ust/detail/abi.h>

namespace ltt
{

// On disk a trace counts nanoseconds of CLOCK_MONOTONIC. One pair of readings and the
// frequency turn ticks into them: a straight line, so that order is kept.
class Clock
{
public:
	Clock() = default;
	explicit Clock(const ltt_trace_info &info)
		: freq_(info.clock == LTT_CLOCK_TSC && info.clock_freq ? info.clock_freq
								       : 1000000000),
		  ticks_(info.clock_now), ns_(info.monotonic_ns),
		  epoch_(static_cast<int64_t>(info.realtime_ns - info.monotonic_ns))
	{
	}

	uint64_t to_ns(uint64_t ticks) const
	{
		__extension__ typedef __int128 wide;
		wide product = (static_cast<wide>(ticks) - static_cast<wide>(ticks_)) * 1000000000;
		// Rounded down on both sides of the reading, or the line would have a kink.
		wide ns = product / freq_;
		if (product < 0 && product % freq_ != 0)
			--ns;
		ns += ns_;
		if (ns < 0)
			return 0;
		return ns > static_cast<wide>(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(ns);
	}

	// Nanoseconds from 1970 to the zero of to_ns().
	int64_t epoch_offset() const { return epoch_; }

private:
	uint64_t freq_ = 1000000000;
	uint64_t ticks_ = 0;
	uint64_t ns_ = 0;
	int64_t epoch_ = 0;
};

} // namespace ltt

#endif

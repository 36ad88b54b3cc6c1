// SPDX-License-Identifier: MIT
// From the clock of the trace to nanoseconds.
#ifndef LTT_CTL_CLOCK_H
#define LTT_CTL_CLOCK_H

#include <cstdint>

#include <ust/detail/abi.h>

namespace ltt
{

// On disk a trace counts nanoseconds of CLOCK_MONOTONIC. One pair of readings and the
// frequency turn ticks into them, all on one straight line, so that order is kept:
//
//	ns = (ticks * multiplier >> shift) + offset
class Clock
{
public:
	Clock() = default;
	explicit Clock(const ltt_trace_info &info)
		: epoch_(static_cast<int64_t>(info.realtime_ns - info.monotonic_ns))
	{
		uint64_t freq = info.clock == LTT_CLOCK_TSC ? info.clock_freq : 0;
		if (freq == 0)
			freq = ns_per_second;
		// As many bits as the multiplier can have. Rounded up, so that ticks that are
		// a whole number of nanoseconds do not become one less.
		wide multiplier = 0;
		for (shift_ = 64;; --shift_) {
			multiplier = ((wide{ns_per_second} << shift_) + freq - 1) / freq;
			if (multiplier <= UINT64_MAX)
				break;
		}
		multiplier_ = static_cast<uint64_t>(multiplier);
		offset_ = static_cast<int64_t>(info.monotonic_ns - line(info.clock_now));
	}

	uint64_t to_ns(uint64_t ticks) const
	{
		uint64_t ns = line(ticks);
		// Before the zero of CLOCK_MONOTONIC there is nothing.
		if (offset_ < 0 && ns < -static_cast<uint64_t>(offset_))
			return 0;
		return ns + static_cast<uint64_t>(offset_);
	}

	// Nanoseconds from 1970 to the zero of to_ns().
	int64_t epoch_offset() const { return epoch_; }

private:
	__extension__ typedef unsigned __int128 wide;
	static constexpr uint64_t ns_per_second = 1000000000;

	uint64_t line(uint64_t ticks) const
	{
		return static_cast<uint64_t>(wide{ticks} * multiplier_ >> shift_);
	}

	uint64_t multiplier_ = 1;
	int shift_ = 0;
	int64_t offset_ = 0;
	int64_t epoch_ = 0;
};

} // namespace ltt

#endif

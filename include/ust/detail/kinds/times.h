// SPDX-License-Identifier: MIT
//
// Fields that are times: time_points of std::chrono::system_clock and
// steady_clock, durations, and struct timespec; all in nanoseconds.
#ifndef UST_DETAIL_KINDS_TIMES_H
#define UST_DETAIL_KINDS_TIMES_H

#include "../kind.h"

UST_DETAIL_BEGIN

// What 64 bits do not hold becomes the least or the greatest number.
template <class Rep, class Period>
UST_DETAIL_INLINE std::int64_t to_nanoseconds(std::chrono::duration<Rep, Period> time) noexcept
{
	using std::chrono::nanoseconds;

	if constexpr (std::is_integral_v<Rep> && std::is_same_v<Period, std::nano>) {
		return static_cast<std::int64_t>(time.count());
	} else {
		const double about = std::chrono::duration<double, std::nano>(time).count();
		constexpr double limit = 9.2233720368547e18; // less than 2^63, by some microseconds
		if (!(about < limit))			     // not-a-number, too
			return std::numeric_limits<std::int64_t>::max();
		if (about < -limit)
			return std::numeric_limits<std::int64_t>::min();
		return std::chrono::duration_cast<std::chrono::duration<std::int64_t, std::nano>>(
			time)
			.count();
	}
}

UST_DETAIL_INLINE std::int64_t to_nanoseconds(const timespec &time) noexcept
{
	const std::int64_t whole = to_nanoseconds(std::chrono::seconds(time.tv_sec));
	std::int64_t result;

	return __builtin_add_overflow(whole, time.tv_nsec, &result) ? whole : result;
}

template <class Argument, class Clock>
inline constexpr bool clock_is = false;
template <class Clock, class Duration>
inline constexpr bool clock_is<std::chrono::time_point<Clock, Duration>, Clock> = true;

template <class Type>
struct kind_of<Type, sort::TIME> : number_kind<Type, std::int64_t> {
	static constexpr bool flat = false;
	static constexpr auto code =
		make_bytes(std::is_same_v<typename Type::clock, std::chrono::system_clock>
				   ? UST_TYPE_TIME
				   : UST_TYPE_MONOTONIC);
	template <class Argument>
	static constexpr bool takes = clock_is<Argument, typename Type::clock>;
	template <class Argument>
	UST_DETAIL_INLINE static std::int64_t from(const Argument &argument) noexcept
	{
		return to_nanoseconds(argument.time_since_epoch());
	}
};

template <class Type>
struct kind_of<Type, sort::DURATION> : number_kind<Type, std::int64_t> {
	static constexpr bool flat = false;
	static constexpr auto code = make_bytes(UST_TYPE_DURATION);
	template <class Argument>
	static constexpr bool takes =
		is_a<Argument, std::chrono::duration> || std::is_same_v<Argument, timespec>;
	template <class Argument>
	UST_DETAIL_INLINE static std::int64_t from(const Argument &argument) noexcept
	{
		return to_nanoseconds(argument);
	}
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_TIMES_H

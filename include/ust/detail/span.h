// SPDX-License-Identifier: MIT
//
// A span: an event at the begin of a scope, and one at its end.
#ifndef UST_DETAIL_SPAN_H
#define UST_DETAIL_SPAN_H

#include "quick.h"

UST_DETAIL_BEGIN

// What the traces of this thread take for a time; frequency 0: there are none.
struct moment {
	std::uint64_t ticks = 0;
	std::uint64_t frequency = 0;
};

[[gnu::noinline]] inline moment present() noexcept
{
	struct ust_thread *const thread = ust_current_thread();
	moment now;

	ust_increment32(&thread->markers); // so that no handler unmaps the buffer
	ust_order();
	if (const ust_buffer *const b = ust_load(&thread->first)) {
		now.frequency = ust_load(&b->clock_freq);
		now.ticks = ust_read_clock(ust_load(&b->clock));
		now.ticks += ust_load(&b->clock_offset);
	}
	ust_order();
	ust_decrement32(&thread->markers);
	return now;
}

// 0 if that cannot be told: other traces came meanwhile, with another clock.
inline std::chrono::nanoseconds since(const moment &begin) noexcept
{
	const moment end = present();
	if (end.frequency != begin.frequency)
		return std::chrono::nanoseconds(0);
	const double ticks = static_cast<double>(end.ticks - begin.ticks);
	return std::chrono::nanoseconds(
		static_cast<std::int64_t>(ticks * 1e9 / static_cast<double>(begin.frequency)));
}

// Writes End when it goes, if its begin was written.
template <class End>
class scoped_span
{
public:
	UST_DETAIL_INLINE scoped_span() noexcept = default;
	UST_DETAIL_INLINE explicit scoped_span(const moment &begin) noexcept : m_begin(begin) {}
	scoped_span(const scoped_span &) = delete;
	scoped_span &operator=(const scoped_span &) = delete;
	UST_DETAIL_INLINE ~scoped_span()
	{
		if (UST_DETAIL_UNLIKELY(m_begin.frequency) && wanted<End::filter>())
			marker<End>::write(since(m_begin), end_of_arguments());
	}

private:
	moment m_begin;
};

// The end of a span without a declaration.
template <class Names>
using quick_end = quick_event<Names, std::chrono::nanoseconds>;

UST_DETAIL_END

#define UST_DETAIL_UNIQUE(name) BOOST_PP_CAT(BOOST_PP_CAT(name, _), __LINE__)

// write is an expression that writes the begin, where it is wanted.
#define UST_DETAIL_SCOPED_SPAN(end, wanted, write)                                                 \
	const ::ust::detail::scoped_span<end> UST_DETAIL_UNIQUE(ust_span) =                        \
		UST_DETAIL_UNLIKELY(wanted)                                                        \
			? (write, ::ust::detail::scoped_span<end>(::ust::detail::present()))       \
			: ::ust::detail::scoped_span<end>()

#define UST_DETAIL_SPAN(provider, name, ...)                                                       \
	UST_DETAIL_SCOPED_SPAN(UST_DETAIL_EVENT_TYPE(provider, name##_end),                        \
		UST_ENABLED(provider, name##_begin),                                               \
		::ust::detail::marker<UST_DETAIL_EVENT_TYPE(provider, name##_begin)>::write(       \
			__VA_ARGS__))

#define UST_DETAIL_TRACE_SPAN(begin, end, what, ...)                                               \
	UST_DETAIL_QUICK_NAMES(begin, what, "_begin", ::UST_ROLE_SPAN_BEGIN, __VA_ARGS__)          \
	UST_DETAIL_QUICK_NAMES(end, what, "_end", ::UST_ROLE_SPAN_END,                             \
		UST_DETAIL_FIRST(__VA_ARGS__, ~), "duration", ~)                                   \
	UST_DETAIL_SCOPED_SPAN(::ust::detail::quick_end<end>, UST_DETAIL_QUICK_WANTED,             \
		::ust::detail::write_quick<begin>(UST_DETAIL_QUICK_VALUES(__VA_ARGS__)))

#endif // UST_DETAIL_SPAN_H

// SPDX-License-Identifier: MIT
//
// From the arguments of a marker to its events.
#ifndef UST_DETAIL_MARKER_H
#define UST_DETAIL_MARKER_H

#include "fields.h"
#include "registry.h"

UST_DETAIL_BEGIN

// The part of a marker that is out of line: writes the event into every buffer
// whose trace wants it. One function for each event, however many markers.
template <class Event, class... Values>
[[gnu::noinline]] inline void emit(Values... values) noexcept
{
	if (UST_DETAIL_UNLIKELY(load(module_state) != REGISTERED))
		register_module();
	thread_state &thread = current_thread();
	if (UST_DETAIL_UNLIKELY(load(thread.seen) != seen_of(gate)))
		if (load(gate.mask) & Event::filter)
			update_thread(thread);
	const std::uint16_t id = Event::id();
	if (UST_DETAIL_UNLIKELY(!id))
		return;

	store(thread.markers, load(thread.markers) + 1);
	order();
	(measure(values), ...);
	const std::uint64_t size = (sizeof(std::uint64_t) + ... + size_of(values));
	for (buffer *b = load(thread.first); b; b = next_of(thread, b)) {
		if (!load(b->active) || !(load(b->filter) & Event::filter))
			continue;
		const auto put_all = [&](char *at) { (put(at, values), ...); };
		// The markers that were left never count down.
		if (UST_DETAIL_UNLIKELY(write_event(b, size, id, put_all)))
			store(thread.markers, 1);
	}
	order();
	store(thread.markers, load(thread.markers) - 1);
}

// Checks the arguments of a marker and hands them over as the field types say.
// The checks come one by one, so that a mistake yields one reason and not a
// page of templates.
template <class Event, class Fields = typename Event::fields>
struct marker;

template <class Event, class... Types>
struct marker<Event, fields<Types...>> {
	template <class Type, class Argument>
	static constexpr bool fits() noexcept
	{
		constexpr bool result = kind<Type>::template takes<Argument>;
		static_assert(result,
			"UST: an argument does not convert to the type of its field; "
			"integers take integers, float and double take numbers, strings "
			"take strings");
		return result;
	}

	template <class... Arguments>
	UST_DETAIL_INLINE static void write(const Arguments &...arguments) noexcept
	{
		write_as<Types..., end_of_arguments>(arguments...);
	}

private:
	template <class... Kinds, class... Arguments>
	UST_DETAIL_INLINE static void write_as(const Arguments &...arguments) noexcept
	{
		constexpr bool counts = sizeof...(Kinds) == sizeof...(Arguments);
		static_assert(
			counts, "UST: a marker needs one argument for each field of its event");
		if constexpr (counts && Event::fields::supported)
			if constexpr ((fits<Kinds, Arguments>() && ...))
				emit<Event, typename kind<Kinds>::value...>(
					kind<Kinds>::from(arguments)...);
	}
};

UST_DETAIL_END

#endif // UST_DETAIL_MARKER_H

// SPDX-License-Identifier: MIT
//
// From the arguments of a marker to its events.
#ifndef UST_DETAIL_MARKER_H
#define UST_DETAIL_MARKER_H

#include "fields.h"
#include "write.h"

UST_DETAIL_BEGIN

// The part of a marker that is out of line: writes the event into every buffer
// whose trace wants it. One function for each event, however many markers.
template <class Event, class... Values>
[[gnu::noinline]] inline void emit(Values... values) noexcept
{
	std::uint16_t id = Event::id();
	if (UST_DETAIL_UNLIKELY(!id)) {
		register_module();
		id = Event::id();
		if (!id)
			return;
	}
	(measure(values), ...);
	const std::uint64_t size = (sizeof(std::uint64_t) + ... + size_of(values));
	slot s = begin_event(size, stack_position(), Event::filter, id);
	while (s.at) {
		(put(s.at, values), ...);
		buffer *const next = end_event(s.marker, stack_position());
		if (!UST_DETAIL_UNLIKELY(next))
			return;
		s = begin_slowly(size, stack_position(), Event::filter, Event::id(), next, false);
	}
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

// SPDX-License-Identifier: MIT
//
// From the arguments of a marker to its events.
#ifndef UST_DETAIL_MARKER_H
#define UST_DETAIL_MARKER_H

#include "fast.h"
#include "fields.h"
#include "identity.h"

UST_DETAIL_BEGIN

// Tells whether any of the filter bits in Filter is set in the mask of the gate.
UST_DETAIL_QUIET_BEGIN
template <std::uint32_t Filter>
UST_DETAIL_INLINE bool wanted() noexcept
{
	UST_DETAIL_TEST_GATE(&ust_gate, Filter);
}
UST_DETAIL_QUIET_END

// Stands for the field of the last argument of each marker, see end_of_arguments.
struct no_code {
};
struct end_kind {
	using value = end_of_arguments;
	struct captured {
		UST_DETAIL_INLINE explicit captured(value) noexcept {}
		UST_DETAIL_INLINE static constexpr std::size_t size() noexcept { return 0; }
		UST_DETAIL_INLINE static void put(char *, std::size_t) noexcept {}
		UST_DETAIL_INLINE static void fit(std::size_t) noexcept {}
	};
	static constexpr std::size_t least = 0;
	static constexpr bool slack = false;
	static constexpr no_code code = {};
	template <class Argument>
	static constexpr bool takes = std::is_same_v<Argument, end_of_arguments>;
	UST_DETAIL_INLINE static value from(const end_of_arguments &end) noexcept { return end; }
};

template <class Event, class... Kinds>
inline ust_event event_of UST_DETAIL_HIDDEN = {0, 0, 0, 0, 0};

// The types of a layout as ust_find_id() takes them.
template <std::size_t Size>
constexpr bytes<sizeof(std::uint32_t) + Size> sized(const bytes<Size> &code) noexcept
{
	bytes<sizeof(std::uint32_t) + Size> result{};
	byte_writer writer(result.data);
	writer.put_number(Size, sizeof(std::uint32_t));
	writer.put(code);
	return result;
}
constexpr bytes<1> sized(no_code) noexcept
{
	return {};
}
template <class... Kinds>
inline constexpr auto types_of = join(sized(Kinds::code)...);

// The fields of an event. They come from the values as they are passed, and stay the
// same from then on. then(size, put) writes them: so many bytes with the header, and
// put(at) stores the fields.
template <class... Kinds, class Then>
UST_DETAIL_INLINE void with_fields(Then then, typename Kinds::captured... captured) noexcept
{
	constexpr bool slack = (Kinds::slack || ...);
	std::uint64_t size = (sizeof(std::uint64_t) + ... + captured.size());
	std::size_t spare = 0;
	if constexpr (slack) {
		spare = size - (sizeof(std::uint64_t) + ... + Kinds::least);
		size += sizeof(std::uint32_t);
		(captured.fit(spare), ...);
	}
	then(
		size, [&](char *at) __attribute__((always_inline)) {
			std::size_t left = spare;
			(captured.put(at, left), ...);
			if constexpr (slack) {
				const auto rest = static_cast<std::uint32_t>(left);
				std::memcpy(at, &rest, sizeof rest);
			}
			static_cast<void>(at);
		});
}

// Into every buffer whose trace wants it. One function for all events with such fields.
// here: the stack of the function of the event, so that both ways tell alike whether a
// marker has been left.
template <class... Kinds>
[[gnu::cold]] UST_DETAIL_OUT_OF_LINE void write_slowly(std::uintptr_t here, ust_event *event,
	const ust_definition *definition, typename Kinds::value... values) noexcept
{
	if (!ust_id_of(event, definition, types_of<Kinds...>.data, sizeof...(Kinds) - 1))
		return;
	const auto write = [=](std::uint64_t size, auto put) __attribute__((always_inline))
	{
		ust_slot slot = ust_begin_event(size, here, event, definition);
		for (; slot.at; slot = ust_next_slot(slot, size, here, event, definition))
			put(slot.at);
	};
	with_fields<Kinds...>(write, typename Kinds::captured(values)...);
}

// The same where the usual way has begun and has found no room.
template <class... Kinds>
[[gnu::cold]] UST_DETAIL_OUT_OF_LINE void write_again(ust_buffer *b, std::uintptr_t here,
	ust_event *event, const ust_definition *definition,
	typename Kinds::value... values) noexcept
{
	ust_give_up(b, here);
	write_slowly<Kinds...>(here, event, definition, values...);
}

// definition() is asked for only where it is needed.
template <class... Kinds, class Definition>
UST_DETAIL_INLINE void write_event(
	ust_event *event, Definition definition, typename Kinds::value... values) noexcept
{
	ust_buffer *const b = ust_begin_fast(event);
	if (UST_DETAIL_UNLIKELY(!b))
		return write_slowly<Kinds...>(ust_stack_position(), event, definition(), values...);
	const auto write = [=](std::uint64_t size, auto put) __attribute__((always_inline))
	{
		char *const at = ust_reserve_fast(b, size, event);
		if (UST_DETAIL_UNLIKELY(!at))
			return write_again<Kinds...>(
				b, ust_stack_position(), event, definition(), values...);
		put(at);
		ust_end_fast(b);
	};
	with_fields<Kinds...>(write, typename Kinds::captured(values)...);
}

// The part of a marker that is out of line: one function for each event, however
// many markers.
template <class Event, class... Kinds>
UST_DETAIL_OUT_OF_LINE void emit(typename Kinds::value... values) noexcept
{
	write_event<Kinds...>(&event_of<Event, Kinds...>, Event::definition, values...);
}

// The same for all events of a class.
template <class Layout, class... Kinds>
UST_DETAIL_OUT_OF_LINE void emit_of_class(ust_event *event, const ust_definition *definition,
	typename Kinds::value... values) noexcept
{
	write_event<Kinds...>(
		event, [definition] { return definition; }, values...);
}

// Checks the arguments of a marker and hands them over as the field types say.
// The checks come one by one, so that a mistake yields one reason and not a
// page of templates.
template <class Event, class Fields = typename Event::layout::fields>
struct marker;

template <class Event, class... Types>
struct marker<Event, fields<Types...>> {
	template <class... Arguments>
	UST_DETAIL_INLINE static void write(const Arguments &...arguments) noexcept
	{
		if constexpr (Event::layout::fields::supported)
			write_as<kind<Types>..., end_kind>(plain(arguments)...);
	}

private:
	template <class Kind, class Argument>
	static constexpr bool fits() noexcept
	{
		constexpr bool result = Kind::template takes<std::remove_volatile_t<Argument>>;
		static_assert(result,
			"UST: an argument does not convert to the type of its field; "
			"integers take integers, float and double take numbers, strings "
			"take strings, others their own type (docs/markers.md)");
		return result;
	}

	template <class... Kinds, class... Arguments>
	UST_DETAIL_INLINE static void write_as(const Arguments &...arguments) noexcept
	{
		constexpr bool counts = sizeof...(Kinds) == sizeof...(Arguments);
		static_assert(
			counts, "UST: a marker needs one argument for each field of its event");
		if constexpr (counts) {
			if constexpr ((fits<Kinds, Arguments>() && ...)) {
				if constexpr (Event::of_class)
					emit_of_class<typename Event::layout, Kinds...>(
						&event_of<Event, Kinds...>, Event::definition(),
						Kinds::from(arguments)...);
				else
					emit<Event, Kinds...>(Kinds::from(arguments)...);
				ust_return_here();
			}
		}
	}
};

UST_DETAIL_END

#endif // UST_DETAIL_MARKER_H

// SPDX-License-Identifier: MIT
//
// Fields that are enumerations: integers, whose values have labels if
// ust::field<> gives them some (ust/types.h).
#ifndef UST_DETAIL_KINDS_ENUMS_H
#define UST_DETAIL_KINDS_ENUMS_H

#include "numbers.h"

UST_DETAIL_BEGIN

// The integer that an enumeration is. Its type may be bool or a character.
template <class Enum>
using integer_of = std::conditional_t<std::is_signed_v<std::underlying_type_t<Enum>>,
	std::conditional_t<sizeof(Enum) == 1, std::int8_t,
		std::conditional_t<sizeof(Enum) == 2, std::int16_t,
			std::conditional_t<sizeof(Enum) == 4, std::int32_t, std::int64_t>>>,
	std::conditional_t<sizeof(Enum) == 1, std::uint8_t,
		std::conditional_t<sizeof(Enum) == 2, std::uint16_t,
			std::conditional_t<sizeof(Enum) == 4, std::uint32_t, std::uint64_t>>>>;

template <class Enum>
struct enum_kind : number_kind<Enum, integer_of<Enum>> {
	template <class Argument>
	static constexpr bool takes = std::is_same_v<std::remove_cv_t<Argument>, Enum>;
};

template <class Enum>
struct kind_of<Enum, sort::PLAIN_ENUM> : enum_kind<Enum> {
	static constexpr auto code = make_bytes(integer_code<integer_of<Enum>>());
};

template <class Enum>
constexpr bool good_labels() noexcept
{
	const auto &labels = field<Enum>::labels;
	const std::size_t count = std::size(labels);

	for (std::size_t i = 0; i < count; ++i) {
		if (!*labels[i].name || static_cast<integer_of<Enum>>(labels[i].last) <
						static_cast<integer_of<Enum>>(labels[i].first))
			return false;
		for (std::size_t k = 0; k < i; ++k)
			if (same_string(labels[i].name, labels[k].name))
				return false;
	}
	return count > 0 && count <= UINT16_MAX;
}

template <class Enum>
constexpr auto make_enum_code() noexcept
{
	constexpr auto size = [] {
		std::size_t bytes = 4;
		for (const auto &label : field<Enum>::labels)
			bytes += 2 * sizeof(Enum) + length_of(label.name) + 1;
		return bytes;
	};
	bytes<size()> result{};
	byte_writer writer(result.data);
	writer.put_number(UST_TYPE_ENUM, 1);
	writer.put_number(integer_code<integer_of<Enum>>(), 1);
	writer.put_number(std::size(field<Enum>::labels), 2);
	for (const auto &label : field<Enum>::labels) {
		writer.put_number(static_cast<std::uint64_t>(label.first), sizeof(Enum));
		writer.put_number(static_cast<std::uint64_t>(label.last), sizeof(Enum));
		writer.put(label.name, length_of(label.name) + 1);
	}
	return result;
}

template <class Enum>
struct labels_kind : enum_kind<Enum> {
	static constexpr auto code = make_enum_code<Enum>();
	static constexpr std::size_t depth = 2;
};

template <class Enum>
struct kind_of<Enum, sort::LABELS>
	: unless_refused<good_labels<Enum>() ? refusal::NONE : refusal::BAD_LABELS,
		  labels_kind<Enum>> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_ENUMS_H

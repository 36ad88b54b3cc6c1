// SPDX-License-Identifier: MIT
//
// Events without a declaration: UST_TRACE and its kin. The fields have the types of
// the values, and the definition is put together where the marker stands.
#ifndef UST_DETAIL_QUICK_H
#define UST_DETAIL_QUICK_H

#include "marker.h"
#include "record.h"

#include <boost/preprocessor/arithmetic/mod.hpp>
#include <boost/preprocessor/arithmetic/sub.hpp>
#include <boost/preprocessor/control/if.hpp>
#include <boost/preprocessor/logical/and.hpp>
#include <boost/preprocessor/logical/not.hpp>
#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <boost/preprocessor/seq/for_each_i.hpp>
#include <boost/preprocessor/variadic/size.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>

UST_DETAIL_BEGIN

// The field for a value: an array of characters is a string.
template <class Value>
using quick_type =
	std::conditional_t<std::is_array_v<Value> &&
				   is_character<std::remove_cv_t<std::remove_extent_t<Value>>>,
		const char *,
		std::conditional_t<std::is_same_v<Value, std::nullptr_t>, const void *, Value>>;

// Bytes 4 * i and on of a record, as they lie in memory.
template <std::size_t Size>
constexpr std::uint32_t word_of(const definition_record<Size> &record, std::size_t i) noexcept
{
	const std::uint32_t head[] = {record.magic, record.size, record.filter,
		std::uint32_t{record.id} | static_cast<std::uint32_t>(record.level << 16) |
			static_cast<std::uint32_t>(record.n_fields) << 24};
	constexpr std::size_t heads = sizeof head / sizeof *head;
	if (i < heads)
		return head[i];
	std::uint32_t word = 0;
	for (std::size_t k = 0; k < sizeof word; ++k)
		word |= static_cast<std::uint32_t>(
				static_cast<unsigned char>(record.strings[4 * (i - heads) + k]))
			<< 8 * k;
	return word;
}

#if defined(__x86_64__)
// The group, by the question mark, is that of the function around: the linker drops
// or keeps both.
#define UST_DETAIL_PUSH_SECTION ".pushsection " UST_SECTION ",\"awR?\",@progbits\n\t"

template <std::uint32_t Word>
UST_DETAIL_INLINE void lay_down_word() noexcept
{
	asm volatile(UST_DETAIL_PUSH_SECTION ".long %c0\n\t.popsection"
		     :
		     : "i"(static_cast<std::int32_t>(Word)));
}
#endif

// Lays the record down in the section of definitions, and returns its address there.
//
// By the assembler, because gcc 12 ignores the section of a variable in a template,
// and defines one in an inline function twice. A function of its own, so that the
// marker has one record however often it is inlined.
template <class Event, std::size_t... I>
UST_DETAIL_OUT_OF_LINE const ust_definition *lay_down(std::index_sequence<I...>) noexcept
{
#if defined(__x86_64__)
	const ust_definition *result;
	// Compilers keep the order of these.
	asm volatile(UST_DETAIL_PUSH_SECTION ".balign 8\n661:\n\t.popsection" : :);
	(lay_down_word<std::integral_constant<std::uint32_t, word_of(Event::record, I)>::value>(),
		...);
	asm volatile("lea 661b(%%rip), %0" : "=r"(result));
	return result;
#else
	return nullptr; // no kernel has the facility there
#endif
}

// Names has names(), "provider\0name", fields(), the names of the fields, each with its
// NUL, place(), where it stands in the source, and role().
template <class Names, class... Types>
struct quick_event {
	struct layout {
		using fields = detail::fields<Types...>;
	};
	static constexpr bool of_class = false;
	static constexpr std::uint32_t filter = UST_CATEGORY_DEBUG;
	static constexpr auto record = make_definition<sizeof(Names::place()) - 1, Names::role()>(
		fields<Types...>(), filter,
		make_attributes(0, UST_LEVEL_DEBUG, static_cast<const char *>(Names::place())),
		Names::names(), Names::fields());
	static_assert(unique_names(Names::fields(), sizeof...(Types)),
		"UST: two of the values have the same name");

	static const ust_definition *definition() noexcept
	{
		return lay_down<quick_event>(std::make_index_sequence<sizeof record / 4>());
	}
};

template <class Names, class... Values>
using quick_event_for = quick_event<Names, quick_type<std::remove_volatile_t<Values>>...>;

// Reports the reason if a value cannot be traced as it is.
template <class... Values>
constexpr bool are_traceable() noexcept
{
	static_assert(sizeof...(Values) <= UST_MAX_FIELDS, "UST: at most 64 values");
	return (is_traceable<quick_type<std::remove_volatile_t<Values>>>() && ...);
}

template <class Names, class... Values>
UST_DETAIL_INLINE void write_quick(const Values &...values) noexcept
{
	if constexpr (are_traceable<Values...>())
		marker<quick_event_for<Names, Values...>>::write(values..., end_of_arguments());
}

UST_DETAIL_END

// what begins the messages. The text and the names are literals, and joined as such.
#define UST_DETAIL_TRACE(what, suffix, role, ...)                                                  \
	do {                                                                                       \
		if (UST_DETAIL_QUICK_WANTED) {                                                     \
			UST_DETAIL_QUICK_NAMES(ust_names, what, suffix, role, __VA_ARGS__)         \
			::ust::detail::write_quick<ust_names>(                                     \
				UST_DETAIL_QUICK_VALUES(__VA_ARGS__));                             \
		}                                                                                  \
	} while (false)

#define UST_DETAIL_QUICK_WANTED                                                                    \
	(!__builtin_is_constant_evaluated() &&                                                     \
		UST_DETAIL_UNLIKELY(::ust::detail::wanted<UST_CATEGORY_DEBUG>()))

// A class, because a string that is passed on is no constant for the compiler.
#define UST_DETAIL_QUICK_NAMES(class_, what, suffix, role_, ...)                                   \
	struct class_ {                                                                            \
		UST_DETAIL_QUICK_TEXT(names, "trace\0" UST_DETAIL_FIRST(__VA_ARGS__, ~) suffix)    \
		UST_DETAIL_QUICK_TEXT(fields, UST_DETAIL_QUICK_EACH(NAME, ~, __VA_ARGS__))         \
		UST_DETAIL_QUICK_TEXT(place, __FILE__ ":" UST_DETAIL_EXPANDED(__LINE__))           \
		static constexpr ::ust_role role() noexcept { return role_; }                      \
	};                                                                                         \
	UST_DETAIL_QUICK_CHECKS(what, __VA_ARGS__)

#define UST_DETAIL_FIRST(first, ...) first
#define UST_DETAIL_EXPANDED(text) UST_DETAIL_STRING(text)
#define UST_DETAIL_QUICK_TEXT(name, text)                                                          \
	static constexpr const char(&name() noexcept)[sizeof(text)]                                \
	{                                                                                          \
		return text;                                                                       \
	}

#define UST_DETAIL_QUICK_CHECKS(what, ...)                                                         \
	static_assert(BOOST_PP_VARIADIC_SIZE(__VA_ARGS__) % 2 == 1,                                \
		what ": after the text come pairs of a name and a value");                         \
	static_assert(::ust::detail::is_text_of_event(UST_DETAIL_FIRST(__VA_ARGS__, ~)),           \
		what ": a text has printable characters of ASCII, but no quotes and no "           \
		     "backslashes");                                                               \
	UST_DETAIL_QUICK_EACH(CHECK, what, __VA_ARGS__)

// The arguments are text, name, value, name, value ... One macro for each sort.
#define UST_DETAIL_QUICK_EACH(macro, data, ...)                                                    \
	BOOST_PP_SEQ_FOR_EACH_I(                                                                   \
		UST_DETAIL_QUICK_##macro, data, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))
#define UST_DETAIL_QUICK_VALUES(...) UST_DETAIL_QUICK_EACH(VALUE, ~, __VA_ARGS__)

#define UST_DETAIL_QUICK_NAME(r, data, i, item)                                                    \
	BOOST_PP_IF(BOOST_PP_MOD(i, 2), UST_DETAIL_FIELD_NAME_OF_TEXT, UST_DETAIL_NO_TEXT)(item)
#define UST_DETAIL_FIELD_NAME_OF_TEXT(name) name "\0"
#define UST_DETAIL_QUICK_CHECK(r, what, i, item)                                                   \
	BOOST_PP_IF(BOOST_PP_MOD(i, 2), UST_DETAIL_QUICK_CHECK_NAME, UST_DETAIL_NO_CHECK)          \
	(what, item)
#define UST_DETAIL_QUICK_CHECK_NAME(what, name)                                                    \
	static_assert(::ust::detail::is_name(name),                                                \
		what ": \"" name "\" is no name of a field: [A-Za-z_][A-Za-z0-9_]*");
#define UST_DETAIL_QUICK_VALUE(r, data, i, item)                                                   \
	BOOST_PP_IF(BOOST_PP_AND(i, BOOST_PP_NOT(BOOST_PP_MOD(i, 2))), UST_DETAIL_QUICK_VALUE_AT,  \
		UST_DETAIL_NO_CHECK)                                                               \
	(i, item)
#define UST_DETAIL_QUICK_VALUE_AT(i, value) BOOST_PP_COMMA_IF(BOOST_PP_SUB(i, 2)) value

#endif // UST_DETAIL_QUICK_H

// SPDX-License-Identifier: MIT
//
// Types of fields that C++ has no word for, and ust::field<>, by which a program
// tells how its own types are traced. Part of ust/ust.h.
#ifndef UST_TYPES_H
#define UST_TYPES_H

#include "detail/arguments.h"

#include <boost/preprocessor/punctuation/comma_if.hpp>
#include <cstddef>
#include <tuple>

namespace ust
{

// An integer that readers show in another base, or that lies in memory most
// significant byte first, as htons() makes it. They combine:
//
//	(ust::hex<unsigned>, flags)(ust::network<std::uint16_t>, port)
//	(ust::hex<ust::network<std::uint32_t>>, address)
//
// A field takes what its integer takes, and costs the same.
template <class Integer>
struct hex {
};
template <class Integer>
struct oct {
};
template <class Integer>
struct bin {
};
template <class Integer>
struct network {
};

// A string of at most Size bytes; a longer one is cut off between two of its
// characters. A C string need not have a NUL within them.
template <std::size_t Size>
struct bounded {
};

// Elements that lie in a row: an argument for fields that are sequences, where
// std::span of C++20 is not at hand. Also a type of fields.
//
//	UST(worker, samples, ust::span(pointer, count));
template <class Element>
class span
{
public:
	constexpr span(const Element *data, std::size_t size) noexcept : m_data(data), m_size(size)
	{
	}
	constexpr const Element *data() const noexcept { return m_data; }
	constexpr std::size_t size() const noexcept { return m_data ? m_size : 0; }

private:
	const Element *m_data;
	std::size_t m_size;
};

// The one customisation point: a specialization tells how a type is traced. It
// has one of three members.
//
// get: as what it returns, which may have any type of fields. It runs out of
// line, only where a trace wants the event; for an element of a sequence more
// than once. It must not throw.
//
//	template <>
//	struct ust::field<money> {
//		static double get(const money &m) { return m.cents / 100.0; }
//	};
//
// members: as a structure. Each is a pointer to a member, or something to call
// with the object. The type of its field is that of the member, or the one
// given. UST_STRUCT writes the usual case.
//
//	template <>
//	struct ust::field<point> {
//		static constexpr auto members = std::make_tuple(
//			ust::member("x", &point::x), ust::member<ust::hex<int>>("y", &point::y));
//	};
//
// labels: an enumeration with names for its values, or for ranges of them.
// UST_ENUM writes the usual case.
//
//	template <>
//	struct ust::field<state> {
//		static constexpr ust::label<state> labels[] = {
//			{"idle", state::idle}, {"busy", state::first, state::last}};
//	};
template <class Type>
struct field {
};

template <class Enumeration>
struct label {
	constexpr label(const char *label_name, Enumeration value) noexcept
		: name(label_name), first(value), last(value)
	{
	}
	constexpr label(const char *label_name, Enumeration begin, Enumeration end) noexcept
		: name(label_name), first(begin), last(end)
	{
	}
	const char *name;
	Enumeration first, last;
};

template <class Type, class Get>
struct member_of {
	const char *name;
	Get get;
};

template <class Type = void, class Get>
constexpr member_of<Type, Get> member(const char *name, Get get) noexcept
{
	return {name, get};
}

} // namespace ust

// UST_STRUCT(type, (member)(member)...): objects of type are traced as a
// structure of these members. At global scope, before the first event that has
// such a field. Stands for a ust::field<type> with members.
#define UST_STRUCT(type, members_)                                                                 \
	template <>                                                                                \
	struct ust::field<type> {                                                                  \
		static constexpr auto members = ::std::make_tuple(                                 \
			BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_STRUCT_MEMBER, type, members_));        \
	};
#define UST_DETAIL_STRUCT_MEMBER(r, type, i, name)                                                 \
	BOOST_PP_COMMA_IF(i)::ust::member(UST_DETAIL_STRING(name), &type::name)

// UST_ENUM(type, (enumerator)(enumerator)...): values of type are shown by these
// names. At global scope, before the first event that has such a field. Stands
// for a ust::field<type> with labels.
#define UST_ENUM(type, enumerators)                                                                \
	template <>                                                                                \
	struct ust::field<type> {                                                                  \
		static constexpr ::ust::label<type> labels[] = {                                   \
			BOOST_PP_SEQ_FOR_EACH_I(UST_DETAIL_ENUM_LABEL, type, enumerators)};        \
	};
#define UST_DETAIL_ENUM_LABEL(r, type, i, name)                                                    \
	BOOST_PP_COMMA_IF(i)                                                                       \
	{                                                                                          \
		UST_DETAIL_STRING(name), type::name                                                \
	}

#endif // UST_TYPES_H

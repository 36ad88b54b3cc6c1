// SPDX-License-Identifier: MIT
//
// Fields of the program's own types that ust::field<> (ust/types.h) makes a
// structure, or something else.
#ifndef UST_DETAIL_KINDS_STRUCTURES_H
#define UST_DETAIL_KINDS_STRUCTURES_H

#include "../kind.h"

UST_DETAIL_BEGIN

// std::invoke() without its header.
template <class Get, class Object>
UST_DETAIL_INLINE constexpr decltype(auto) call(const Get &get, const Object &object)
{
	if constexpr (std::is_member_object_pointer_v<Get>)
		return (object.*get);
	else if constexpr (std::is_member_function_pointer_v<Get>)
		return (object.*get)();
	else
		return get(object);
}

template <class Type>
struct get_function {
	UST_DETAIL_INLINE decltype(auto) operator()(const Type &object) const
	{
		return field<Type>::get(object);
	}
};

// Keeps what a function of the program returned for as long as the writer needs
// it. What is captured may refer to it, so that it must not move.
template <class Kind, class Get, class Object>
struct kept {
	using result_type =
		decltype(call(std::declval<const Get &>(), std::declval<const Object &>()));

	UST_DETAIL_INLINE kept(const Get &get, const Object &object) noexcept
		: result(call(get, object)), content(Kind::from(plain(result)))
	{
	}
	kept(const kept &) = delete;
	kept &operator=(const kept &) = delete;

	result_type result;
	typename Kind::captured content;
};

// The N-th member of a structure: its kind, and how it is got.
template <class Type, std::size_t N>
struct member_kind {
	using description =
		std::tuple_element_t<N, std::remove_cv_t<decltype(field<Type>::members)>>;
	template <class Description>
	struct parts;
	template <class Given, class Get>
	struct parts<member_of<Given, Get>> {
		using get = Get;
		using result =
			decltype(call(std::declval<const Get &>(), std::declval<const Type &>()));
		using type = std::conditional_t<std::is_void_v<Given>, result, Given>;
	};
	using get = typename parts<description>::get;
	using each = kind<typename parts<description>::type>;

	static constexpr const char *name() noexcept
	{
		return std::get<N>(field<Type>::members).name;
	}
	static constexpr auto code() noexcept
	{
		constexpr std::size_t size = length_of(name()) + 1;
		bytes<size> text{};
		byte_writer(text.data).put(name(), size);
		return join(each::code, text);
	}
};

template <class Type, std::size_t N>
struct kept_member
	: kept<typename member_kind<Type, N>::each, typename member_kind<Type, N>::get, Type> {
	UST_DETAIL_INLINE explicit kept_member(const Type &object) noexcept
		: kept_member::kept(std::get<N>(field<Type>::members).get, object)
	{
	}
};

template <class Type, std::size_t... N>
constexpr refusal refusal_of_members(std::index_sequence<N...>) noexcept
{
	constexpr std::size_t count = sizeof...(N);
	refusal first = refusal::NONE;

	if constexpr (count == 0 || count > UST_MAX_FIELDS) {
		first = refusal::BAD_MEMBERS;
	} else {
		const char *const names[] = {member_kind<Type, N>::name()...};
		for (std::size_t i = 0; i < count; ++i) {
			if (!is_name(names[i]))
				first = refusal::BAD_MEMBERS;
			for (std::size_t k = 0; k < i; ++k)
				if (same_string(names[i], names[k]))
					first = refusal::BAD_MEMBERS;
		}
		((first = first == refusal::NONE ? member_kind<Type, N>::each::refused : first),
			...);
	}
	return first;
}

template <class Type, class Indices>
struct members_kind;

template <class Type, std::size_t... N>
struct members_kind<Type, std::index_sequence<N...>> {
	template <std::size_t Index>
	using each = typename member_kind<Type, Index>::each;

	static constexpr std::size_t find_depth() noexcept
	{
		std::size_t most = 0;
		((most = each<N>::depth > most ? each<N>::depth : most), ...);
		return most;
	}

	static constexpr refusal refused = refusal::NONE;
	static constexpr auto code =
		join(make_bytes(UST_TYPE_STRUCT, sizeof...(N)), member_kind<Type, N>::code()...);
	using object = Type;
	using value = const Type *;

	struct captured : kept_member<Type, N>... {
		UST_DETAIL_INLINE explicit captured(value object) noexcept
			: kept_member<Type, N>(*object)...
		{
		}
		UST_DETAIL_INLINE std::size_t size() const noexcept
		{
			return (kept_member<Type, N>::content.size() + ...);
		}
		UST_DETAIL_INLINE void put(char *&at, std::size_t &spare) const noexcept
		{
			(kept_member<Type, N>::content.put(at, spare), ...);
		}
		UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
		{
			(kept_member<Type, N>::content.fit(spare), ...);
		}
	};

	static constexpr std::size_t least = (each<N>::least + ...);
	static constexpr bool fixed = (each<N>::fixed && ...), slack = (each<N>::slack || ...);
	static constexpr bool flat = false;
	static constexpr std::size_t depth = find_depth() + 1;

	template <class Argument>
	static constexpr bool takes = std::is_base_of_v<Type, Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return std::addressof(static_cast<const Type &>(argument));
	}
};

template <class Type>
using member_indices = std::make_index_sequence<
	std::tuple_size_v<std::remove_cv_t<decltype(field<Type>::members)>>>;

template <class Type>
struct kind_of<Type, sort::MEMBERS>
	: unless_refused<refusal_of_members<Type>(member_indices<Type>()),
		  members_kind<Type, member_indices<Type>>> {
};

// As what get() returns, which is asked for out of line.
template <class Type>
using got_kind = kind<decltype(get_function<Type>()(std::declval<const Type &>()))>;

template <class Type>
struct get_kind : got_kind<Type> {
	using each = got_kind<Type>;
	using object = Type;
	using value = const Type *;

	struct captured : kept<each, get_function<Type>, Type> {
		UST_DETAIL_INLINE explicit captured(value object) noexcept
			: captured::kept(get_function<Type>(), *object)
		{
		}
		UST_DETAIL_INLINE std::size_t size() const noexcept { return this->content.size(); }
		UST_DETAIL_INLINE void put(char *&at, std::size_t &spare) const noexcept
		{
			this->content.put(at, spare);
		}
		UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
		{
			this->content.fit(spare);
		}
	};

	static constexpr bool flat = false;
	template <class Argument>
	static constexpr bool takes = std::is_same_v<std::remove_cv_t<Argument>, Type> ||
				      std::is_base_of_v<Type, Argument>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		return std::addressof(static_cast<const Type &>(argument));
	}
};

template <class Type>
struct kind_of<Type, sort::GET> : unless_refused<got_kind<Type>::refused, get_kind<Type>> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_STRUCTURES_H

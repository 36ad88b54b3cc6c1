// SPDX-License-Identifier: MIT
//
// A context of the program's own in C++: its type, and the values that it is given.
#ifndef UST_DETAIL_OWN_CONTEXT_H
#define UST_DETAIL_OWN_CONTEXT_H

#include "context.h"
#include "macros.h"

UST_DETAIL_BEGIN

// A number in the widest sense, which lies in the event as in memory.
template <class Type>
constexpr bool is_context_type() noexcept
{
	if constexpr (kind<Type>::refused != refusal::NONE)
		return false;
	else
		return std::is_same_v<typename kind<Type>::captured,
			captured_number<typename kind<Type>::value>>;
}

// Context has type and state().
template <class Context, class Argument>
UST_DETAIL_INLINE void set_context(const Argument &argument) noexcept
{
	using Kind = kind<typename Context::type>;
	constexpr bool fits = Kind::template takes<std::remove_volatile_t<Argument>>;

	static_assert(fits, "UST_SET_CONTEXT: the value does not convert to the type of the "
			    "context, as the argument of a marker does to that of its field "
			    "(docs/markers.md)");
	if constexpr (fits) {
		const typename Kind::value value = Kind::from(argument);
		ust_set_context(Context::state(), &value, sizeof value);
	}
}

UST_DETAIL_END

#define UST_DETAIL_CONTEXT(provider, name, ...)                                                    \
	namespace [[gnu::visibility("hidden")]] ust_provider_##provider                            \
	{                                                                                          \
		UST_DETAIL_OWN_CONTEXT(                                                            \
			"UST_CONTEXT(" #provider ", " #name "): ", "context." #provider "." #name, \
			#provider, #name, context_##name, __VA_ARGS__)                             \
	}

#define UST_DETAIL_OWN_CONTEXT(who, symbol, provider, name, id, ...)                               \
	struct description_of_##id {                                                               \
		static constexpr bool supported = ::ust::detail::is_context_type<__VA_ARGS__>();   \
		static_assert(supported,                                                           \
			who "a context is a number, a character, an enumeration or an address, "   \
			    "of 8 bytes at most, and not " #__VA_ARGS__);                          \
		static_assert(::ust::detail::is_name(provider) && ::ust::detail::is_name(name),    \
			who "names of providers and contexts are [A-Za-z_][A-Za-z0-9_]*");         \
		using type = ::std::conditional_t<supported, __VA_ARGS__, int>;                    \
		static constexpr auto record =                                                     \
			::ust::detail::make_context<type>(provider "\0" name);                     \
	};                                                                                         \
	UST_DETAIL_DEFINED auto definition_of_##id UST_DETAIL_SYMBOL(symbol)                       \
		UST_DETAIL_IN_SECTION(symbol) = description_of_##id::record;                       \
	UST_DETAIL_QUIET_BEGIN                                                                     \
	UST_DETAIL_C_VARIABLE __thread ::std::uint64_t value_of_##id UST_DETAIL_SYMBOL(            \
		"value." symbol) __attribute__((tls_model("initial-exec"))) = 0;                   \
	inline ::std::uint64_t *address_of_##id() noexcept                                         \
	{                                                                                          \
		return &value_of_##id;                                                             \
	}                                                                                          \
	UST_DETAIL_C_VARIABLE struct ust_context state_of_##id UST_DETAIL_SYMBOL(                  \
		"state." symbol) = {nullptr, &definition_of_##id, address_of_##id,                 \
		::ust::detail::kind<description_of_##id::type>::least, 0};                         \
	UST_DETAIL_QUIET_END                                                                       \
	struct id : description_of_##id {                                                          \
		static ust_context *state() noexcept { return &state_of_##id; }                    \
	};

#define UST_DETAIL_SET_CONTEXT(provider, name, ...)                                                \
	::ust::detail::set_context<::ust_provider_##provider::context_##name>(                     \
		::ust::detail::plain(__VA_ARGS__))

#endif // UST_DETAIL_OWN_CONTEXT_H

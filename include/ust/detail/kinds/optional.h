// SPDX-License-Identifier: MIT
//
// Fields that are std::optional.
#ifndef UST_DETAIL_KINDS_OPTIONAL_H
#define UST_DETAIL_KINDS_OPTIONAL_H

#include "../kind.h"

#include <new>

UST_DETAIL_BEGIN

template <class Type>
struct optional_kind {
	using each = kind<Type>;
	static constexpr refusal refused = refusal::NONE;
	static constexpr auto code = join(make_bytes(UST_TYPE_OPTIONAL), each::code);
	using object = std::optional<Type>;
	using value = const Type *; // null if there is none

	class captured
	{
	public:
		UST_DETAIL_INLINE explicit captured(value v) noexcept : m_there(v != nullptr)
		{
			if (v)
				::new (static_cast<void *>(std::addressof(m_content)))
					content(each::from(plain(*v)));
			else // gcc would warn of a value that is never read
				asm("" : "=m"(m_content));
		}
		UST_DETAIL_INLINE ~captured()
		{
			if (m_there)
				m_content.~content();
		}
		captured(const captured &) = delete;
		captured &operator=(const captured &) = delete;

		UST_DETAIL_INLINE std::size_t size() const noexcept
		{
			return 1 + (m_there ? m_content.size() : 0);
		}
		UST_DETAIL_INLINE void put(char *&at, std::size_t &spare) const noexcept
		{
			*at++ = m_there ? 1 : 0;
			if (m_there)
				m_content.put(at, spare);
		}
		UST_DETAIL_INLINE void fit(std::size_t &spare) noexcept
		{
			if (m_there && spare < each::least) {
				m_content.~content();
				m_there = false;
			}
			if (m_there) {
				spare -= each::least;
				m_content.fit(spare);
			}
		}

	private:
		using content = typename each::captured;
		union {
			content m_content;
		};
		bool m_there;
	};

	static constexpr std::size_t least = 1, depth = each::depth + 1;
	static constexpr bool fixed = false, flat = false, slack = each::slack;

	template <class Argument>
	static constexpr bool takes =
		std::is_same_v<Argument, object> || std::is_same_v<Argument, Type> ||
		std::is_same_v<Argument, std::nullopt_t>;
	template <class Argument>
	UST_DETAIL_INLINE static value from(const Argument &argument) noexcept
	{
		if constexpr (std::is_same_v<Argument, object>)
			return argument ? std::addressof(*argument) : nullptr;
		else if constexpr (std::is_same_v<Argument, Type>)
			return std::addressof(argument);
		else
			return nullptr;
	}
};

template <class Type>
struct kind_of<std::optional<Type>, sort::OPTIONAL>
	: unless_refused<kind<Type>::refused, optional_kind<Type>> {
};

UST_DETAIL_END

#endif // UST_DETAIL_KINDS_OPTIONAL_H

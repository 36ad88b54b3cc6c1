// SPDX-License-Identifier: MIT
// What an error says.
#ifndef LTT_TESTS_CTL_REFUSAL_H
#define LTT_TESTS_CTL_REFUSAL_H

#include <string>

#include "lib/definitions.h"
#include "lib/error.h"

#include "types.h"

// If it is one of misuse.
template <class F>
std::string misuse(F f)
{
	try {
		f();
	} catch (const ltt::Error &e) {
		return e.code() == ltt::Exit::misuse ? e.what() : "wrong code";
	}
	return "accepted";
}

inline ltt::Definitions parse(const Bytes &bytes)
{
	// A copy of exactly this size: a sanitizer sees a read beyond it.
	Bytes copy(bytes);
	copy.shrink_to_fit();
	return ltt::parse_definitions(copy.data(), copy.size());
}

// Of definitions.
inline std::string refusal(const Bytes &bytes)
{
	try {
		parse(bytes);
	} catch (const ltt::BadData &e) {
		return e.what();
	}
	return "accepted";
}

#endif

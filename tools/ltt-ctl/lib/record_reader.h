// SPDX-License-Identifier: MIT
// The bytes of one record of event definitions: a cursor that cannot leave it.
#ifndef LTT_CTL_RECORD_READER_H
#define LTT_CTL_RECORD_READER_H

#include <cstring>
#include <string>

#include "error.h"

namespace ltt
{

// What is wrong, and where in the row of definitions.
[[noreturn]] inline void bad(size_t offset, const std::string &why)
{
	throw BadData("event definitions, byte " + std::to_string(offset) + ": " + why);
}

inline bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

class RecordReader
{
public:
	RecordReader(const uint8_t *base, size_t from, size_t to) : base_(base), at_(from), end_(to)
	{
	}

	size_t at() const { return at_; }

	// An integer of that many bytes.
	uint64_t number(size_t size, const char *what)
	{
		need(size, what);
		uint64_t n = 0;
		static_assert(
			__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower bytes come first");
		std::memcpy(&n, base_ + at_, size);
		at_ += size;
		return n;
	}

	std::string bytes(size_t size, const char *what)
	{
		need(size, what);
		std::string s(reinterpret_cast<const char *>(base_ + at_), size);
		at_ += size;
		return s;
	}

	// Up to a NUL, which is passed over.
	std::string string(const char *what)
	{
		const void *nul = at_ < end_ ? std::memchr(base_ + at_, 0, end_ - at_) : nullptr;
		if (!nul)
			bad(at_, std::string("the record ends inside ") + what);
		size_t length =
			static_cast<size_t>(static_cast<const uint8_t *>(nul) - (base_ + at_));
		if (length > max_string)
			bad(at_, std::string(what) + " is longer than " +
					 std::to_string(max_string) + " bytes");
		std::string s = bytes(length, what);
		++at_;
		return s;
	}

	// Which property comes next; 0 if there are only zeros left.
	uint8_t property()
	{
		if (at_ < end_ && base_[at_])
			return base_[at_++];
		only_zeros();
		return 0;
	}

	void only_zeros()
	{
		for (; at_ < end_; ++at_)
			if (base_[at_])
				bad(at_, "rubbish at its end");
	}

private:
	static constexpr size_t max_string = 255;

	void need(size_t size, const char *what)
	{
		if (size > end_ - at_)
			bad(at_, std::string("the record ends before ") + what);
	}

	const uint8_t *base_;
	size_t at_;
	size_t end_;
};

} // namespace ltt

#endif

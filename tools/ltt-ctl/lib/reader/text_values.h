// SPDX-License-Identifier: MIT
// Values as babeltrace2 prints them.
#ifndef LTT_CTL_READER_TEXT_VALUES_H
#define LTT_CTL_READER_TEXT_VALUES_H

#include <string>

#include "values.h"

namespace ltt::reader
{

class TextValues : public Values
{
public:
	explicit TextValues(std::string &out) : out_(out) {}

	// "{ a = 1, b = "two" }"
	void structure(const std::vector<Shown> &fields, Bytes bytes);

	void field(const Shown &field, uint32_t n) override;
	void element(uint32_t number) override;
	void integer(const Type &type, uint64_t value) override;
	void enumeration(const Type &type, uint64_t value) override;
	void real(double value) override;
	void boolean(uint8_t value) override;
	void text(std::string_view value) override;
	void begin(const Shown &structure_or_row) override;
	void end(const Shown &structure_or_row) override;

private:
	void separate();

	std::string &out_;
	bool first_ = true;
};

void append_number(std::string &out, uint64_t value, int base = 10);
void append_signed(std::string &out, int64_t value);
// With quotes around it, and what is not printable escaped.
void append_quoted(std::string &out, std::string_view text);

// The labels that have this value.
template <class F>
void for_each_label(const Type &enumeration, uint64_t value, F f)
{
	const bool with_sign = is_signed(enumeration.element().code);
	for (const Label &label : enumeration.labels)
		if (with_sign ? static_cast<int64_t>(value) >= static_cast<int64_t>(label.first) &&
					static_cast<int64_t>(value) <=
						static_cast<int64_t>(label.last)
			      : value >= label.first && value <= label.last)
			f(label.name);
}

} // namespace ltt::reader

#endif

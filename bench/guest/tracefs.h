// SPDX-License-Identifier: MIT
//
// The kernel's own tracing, by its files: a flight recorder of the size that all
// tracers have here.
#pragma once

#include "measure.h"

namespace bench
{

class Tracefs
{
public:
	// Mounts it and takes the buffer in use; there is none if the kernel has no tracefs.
	Tracefs();

	explicit operator bool() const { return there; }
	bool has(const std::string &file) const;
	int open_file(const std::string &file, int flags) const;
	void write(const std::string &file, const std::string &text) const;

	// measure(), and each round must have written an event.
	template <class Body>
	void measure(const std::string &key, const Body &body) const
	{
		const std::uint64_t before = written();
		bench::measure(key, body);
		REQUIRE_EQ(written() - before, WRITTEN);
	}

	// The newest event, as text, has the number of the last round as its field a.
	void check_newest() const;

private:
	// Events that got into the buffer so far, also those that are overwritten by now.
	std::uint64_t written() const;

	bool there = false;
};

} // namespace bench

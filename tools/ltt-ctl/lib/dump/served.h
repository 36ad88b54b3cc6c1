// SPDX-License-Identifier: MIT
// What ltt-ctl and ltt-kdump say to each other through pipes. ltt-kdump reads the formats of
// makedumpfile by libkdumpfile, which exists as a shared library only, while ltt-ctl is
// static; and what chokes on a damaged dump is not ltt-ctl itself.
//
//	ltt-kdump: a struct Greeting, and as many bytes of text
//	ltt-ctl, again and again: a struct Request
//	ltt-kdump: the bytes asked for, after a uint64_t of 1, or a uint64_t of 0: it has not
//		all of them
#ifndef LTT_CTL_DUMP_SERVED_H
#define LTT_CTL_DUMP_SERVED_H

#include <cstdint>

namespace ltt::dump
{

struct Greeting {
	uint64_t good; // 0: the file cannot be read, and the text is why
	uint64_t top;  // the address after the highest of the image
	uint64_t size; // of the text: VMCOREINFO
};

struct Request {
	uint64_t address;
	uint64_t size;
};

} // namespace ltt::dump

#endif

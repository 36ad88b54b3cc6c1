// SPDX-License-Identifier: MIT
//
// Events back from their bytes, by the definitions that the program registered.
#pragma once

#include "fake_kernel.h"

#include <map>
#include <string>
#include <vector>

struct definition {
	std::string provider, name;
	std::uint32_t filter;
	unsigned level;
	std::string doc;
	std::vector<std::pair<unsigned, std::string>> fields; // type, name
};

// By id. Fails the test if the bytes are no row of definitions.
std::map<unsigned, definition> decode_definitions(const std::string &bytes);

struct event {
	std::uint64_t time; // 48 bits
	std::string text;   // provider:name field=value field="string"
};

// All events of a packet. Fails the test if one does not decode, or if time
// goes back.
std::vector<event> decode(const fake::packet &packet);

// The texts of all unread events of a trace, in order.
std::vector<std::string> read_texts(unsigned trace);

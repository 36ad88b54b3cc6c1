// SPDX-License-Identifier: MIT
#include "time.h"

#include <cstring>
#include <ctime>

#include "../error.h"

namespace ltt::reader
{

namespace
{

constexpr uint64_t second = 1000000000;

bool is_number(const std::string &text, size_t most_digits)
{
	return !text.empty() && text.size() <= most_digits &&
	       text.find_first_not_of("0123456789") == std::string::npos;
}

// Takes ".5" off the end. False if it is no fraction.
bool take_fraction(std::string &text, uint64_t &ns)
{
	const size_t point = text.find('.');
	ns = 0;
	if (point == std::string::npos)
		return true;
	std::string digits = text.substr(point + 1);
	if (!is_number(digits, 9))
		return false;
	digits.resize(9, '0');
	ns = std::stoull(digits);
	text.resize(point);
	return true;
}

bool parse_date(std::string text, uint64_t first, time_t &seconds)
{
	tm day{};
	const auto now = static_cast<time_t>(first / second);
	localtime_r(&now, &day);
	if (text.find('-') == std::string::npos) {
		char today[16];
		strftime(today, sizeof(today), "%Y-%m-%d ", &day);
		text = today + text;
	}
	tm parts{};
	const char *end = strptime(text.c_str(), "%Y-%m-%d", &parts);
	if (!end || (*end != ' ' && *end != 'T'))
		return false;
	end = strptime(end + 1, "%H:%M:%S", &parts);
	parts.tm_isdst = -1;
	seconds = mktime(&parts);
	return end && !*end && seconds >= 0;
}

} // namespace

uint64_t parse_time(const std::string &text, uint64_t first)
{
	std::string rest = text;
	uint64_t fraction;
	time_t seconds;

	if (take_fraction(rest, fraction)) {
		if (rest[0] == '+' && is_number(rest.substr(1), 9))
			return first + std::stoull(rest.substr(1)) * second + fraction;
		if (is_number(rest, 10))
			return std::stoull(rest) * second + fraction;
		if (parse_date(rest, first, seconds))
			return static_cast<uint64_t>(seconds) * second + fraction;
	}
	throw Error(Exit::misuse, "\"" + text + "\" is not a time: write " + time_words);
}

} // namespace ltt::reader

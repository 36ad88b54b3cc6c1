// SPDX-License-Identifier: MIT
#include "text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include <ust/definition.h>

#include "error.h"

namespace ltt
{

std::string join(const std::vector<std::string> &words, const char *between)
{
	std::string all;
	for (const std::string &word : words)
		all += (&word == &words.front() ? "" : between) + word;
	return all;
}

std::string printable(const std::string &text)
{
	std::string s;
	for (char c : text)
		s += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
	return s;
}

void check_trace_name(const std::string &name)
{
	std::string why;

	if (name.empty())
		throw Error(Exit::misuse, "a trace's name cannot be empty");
	if (name.size() >= LTT_NAME_SIZE)
		why = "it has " + std::to_string(name.size()) + " bytes, " +
		      std::to_string(LTT_NAME_SIZE - 1) + " are allowed";
	else if (name[0] == '.' || name[0] == '-')
		why = "it begins with a dot or a dash";
	else
		for (char c : name)
			if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				    (c >= '0' && c <= '9') || (c && std::strchr("_.-", c))))
				why = "it may have letters, digits, '_', '.' and '-' only";
	if (why.empty())
		return;

	throw Error(Exit::misuse, "a trace cannot be called \"" +
					  printable(name.substr(0, LTT_NAME_SIZE)) + "\": " + why);
}

uint64_t parse_size(const std::string &text, const std::string &what)
{
	const std::string object = (what.empty() ? "" : what + " ") + "\"" + printable(text) + "\"";
	uint64_t value = 0;
	size_t i = 0;

	for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
		if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
			__builtin_add_overflow(value, static_cast<uint64_t>(text[i] - '0'), &value))
			throw Error(Exit::misuse, object + " is too large");
	unsigned shift = 0;
	bool right = i > 0;
	if (i < text.size()) {
		char unit = text[i++];
		shift = unit == 'k' || unit == 'K' ? 10 : unit == 'm' || unit == 'M' ? 20 : 30;
		right = right && std::strchr("kKmMgG", unit) && i == text.size();
	}
	if (!right)
		throw Error(Exit::misuse, object + " is not a size: write 4096, 64k or 1M");
	if (value > UINT64_MAX >> shift)
		throw Error(Exit::misuse, object + " is too large");
	return value << shift;
}

uint32_t parse_power_of_two(
	const std::string &text, const char *least, const char *most, const char *what)
{
	uint64_t value = parse_size(text, what);

	if (value < parse_size(least) || value > parse_size(most) || (value & (value - 1)))
		throw Error(Exit::misuse, std::string(what) + " " + text +
						  " will not do: a power of two from " + least +
						  " to " + most + " is needed");
	return static_cast<uint32_t>(value);
}

uint32_t parse_timeout(const std::string &text)
{
	static constexpr struct {
		const char *name;
		uint64_t us;
	} units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};

	// More digits than the longest timeout has would only make the product overflow.
	const size_t digits = text.find_first_not_of("0123456789");
	if (digits > 0 && digits <= std::strlen("60000000"))
		for (const auto &unit : units) {
			if (text.compare(digits, std::string::npos, unit.name))
				continue;
			const uint64_t us = std::stoull(text) * unit.us;
			if (us > 0 && us <= LTT_MAX_TIMEOUT_US)
				return static_cast<uint32_t>(us);
		}
	throw Error(Exit::misuse,
		"timeout " + text + " will not do: write 100ms, 2s or 500us, from 1us to 60s");
}

uint32_t parse_interval(const std::string &text)
{
	static constexpr struct {
		char name;
		uint32_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	constexpr uint64_t most = uint64_t{365} * 86400;

	const size_t digits = text.find_first_not_of("0123456789");
	if (digits > 0 && digits <= std::strlen("31536000") && digits + 1 == text.size())
		for (const auto &unit : units) {
			const uint64_t seconds = std::stoull(text) * unit.seconds;
			if (text[digits] == unit.name && seconds > 0 && seconds <= most)
				return static_cast<uint32_t>(seconds);
		}
	throw Error(Exit::misuse,
		"time " + text + " will not do: write 30s, 10m, 1h or 1d, up to 365d");
}

uint32_t parse_count(const std::string &text, const char *what)
{
	constexpr size_t most_digits = 9;
	if (!text.empty() && text.size() <= most_digits &&
		text.find_first_not_of("0123456789") == std::string::npos)
		if (const unsigned long n = std::stoul(text))
			return static_cast<uint32_t>(n);
	throw Error(Exit::misuse, std::string(what) + " " + text +
					  " will not do: a number from 1 to 999999999 is needed");
}

namespace
{

// In the order of enum ltt_mode.
constexpr const char *modes[] = {"discard", "overwrite", "block"};
static_assert(LTT_MODE_DISCARD == 0 && LTT_MODE_OVERWRITE == 1 && LTT_MODE_BLOCK == 2,
	"modes[] has their names");

} // namespace

ltt_mode parse_mode(const std::string &text)
{
	for (size_t i = 0; i < std::size(modes); ++i)
		if (text == modes[i])
			return static_cast<ltt_mode>(i);
	throw Error(
		Exit::misuse, "there is no mode " + text + ": write discard, overwrite or block");
}

std::string format_mode(uint32_t mode)
{
	return mode < std::size(modes) ? modes[mode] : std::to_string(mode);
}

std::string format_clock(uint32_t clock)
{
	return clock == LTT_CLOCK_TSC ? "tsc" : "monotonic";
}

namespace
{

// By bit, from UST_FIRST_CATEGORY on.
constexpr const char *categories[] = {"life", "config", "state", "error", "request", "net",
	"storage", "ipc", "task", "lock", "memory", "security", "ui", "device", "perf", "debug"};
static_assert(std::size(categories) == 32 - UST_FIRST_CATEGORY && UST_CATEGORY_LIFE == 1u << 16 &&
		      UST_CATEGORY_NET == 1u << 21 && UST_CATEGORY_MEMORY == 1u << 26 &&
		      UST_CATEGORY_DEBUG == 1u << 31,
	"categories[] has their names");

// "bit5", or a standard category; 0 if it is neither.
uint32_t parse_filter_bit(const std::string &text)
{
	for (size_t i = 0; i < std::size(categories); ++i)
		if (text == categories[i])
			return uint32_t{1} << (UST_FIRST_CATEGORY + i);
	for (unsigned bit = 0; bit < 32; ++bit)
		if (text == "bit" + std::to_string(bit))
			return uint32_t{1} << bit;
	return 0;
}

} // namespace

uint32_t parse_filter(const std::string &text, const CategoryLookup &look_up)
{
	if (text == "all")
		return 0xffffffff;
	if (text == "none")
		return 0;

	// A number; more digits than a mask has would only make it overflow.
	const bool hex = text.compare(0, 2, "0x") == 0;
	const std::string digits = hex ? text.substr(2) : text;
	if (!digits.empty() && digits.size() <= 10 &&
		digits.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789") ==
			std::string::npos) {
		const unsigned long long n = std::stoull(digits, nullptr, hex ? 16 : 10);
		if (n <= 0xffffffff)
			return static_cast<uint32_t>(n);
	}

	uint32_t mask = 0;
	for (size_t at = 0; at <= text.size();) {
		const size_t comma = std::min(text.find(',', at), text.size());
		const std::string word = text.substr(at, comma - at);
		const bool own = look_up && word.find(':') != std::string::npos;
		const uint32_t bit = own ? look_up(word) : parse_filter_bit(word);
		if (!bit)
			throw Error(Exit::misuse,
				"\"" + printable(text) + "\" is not a filter" +
					(word == text ? "" : ", for \"" + printable(word) + "\"") +
					": write all, none, a 32-bit mask such as 0x5, or bits "
					"such "
					"as bit0,net,error; ltt-ctl help filter lists them");
		mask |= bit;
		at = comma + 1;
	}
	return mask;
}

std::string standard_categories()
{
	return join({std::begin(categories), std::end(categories)});
}

std::string filter_bits(uint32_t mask)
{
	std::vector<std::string> bits;
	for (unsigned bit = 0; bit < 32; ++bit)
		if (mask & uint32_t{1} << bit)
			bits.push_back(bit < UST_FIRST_CATEGORY
					       ? "bit" + std::to_string(bit)
					       : categories[bit - UST_FIRST_CATEGORY]);
	return bits.empty() ? "none" : join(bits, ",");
}

std::string format_categories(uint32_t mask)
{
	return mask == 0xffffffff ? "all" : filter_bits(mask);
}

std::string format_time_us(uint64_t us)
{
	char text[32];
	if (us < 1000)
		return std::to_string(us) + "us";
	if (us < 1000000)
		std::snprintf(text, sizeof(text), "%gms", static_cast<double>(us) / 1e3);
	else
		std::snprintf(text, sizeof(text), "%gs", static_cast<double>(us) / 1e6);
	return text;
}

std::string format_size(uint64_t bytes)
{
	static const char units[] = "kMGT";
	if (bytes < 1024)
		return std::to_string(bytes);
	double value = static_cast<double>(bytes);
	int unit = -1;
	while (value >= 1024 && unit < 3) {
		value /= 1024;
		++unit;
	}
	char text[32];
	bool whole = value == static_cast<double>(static_cast<uint64_t>(value));
	std::snprintf(text, sizeof(text), whole ? "%.0f%c" : "%.1f%c", value, units[unit]);
	return text;
}

std::string format_filter(uint32_t mask)
{
	if (mask == 0xffffffff)
		return "all";
	if (mask == 0)
		return "none";
	char text[16];
	std::snprintf(text, sizeof(text), "0x%08x", mask);
	return text;
}

std::string count_of(uint64_t n, const std::string &what)
{
	return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string trace_name(const ltt_trace_info &info)
{
	return std::string(info.name, strnlen(info.name, sizeof(info.name)));
}

} // namespace ltt

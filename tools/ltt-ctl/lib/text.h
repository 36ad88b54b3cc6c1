// SPDX-License-Identifier: MIT
// What people type and read: names, sizes, masks.
#ifndef LTT_CTL_TEXT_H
#define LTT_CTL_TEXT_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ust/detail/abi.h>

namespace ltt
{

// Throws Error(misuse) with the reason if the kernel would refuse the name.
void check_trace_name(const std::string &name);

// "a, b, c"
std::string join(const std::vector<std::string> &words, const char *between = ", ");

// Foreign text for the terminal: control characters are question marks.
std::string printable(const std::string &text);

// "4096", "64k", "1M", "1G"; 1k is 1024. Throws Error(misuse); @what, as "--memory", is for
// the message.
uint64_t parse_size(const std::string &text, const std::string &what = "");
// A size or a count that must be a power of two within the limits, which are written as they
// are to be shown.
uint32_t parse_power_of_two(
	const std::string &text, const char *least, const char *most, const char *what);
// "100ms", "2s", "500us": microseconds that a writer may wait, 60s at most.
uint32_t parse_timeout(const std::string &text);
// "30s", "10m", "1h", "1d": seconds, 365 days at most. Throws Error(misuse).
uint32_t parse_interval(const std::string &text);
// From 1 on. @what is for the message.
uint32_t parse_count(const std::string &text, const char *what);
ltt_mode parse_mode(const std::string &text);
// The bits of a category of a program's own, "provider:name", or throws Error.
using CategoryLookup = std::function<uint32_t(const std::string &name)>;
// "all", "none", "0x3", "12", or bits: "bit0,bit5,net,shop:orders", by number, as a standard
// category of ust/definition.h, or as one that @look_up knows.
uint32_t parse_filter(const std::string &text, const CategoryLookup &look_up = {});
// The same for helps.
constexpr char filter_words[] = "all, none, mask (0x5) or bits (bit0,net,shop:orders)";
std::string standard_categories(); // "life, config, ..."

std::string format_mode(uint32_t mode);	      // what parse_mode() takes
std::string format_clock(uint32_t clock);     // "tsc" or "monotonic"
std::string format_size(uint64_t bytes);      // "64k", "1.5M"
std::string format_filter(uint32_t mask);     // "all", "none" or "0x00000003"
std::string filter_bits(uint32_t mask);	      // "bit0,net"; what parse_filter() takes
std::string format_categories(uint32_t mask); // the same, but "all" for all of them
std::string format_time_us(uint64_t us);      // "1s", "1.5ms"
// "1 byte", "2 bytes".
std::string count_of(uint64_t n, const std::string &what);

std::string trace_name(const ltt_trace_info &info);

} // namespace ltt

#endif

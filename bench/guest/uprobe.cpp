// SPDX-License-Identifier: MIT
//
// A probe as USDT has it, an instruction that does nothing, under an event of uprobes:
// the kernel puts a breakpoint there. What USDT adds, a note that tells tools where the
// probe and its arguments are, costs nothing and is not needed here.

#include "../values.h"
#include "groups.h"
#include "tracefs.h"

#include <link.h>

extern "C" const char bench_probe[];

namespace bench
{

namespace
{

// Not inlined, because there must be one of it: a call and a return more.
[[gnu::noinline]] void probe(std::int32_t a, std::uint64_t b)
{
	asm volatile("bench_probe: nop" : : "D"(a), "S"(b));
}

// Where in the program's file an address of it comes from; 0 if it does not.
std::uint64_t file_offset(std::uintptr_t address)
{
	struct Search {
		std::uintptr_t address;
		std::uint64_t found;
	} search = {address, 0};
	dl_iterate_phdr(
		[](dl_phdr_info *object, std::size_t, void *data) {
			auto &wanted = *static_cast<Search *>(data);
			for (int n = 0; n < object->dlpi_phnum; ++n) {
				const auto &part = object->dlpi_phdr[n];
				const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
				if (part.p_type == PT_LOAD && wanted.address >= begin &&
					wanted.address - begin < part.p_filesz)
					wanted.found = part.p_offset + (wanted.address - begin);
			}
			return 1; // the program itself is the first
		},
		&search);
	return search.found;
}

} // namespace

void measure_uprobe()
{
	const Tracefs tracefs;
	if (!tracefs.has("uprobe_events"))
		return missing("uprobe", "the kernel has no CONFIG_UPROBE_EVENTS");
	const std::uint64_t offset = file_offset(reinterpret_cast<std::uintptr_t>(bench_probe));
	REQUIRE(offset != 0);
	tracefs.write("uprobe_events",
		"p:bench/number /proc/self/exe:" + std::to_string(offset) + " a=%di:s32 b=%si:u64");
	tracefs.write("events/bench/number/enable", "1");

	tracefs.measure("uprobe", [](std::int32_t i) { probe(i, number(i)); });
	tracefs.check_newest();
}

} // namespace bench

// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <elf.h>

#include "lib/elf_section.h"
#include "lib/error.h"
#include "support/build.h"

namespace
{

// A file with two sections: the names, and "ust_events" with these bytes.
template <class Ehdr, class Shdr>
std::string elf_file(unsigned char elf_class, const std::string &bytes)
{
	const std::string names = std::string("\0.names\0ust_events\0", 19);
	Ehdr head{};
	std::memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = elf_class;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_shentsize = sizeof(Shdr);
	head.e_shnum = 3;
	head.e_shstrndx = 1;
	head.e_shoff =
		static_cast<decltype(head.e_shoff)>(sizeof(head) + names.size() + bytes.size());
	Shdr sections[3] = {};
	sections[1].sh_name = 1;
	sections[1].sh_type = SHT_STRTAB;
	sections[1].sh_offset = sizeof(head);
	sections[1].sh_size = static_cast<decltype(head.e_shoff)>(names.size());
	sections[2].sh_name = 8;
	sections[2].sh_type = SHT_PROGBITS;
	sections[2].sh_offset = static_cast<decltype(head.e_shoff)>(sizeof(head) + names.size());
	sections[2].sh_size = static_cast<decltype(head.e_shoff)>(bytes.size());
	return std::string(reinterpret_cast<char *>(&head), sizeof(head)) + names + bytes +
	       std::string(reinterpret_cast<char *>(sections), sizeof(sections));
}

std::string elf64(const std::string &bytes)
{
	return elf_file<Elf64_Ehdr, Elf64_Shdr>(ELFCLASS64, bytes);
}

} // namespace

TEST_CASE("a section is found in files of 64 and 32 bits")
{
	std::string found;
	CHECK(ltt::find_section(elf64("hello"), "ust_events", found));
	CHECK(found == "hello");
	CHECK(ltt::find_section(
		elf_file<Elf32_Ehdr, Elf32_Shdr>(ELFCLASS32, "small"), "ust_events", found));
	CHECK(found == "small");
	CHECK_FALSE(ltt::find_section(elf64("hello"), "other", found));
}

TEST_CASE("what is no ELF file is refused")
{
	std::string found;
	CHECK_THROWS_AS(ltt::find_section("", "ust_events", found), ltt::BadData);
	CHECK_THROWS_AS(ltt::find_section("#!/bin/sh\necho nothing here\n", "ust_events", found),
		ltt::BadData);
	std::string big_endian = elf64("x");
	big_endian[EI_DATA] = ELFDATA2MSB;
	CHECK_THROWS_AS(ltt::find_section(big_endian, "ust_events", found), ltt::BadData);
}

TEST_CASE("no cut and no flipped byte makes the reader leave the file")
{
	std::string good = elf64("hello");
	for (size_t n = 0; n < good.size(); ++n) {
		std::string found;
		CHECK_THROWS_AS(ltt::find_section(std::string(good, 0, n), "ust_events", found),
			ltt::BadData);
	}
	for (size_t i = 0; i < good.size(); ++i) {
		std::string bad = good, found;
		bad[i] = static_cast<char>(0xff);
		try {
			ltt::find_section(bad, "ust_events", found); // a sanitizer watches
		} catch (const ltt::BadData &) {
		}
		CHECK(found.size() <= good.size());
	}
}

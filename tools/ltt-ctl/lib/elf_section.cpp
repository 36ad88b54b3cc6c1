// SPDX-License-Identifier: MIT
#include "elf_section.h"

#include <cstring>

#include <elf.h>

#include "error.h"

namespace ltt
{

namespace
{

// A structure at @offset, or BadData if the file ends before.
template <class T>
T load(const std::string &file, uint64_t offset, const char *what)
{
	T value;
	if (offset > file.size() || sizeof(T) > file.size() - offset)
		throw BadData(std::string("the file ends before ") + what);
	std::memcpy(&value, file.data() + offset, sizeof(T));
	return value;
}

std::string load_bytes(const std::string &file, uint64_t offset, uint64_t size, const char *what)
{
	if (offset > file.size() || size > file.size() - offset)
		throw BadData(std::string("the file ends before ") + what);
	return file.substr(offset, size);
}

template <class Ehdr, class Shdr>
bool find(const std::string &file, const std::string &name, std::string &bytes)
{
	Ehdr head = load<Ehdr>(file, 0, "the ELF header");
	if (head.e_shoff == 0 || head.e_shentsize != sizeof(Shdr))
		return false; // sections were stripped
	auto section = [&](uint64_t i) {
		return load<Shdr>(file, head.e_shoff + i * sizeof(Shdr), "its section headers");
	};
	// Numbers that do not fit into 16 bits are in the first section.
	uint64_t count = head.e_shnum ? head.e_shnum : section(0).sh_size;
	uint64_t names = head.e_shstrndx != SHN_XINDEX ? head.e_shstrndx : section(0).sh_link;
	if (count > file.size() / sizeof(Shdr) || names >= count)
		throw BadData("its section headers are damaged");
	Shdr strings = section(names);
	std::string table =
		load_bytes(file, strings.sh_offset, strings.sh_size, "its section names");
	for (uint64_t i = 0; i < count; ++i) {
		Shdr s = section(i);
		if (s.sh_name >= table.size() || name != table.c_str() + s.sh_name)
			continue;
		if (s.sh_type == SHT_NOBITS)
			return false;
		bytes = load_bytes(file, s.sh_offset, s.sh_size, "its section");
		return true;
	}
	return false;
}

} // namespace

bool find_section(const std::string &file, const std::string &name, std::string &bytes)
{
	if (file.size() < EI_NIDENT || std::memcmp(file.data(), ELFMAG, SELFMAG))
		throw BadData("it is not an ELF file");
	if (file[EI_DATA] != ELFDATA2LSB)
		throw BadData("it is for a machine with another byte order");
	if (file[EI_CLASS] == ELFCLASS64)
		return find<Elf64_Ehdr, Elf64_Shdr>(file, name, bytes);
	if (file[EI_CLASS] == ELFCLASS32)
		return find<Elf32_Ehdr, Elf32_Shdr>(file, name, bytes);
	throw BadData("its ELF class is not known");
}

} // namespace ltt

// SPDX-License-Identifier: MIT
//
// The numbers of the three calls by every other way into the kernel: from a
// program of 32 bits, by int $0x80 from one of 64 bits, as x32 counts them. Each
// is a clean ENOSYS.

#include "../streams.h"

#include <elf.h>
#include <sys/stat.h>

namespace
{

using ktap::spawn;
using ktap::wait_for;

// The registers are cut to 32 bits on this way.
long call_by_int_80(long number, long a, long b, long c)
{
	long result;
	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(number), "b"(a), "c"(b), "d"(c)
		     : "memory", "r8", "r9", "r10", "r11");
	return static_cast<int>(result);
}

// exit(ebx), after for each number in turn: call it; not ENOSYS: exit(its place).
std::string program_of_32_bits(const std::vector<uint32_t> &numbers)
{
	std::string code;
	auto add = [&](std::initializer_list<int> bytes) {
		for (int byte : bytes)
			code += static_cast<char>(byte);
	};
	auto add_word = [&](uint32_t word) {
		code.append(reinterpret_cast<const char *>(&word), sizeof(word));
	};
	int place = 1;
	for (uint32_t number : numbers) {
		add({0xbb}); // mov $place, %ebx
		add_word(static_cast<uint32_t>(place++));
		add({0x31, 0xc9, 0x31, 0xd2}); // xor %ecx, %ecx; xor %edx, %edx
		add({0xb8});		       // mov $number, %eax
		add_word(number);
		add({0xcd, 0x80});	 // int $0x80
		add({0x83, 0xf8, 0xda}); // cmp $-ENOSYS, %eax
		add({0x74, 0x07});	 // je over the exit
		add({0xb8});		 // mov $1 (exit), %eax
		add_word(1);
		add({0xcd, 0x80});
	}
	add({0x31, 0xdb, 0xb8}); // xor %ebx, %ebx; mov $1, %eax
	add_word(1);
	add({0xcd, 0x80});
	return code;
}

void write_program(const char *path, const std::string &code)
{
	constexpr uint32_t base = 0x08048000, begin = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
	const auto size = static_cast<uint32_t>(begin + code.size());
	Elf32_Ehdr header = {};
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_type = ET_EXEC;
	header.e_machine = EM_386;
	header.e_version = EV_CURRENT;
	header.e_entry = base + begin;
	header.e_phoff = sizeof(Elf32_Ehdr);
	header.e_ehsize = sizeof(Elf32_Ehdr);
	header.e_phentsize = sizeof(Elf32_Phdr);
	header.e_phnum = 1;
	Elf32_Phdr load = {};
	load.p_type = PT_LOAD;
	load.p_vaddr = load.p_paddr = base;
	load.p_filesz = load.p_memsz = size;
	load.p_flags = PF_R | PF_X;
	load.p_align = 4096;
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0755);
	REQUIRE(fd >= 0);
	REQUIRE_EQ(write(fd, &header, sizeof(header)), sizeof(header));
	REQUIRE_EQ(write(fd, &load, sizeof(load)), sizeof(load));
	REQUIRE_EQ(write(fd, code.data(), code.size()), code.size());
	close(fd);
}

int run(const char *path, bool registered)
{
	return wait_for(spawn([=] {
		if (registered)
			ltt::Buffer::next();
		execl(path, path, nullptr);
		_exit(99);
	}));
}

constexpr uint32_t x32_bit = 0x40000000;

} // namespace

TEST("a program of 32 bits: each number gives ENOSYS, before and after exec of a traced one")
{
	const char *path = "/tmp/program-32";
	ltt::Trace trace(ltt::params());
	trace.start();
	// That it runs at all, and sees what is not ENOSYS: 20 is getpid.
	write_program(path, program_of_32_bits({20}));
	CHECK_EQ(WEXITSTATUS(run(path, false)), 1);
	write_program(path, program_of_32_bits({LTT_NR_update, LTT_NR_switch, LTT_NR_register,
				    LTT_NR_update | x32_bit, LTT_NR_register | x32_bit,
				    LTT_NR_update | 0x80000000}));
	CHECK_EQ(run(path, false), 0);
	CHECK_EQ(run(path, true), 0);
	CHECK(trace.read_packets().empty());
	unlink(path);
}

TEST("int $0x80 of a program of 64 bits gives ENOSYS, and changes nothing that it is given")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	// Addresses that fit in 32 bits, so that they would do.
	auto *low = static_cast<char *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
	REQUIRE(low != MAP_FAILED);
	memset(low, 0, 4096);
	CHECK_EQ(call_by_int_80(20, 0, 0, 0), getpid());
	// errno: ltt_update ENOSYS
	// errno: ltt_switch ENOSYS
	// errno: ltt_register ENOSYS
	for (long number : {LTT_NR_update, LTT_NR_switch, LTT_NR_register})
		CHECK_EQ(call_by_int_80(number, reinterpret_cast<long>(low),
				 reinterpret_cast<long>(low + 64),
				 reinterpret_cast<long>(low + 128)),
			-ENOSYS);
	for (int i = 0; i < 4096; ++i)
		if (!CHECK_EQ(low[i], 0))
			break;
	CHECK_EQ(ktap::read_file("/proc/self/maps").find("[ltt"), std::string::npos);
}

TEST("numbers as x32 counts them, and with other bits above, give ENOSYS")
{
	ltt::Trace trace(ltt::params());
	trace.start();
	void *buffer = nullptr;
	int active = 7, filter = 7;
	for (unsigned bit = 10; bit < 32; ++bit)
		for (long number : {LTT_NR_update, LTT_NR_switch, LTT_NR_register})
			CHECK_EQ(
				ust_kernel_call(number | 1l << bit, reinterpret_cast<long>(&buffer),
					reinterpret_cast<long>(&active),
					reinterpret_cast<long>(&filter)),
				-ENOSYS);
	CHECK_EQ(buffer, nullptr);
	CHECK_EQ(active, 7);
	// The upper half of the register is no part of the number.
	CHECK_EQ(ust_kernel_call(LTT_NR_update | 1l << 40, reinterpret_cast<long>(&buffer),
			 reinterpret_cast<long>(&active), reinterpret_cast<long>(&filter)),
		0);
	CHECK_NE(buffer, nullptr);
}

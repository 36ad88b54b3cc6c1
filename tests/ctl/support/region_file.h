// SPDX-License-Identifier: MIT
// The memory of one trace that persists, with one thread, as a kernel would leave it.
#ifndef LTT_TESTS_CTL_REGION_FILE_H
#define LTT_TESTS_CTL_REGION_FILE_H

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <elf.h>
#include <linux/ltt_dump.h>

#include "support/build.h"

struct RegionFile {
	static constexpr uint64_t address = 0x8000000; // where it was in the machine
	static constexpr uint32_t subbuf = 4096, n_subbufs = 2;

	RegionFile()
	{
		std::memcpy(head.root.magic, LTT_DUMP_REGION_MAGIC, sizeof(head.root.magic));
		head.root.version = LTT_DUMP_VERSION;
		head.root.page_size = 4096;
		head.root.self = address;
		head.root.nodename = address + offsetof(ltt_dump_region, nodename);
		head.boots = 1;
		std::strcpy(head.nodename, "guest");
		trace.magic = LTT_DUMP_TRACE_MAGIC;
		std::strcpy(trace.name, "kept");
		page.version = LTT_ABI_VERSION;
		page.compat = LTT_ABI_COMPAT;
		page.subbuf_size = subbuf;
		page.n_subbufs = n_subbufs;
		page.clock = LTT_CLOCK_MONOTONIC;
		page.clock_freq = 1000000000;
		buffer.magic = LTT_DUMP_BUFFER_MAGIC;
		process.magic = LTT_DUMP_PROCESS_MAGIC;
		append(definitions, definition(1, "p", "n", {{UST_TYPE_U32, "n"}}));
		open.begin = 1000;
	}

	// In the sub-buffer in use.
	void add_event(uint32_t n)
	{
		append(data, event(2000 + n, 1, payload(n)));
		control.commit = data.size();
		++control.events;
	}

	// All of it, as LTT_IOC_PREVIOUS gives it.
	Bytes bytes() const
	{
		Bytes out(4096);
		const auto put_page = [&out](const void *what, size_t size) {
			const size_t at = out.size();
			out.resize(at + (size + 4095) / 4096 * 4096);
			std::memcpy(&out[at], what, size);
			return address + at;
		};
		ltt_dump_region h = head;
		ltt_dump_trace t = trace;
		ltt_dump_buffer b = buffer;
		ltt_dump_process p = process;
		ltt_dump_definitions d{};
		Bytes all = data;
		const ltt_range closed[n_subbufs] = {};
		const auto put_area = [&](const Bytes &bytes) {
			ltt_dump_area area{};
			area.size = bytes.size();
			if (!in_pages) {
				area.start = put_page(bytes.data(), bytes.size());
				return area;
			}
			ltt_dump_frames frames{};
			frames.n = (bytes.size() + 4095) / 4096;
			for (uint64_t i = frames.n; i--;)
				frames.frame[i] = put_page(&bytes[i * 4096],
					std::min<size_t>(bytes.size() - i * 4096, 4096));
			area.frames = put_page(&frames, sizeof(frames));
			return area;
		};

		d.data.size = definitions.size();
		d.data.start = put_page(definitions.data(), definitions.size());
		p.definitions = put_page(&d, sizeof(d));
		b.process = put_page(&p, sizeof(p));
		b.control = put_page(&control, sizeof(control));
		b.packet = put_page(&packet, sizeof(packet));
		b.open = put_page(&open, sizeof(open));
		b.closed = put_page(closed, sizeof(closed));
		b.taken = put_page(&taken, sizeof(taken));
		b.commit = b.taken;
		if (gone) {
			ltt_packet last = packet;
			last.events = control.events;
			Bytes range;
			put(range, ltt_range{0, data.size(), open.begin, control.events});
			b.control = 0;
			b.packet = put_page(&last, sizeof(last));
			b.left_ranges = put_area(range);
			b.left = put_area(all);
		} else if (has_memory) {
			all.resize(uint64_t{subbuf} * n_subbufs);
			b.data = put_area(all);
		}
		t.page = put_page(&page, sizeof(page));
		t.buffers = put_page(&b, sizeof(b));
		h.root.traces[0] = put_page(&t, sizeof(t));
		h.size = out.size();
		std::memcpy(out.data(), &h, sizeof(h));
		return out;
	}

	bool in_pages = false; // that do not follow each other
	bool gone = false;     // the thread; what it left is there
	ltt_dump_region head{};
	ltt_dump_trace trace{};
	ltt_trace_page page{};
	ltt_dump_buffer buffer{};
	ltt_dump_process process{};
	ltt_control control{};
	ltt_packet packet = packet_header();
	ltt_range open{};
	uint64_t taken = 0;
	bool has_memory = true; // else its thread found no room
	Bytes definitions;
	Bytes data;
};

// An image of a machine with that memory alone, in the format of /proc/vmcore. The kernel's word
// names RegionFile's address.
inline Bytes elf_image(const Bytes &memory, uint64_t address, uint64_t size)
{
	static const char name[12] = "VMCOREINFO";
	char info[40] = {};
	std::snprintf(info, sizeof(info), "NUMBER(ltt_dump_root)=%#llx\n",
		static_cast<unsigned long long>(RegionFile::address));
	Bytes out;
	Elf64_Ehdr head{};
	std::memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_type = ET_CORE;
	head.e_machine = EM_X86_64;
	head.e_phoff = sizeof(head);
	head.e_phentsize = sizeof(Elf64_Phdr);
	head.e_phnum = 2;
	put(out, head);
	Elf64_Phdr note{}, load{};
	note.p_type = PT_NOTE;
	note.p_offset = sizeof(head) + 2 * sizeof(note);
	note.p_filesz = sizeof(Elf64_Nhdr) + sizeof(name) + sizeof(info);
	load.p_type = PT_LOAD;
	load.p_offset = 4096;
	load.p_paddr = address;
	load.p_filesz = size;
	put(out, note);
	put(out, load);
	put(out, Elf64_Nhdr{sizeof("VMCOREINFO"), sizeof(info), 0});
	put(out, name);
	put(out, info);
	out.resize(4096);
	append(out, memory);
	return out;
}

inline void write_bytes(const std::string &path, const Bytes &bytes)
{
	std::ofstream(path, std::ios::binary)
		.write(reinterpret_cast<const char *>(bytes.data()),
			static_cast<std::streamsize>(bytes.size()));
}

#endif

// SPDX-License-Identifier: MIT
#include "image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <linux/ltt_dump.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../error.h"
#include "../file.h"
#include "region.h"
#include "served_image.h"

namespace ltt::dump
{

namespace
{

class Mapped
{
public:
	explicit Mapped(const std::string &path)
	{
		FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
		struct stat about;
		if (fd.get() < 0 || fstat(fd.get(), &about) < 0)
			throw Error(Exit::misuse, path + ": " + std::strerror(errno));
		if (!S_ISREG(about.st_mode))
			throw Error(Exit::misuse, path + " is no file; copy /proc/vmcore to one");
		size_ = static_cast<size_t>(about.st_size);
		if (!size_)
			return;
		void *at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
		if (at == MAP_FAILED)
			throw Error(Exit::failed, path + ": " + std::strerror(errno));
		data_ = static_cast<const uint8_t *>(at);
	}
	~Mapped()
	{
		if (data_)
			munmap(const_cast<uint8_t *>(data_), size_);
	}
	Mapped(const Mapped &) = delete;
	Mapped &operator=(const Mapped &) = delete;

	size_t size() const { return size_; }
	bool begins_with(const char *text) const
	{
		const size_t n = std::strlen(text);
		return size_ >= n && std::memcmp(data_, text, n) == 0;
	}
	bool has(uint64_t offset, uint64_t n) const
	{
		return offset <= size_ && n <= size_ - offset;
	}
	const uint8_t *at(uint64_t offset) const { return data_ + offset; }

private:
	const uint8_t *data_ = nullptr;
	size_t size_ = 0;
};

std::string begin_of_file(const std::string &path, size_t size)
{
	FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
	std::string begin(size, '\0');
	const ssize_t n = fd.get() < 0 ? -1 : pread(fd.get(), begin.data(), size, 0);
	begin.resize(n > 0 ? static_cast<size_t>(n) : 0);
	return begin;
}

// The format of /proc/vmcore, and of QEMU's dump-guest-memory. A file that was cut off has
// what is in it.
class ElfImage : public Image
{
public:
	explicit ElfImage(const std::string &path) : file_(path)
	{
		check_format(path);
		Elf64_Ehdr head;
		std::memcpy(&head, file_.at(0), sizeof(head));
		uint64_t n = head.e_phnum;
		Elf64_Shdr first;
		if (n == PN_XNUM && file_.has(head.e_shoff, sizeof(first))) {
			std::memcpy(&first, file_.at(head.e_shoff), sizeof(first));
			n = first.sh_info;
		}
		for (uint64_t i = 0; i < n; ++i) {
			Elf64_Phdr part;
			const uint64_t at = head.e_phoff + i * sizeof(part);
			if (head.e_phentsize != sizeof(part) || !file_.has(at, sizeof(part)))
				break;
			std::memcpy(&part, file_.at(at), sizeof(part));
			add(part);
		}
		std::sort(loads_.begin(), loads_.end(),
			[](const Load &a, const Load &b) { return a.address < b.address; });
		if (loads_.empty())
			throw Error(Exit::damaged, path + " has no memory in it");
	}

	bool read(uint64_t address, void *to, size_t size) const override
	{
		auto *out = static_cast<uint8_t *>(to);
		while (size) {
			auto load = std::upper_bound(loads_.begin(), loads_.end(), address,
				[](uint64_t a, const Load &l) { return a < l.address; });
			if (load == loads_.begin())
				return false;
			--load;
			const uint64_t offset = address - load->address;
			if (offset >= load->size)
				return false;
			const size_t n = std::min<uint64_t>(size, load->size - offset);
			std::memcpy(out, file_.at(load->offset + offset), n);
			out += n;
			address += n;
			size -= n;
		}
		return true;
	}

	std::string vmcoreinfo() const override { return vmcoreinfo_; }

	std::vector<Part> parts() const override
	{
		std::vector<Part> all;
		for (const Load &l : loads_)
			all.push_back({l.address, l.size});
		return all;
	}

private:
	struct Load {
		uint64_t address;
		uint64_t size;
		uint64_t offset; // in the file
	};

	void check_format(const std::string &path) const
	{
		const Elf64_Ehdr *head = reinterpret_cast<const Elf64_Ehdr *>(file_.at(0));
		if (file_.size() < sizeof(*head) || !file_.begins_with(ELFMAG))
			throw Error(Exit::failed,
				path + " is no dump of a machine's memory: ltt-ctl reads ELF, as "
				       "/proc/vmcore is");
		if (head->e_ident[EI_CLASS] != ELFCLASS64 ||
			head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_type != ET_CORE ||
			head->e_machine != EM_X86_64)
			throw Error(Exit::failed,
				path + " is not the dump of a machine with x86-64 processors");
	}

	void add(const Elf64_Phdr &part)
	{
		// What was cut off.
		const uint64_t left =
			part.p_offset < file_.size() ? file_.size() - part.p_offset : 0;
		const uint64_t size = std::min<uint64_t>(part.p_filesz, left);
		if (part.p_type == PT_LOAD && size)
			loads_.push_back({part.p_paddr, size, part.p_offset});
		if (part.p_type == PT_NOTE)
			add_notes(part.p_offset, size);
	}

	void add_notes(uint64_t at, uint64_t left)
	{
		Elf64_Nhdr note;
		const auto aligned = [](uint64_t n) { return (n + 3) & ~uint64_t{3}; };

		while (left >= sizeof(note)) {
			std::memcpy(&note, file_.at(at), sizeof(note));
			const uint64_t name = aligned(note.n_namesz), size = aligned(note.n_descsz);
			if (name + size > left - sizeof(note))
				return;
			const char *text =
				reinterpret_cast<const char *>(file_.at(at + sizeof(note)));
			if (note.n_namesz == sizeof("VMCOREINFO") &&
				std::memcmp(text, "VMCOREINFO", note.n_namesz) == 0)
				vmcoreinfo_.assign(text + name, note.n_descsz);
			at += sizeof(note) + name + size;
			left -= sizeof(note) + name + size;
		}
	}

	Mapped file_;
	std::vector<Load> loads_;
	std::string vmcoreinfo_;
};

} // namespace

std::unique_ptr<Image> open_image(const std::string &path)
{
	// The end of a file that is shorter does not matter here.
	const std::string begin = begin_of_file(path, 16);
	if (begin.rfind(LTT_DUMP_REGION_MAGIC, 0) == 0)
		return open_region(open_file(path, O_RDONLY), path);
	if (begin.rfind("KDUMP   ", 0) == 0)
		return open_served_image(path);
	if (begin.rfind("makedumpfile", 0) == 0)
		throw Error(Exit::failed, path + " is flattened; makedumpfile -R FILE < " + path +
						  " makes a file of it");
	return std::make_unique<ElfImage>(path);
}

} // namespace ltt::dump

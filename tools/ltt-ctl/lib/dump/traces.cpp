// SPDX-License-Identifier: MIT
#include "traces.h"

#include <cstring>

#include <linux/ltt_dump.h>

#include "../error.h"
#include "../text.h"

namespace ltt::dump
{

namespace
{

constexpr uint64_t page_size = 4096;

// What is at @address, if it is a root.
bool read_root(const Image &image, uint64_t address, ltt_dump_root &root)
{
	const auto is = [&root](const char(&magic)[sizeof(root.magic)]) {
		return std::memcmp(root.magic, magic, sizeof(root.magic)) == 0;
	};
	return image.read(address, root) && (is(LTT_DUMP_MAGIC) || is(LTT_DUMP_REGION_MAGIC)) &&
	       root.self == address;
}

bool named_root(const Image &image, ltt_dump_root &root)
{
	static const char name[] = "NUMBER(ltt_dump_root)=";
	const std::string info = image.vmcoreinfo();
	const size_t at = info.find(name);

	return at != std::string::npos &&
	       read_root(image, std::strtoull(info.c_str() + at + sizeof(name) - 1, nullptr, 0),
		       root);
}

// An image may have no VMCOREINFO; that of QEMU has it only with "-device vmcoreinfo".
bool search_root(const Image &image, ltt_dump_root &root)
{
	for (const Image::Part &part : image.parts()) {
		// By offsets: the part may end where addresses do.
		uint64_t offset = -part.address % page_size;
		for (; offset <= part.size && sizeof(root) <= part.size - offset;
			offset += page_size) {
			const uint64_t at = part.address + offset;
			char magic[sizeof(root.magic)];
			if (image.read(at, magic) &&
				std::memcmp(magic, LTT_DUMP_MAGIC, sizeof(magic)) == 0 &&
				read_root(image, at, root))
				return true;
		}
	}
	return false;
}

// As the kernel makes them; what else there is would take any amount of memory here.
bool has_geometry(const ltt_trace_page &page)
{
	const auto fits = [](uint64_t n, uint64_t least, uint64_t most) {
		return n >= least && n <= most && !(n & (n - 1));
	};
	return fits(page.subbuf_size, 4096, 16 << 20) && fits(page.n_subbufs, 2, 4096) &&
	       uint64_t{page.subbuf_size} * page.n_subbufs <= 256 << 20;
}

// It becomes that of a directory, and may be anything.
std::string name_of(const ltt_dump_trace &dump)
{
	const std::string name(dump.name, strnlen(dump.name, sizeof(dump.name)));
	try {
		check_trace_name(name);
	} catch (const Error &) {
		return "";
	}
	return name;
}

// Returns why not, or "".
std::string read_trace(const Image &image, uint64_t address, Trace &trace)
{
	ltt_dump_trace dump;
	ltt_trace_page page;

	if (!image.read(address, dump) || dump.magic != LTT_DUMP_TRACE_MAGIC)
		return "its description is not in the dump";
	trace.address = address;
	trace.name = name_of(dump);
	if (!image.read(dump.page, page))
		return "its page is not in the dump";
	if (page.compat > LTT_ABI_VERSION)
		return "it is of a newer kernel; use its ltt-ctl";
	ltt_trace_info &info = trace.info;
	if (!has_geometry(page))
		return "its page is damaged";
	info.size = sizeof(info);
	info.trace = page.trace;
	info.flags = dump.flags;
	info.active = page.active;
	info.filter = page.filter;
	info.mode = page.mode;
	info.subbuf_size = page.subbuf_size;
	info.n_subbufs = page.n_subbufs;
	info.clock = page.clock;
	info.contexts = page.contexts;
	info.clock_freq = page.clock_freq;
	info.clock_now = dump.clock_now;
	info.monotonic_ns = dump.monotonic_ns;
	info.realtime_ns = dump.realtime_ns;
	std::memcpy(info.name, dump.name, sizeof(info.name));
	info.name[sizeof(info.name) - 1] = 0;
	return "";
}

std::string read_hostname(const Image &image, uint64_t address)
{
	char name[65];

	if (!image.read(address, name))
		return "";
	// It is shown, and may be anything.
	return printable(std::string(name, strnlen(name, sizeof(name))));
}

} // namespace

Traces find_traces(const Image &image, const Report &report)
{
	ltt_dump_root root;
	Traces all;

	if (!named_root(image, root) && !search_root(image, root))
		throw Error(Exit::failed, "there are no traces in the dump: its kernel has no ltt "
					  "or had no trace, or "
					  "the dump lacks the pages of the kernel (makedumpfile -d "
					  "31 leaves them in)");
	if (root.version != LTT_DUMP_VERSION || root.page_size != page_size)
		throw Error(Exit::failed,
			"the dump is of a kernel with another description of traces, version " +
				std::to_string(root.version) + "; use the ltt-ctl of that kernel");
	all.hostname = read_hostname(image, root.nodename);
	for (unsigned slot = 0; slot < LTT_MAX_TRACES; ++slot) {
		if (!root.traces[slot])
			continue;
		Trace trace;
		const std::string where = "trace in slot " + std::to_string(slot);
		const std::string why = read_trace(image, root.traces[slot], trace);
		if (!why.empty()) {
			report(where + ": " + why);
			continue;
		}
		if (trace.name.empty()) {
			trace.name = "slot-" + std::to_string(slot);
			report(where + ": its name is damaged; it is called " + trace.name +
				" here");
		}
		all.traces.push_back(std::move(trace));
	}
	return all;
}

} // namespace ltt::dump

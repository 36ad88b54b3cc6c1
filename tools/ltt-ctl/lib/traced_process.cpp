// SPDX-License-Identifier: MIT
#include "traced_process.h"

#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "error.h"
#include "file.h"

namespace ltt
{

namespace
{

// glibc's SIGRTMIN+3, and musl's.
constexpr uint64_t signal_mask =
	uint64_t{1} << (LTT_SIGNAL_DEFAULT - 1) | uint64_t{1} << LTT_SIGNAL_DEFAULT;

void read_status(const std::string &process, TracedProcess &p)
{
	std::ifstream file(process + "/status");
	std::string line;

	while (std::getline(file, line)) {
		std::istringstream in(line);
		std::string key;
		in >> key;
		if (key == "Uid:")
			for (uint32_t uid; in >> uid;)
				p.uids.push_back(uid);
		uint64_t mask;
		if ((key == "SigCgt:" || key == "SigIgn:") && in >> std::hex >> mask)
			p.has_signal = p.has_signal || mask & signal_mask;
	}
}

// The trace page is the part of a buffer's mapping that cannot be written.
std::vector<uint64_t> trace_page_addresses(const std::string &process)
{
	std::ifstream maps(process + "/maps");
	std::vector<uint64_t> all;
	std::string line;

	while (std::getline(maps, line)) {
		std::istringstream in(line);
		std::string range, permissions, offset, device, inode, name;
		in >> range >> permissions >> offset >> device >> inode >> name;
		if (name == "[ltt]" && permissions == "r--s")
			all.push_back(std::stoull(range, nullptr, 16));
	}
	return all;
}

void read_buffers(const std::string &process, TracedProcess &p)
{
	const FileDescriptor memory(open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
	if (memory.get() < 0)
		throw Error(Exit::no_permission, "no permission to look into process " + p.pid +
							 ": only its user and root may");
	for (uint64_t address : trace_page_addresses(process)) {
		ltt_trace_page page;
		if (pread(memory.get(), &page, sizeof(page), static_cast<off_t>(address)) ==
			static_cast<ssize_t>(sizeof(page)))
			p.buffers.push_back(page);
	}
}

} // namespace

bool TracedProcess::has_buffer_of(const ltt_trace_info &trace) const
{
	// The page of one that was destroyed may still be mapped, and its slot be another's.
	for (const ltt_trace_page &page : buffers)
		if (page.trace == trace.trace && page.active == trace.active &&
			page.filter == trace.filter && page.mode == trace.mode &&
			page.subbuf_size == trace.subbuf_size && page.n_subbufs == trace.n_subbufs)
			return true;
	return false;
}

bool TracedProcess::wrote(const ltt_packet &header) const
{
	return std::to_string(initial_namespace ? header.pid : header.vpid) == pid;
}

TracedProcess look_at_process(const std::string &pid, const SystemFiles &files)
{
	const std::string process = files.proc + "/" + pid;
	TracedProcess p;

	p.pid = pid;
	p.initial_namespace = in_initial_pid_namespace(files);
	read_status(process, p);
	if (p.uids.empty())
		throw Error(Exit::failed, "there is no process " + pid);
	read_buffers(process, p);
	return p;
}

} // namespace ltt

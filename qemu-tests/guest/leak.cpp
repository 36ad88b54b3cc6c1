// SPDX-License-Identifier: MIT

#include "leak.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kasan.h"
#include "ktap.h"
#include "process.h"

#include "ust/detail/abi.h"

namespace ktap
{

namespace
{

// Slabs and per-CPU lists move by this much in tests that leak nothing.
constexpr long noise_kib = 1024;

// Each trace in the list, as root sees it. No facility: none.
std::vector<ltt_trace_info> list_traces(int device)
{
	std::vector<ltt_trace_info> list;
	for (unsigned slot = 0; slot < LTT_MAX_TRACES; ++slot) {
		ltt_trace_info info = {};
		info.size = sizeof(info);
		info.trace = slot;
		if (ioctl(device, LTT_IOC_INFO, &info) != 0)
			break;
		list.push_back(info);
		slot = info.trace;
	}
	return list;
}

// Traces, and the buffers that they keep for their next threads.
void count_traces(long &traces, long &pooled)
{
	int fd = open("/dev/ltt", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	for (const ltt_trace_info &info : list_traces(fd)) {
		++traces;
		pooled += static_cast<long>(
			info.pool / (static_cast<__u64>(info.subbuf_size) * info.n_subbufs));
	}
	close(fd);
}

long count_lines_with(const std::string &text, const char *word)
{
	long count = 0;
	for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++count) {
		at = text.find('\n', at);
		if (at == std::string::npos)
			return count + 1;
	}
	return count;
}

long meminfo(const std::string &text, const char *key)
{
	size_t at = text.find(key);
	return at == std::string::npos ? 0 : atol(text.c_str() + at + strlen(key));
}

// Free pages that each CPU keeps for itself; MemFree does not count them.
long kept_by_cpus_kib()
{
	std::string zones = read_file("/proc/zoneinfo");
	long pages = 0;
	for (size_t at = 0; (at = zones.find(" count:", at)) != std::string::npos; ++at)
		pages += atol(zones.c_str() + at + strlen(" count:"));
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// What the allocator of per-CPU memory keeps, once it has grown: chunks of 2 MiB, and
// as much for its own records of each, in areas of functions whose names differ with
// what the compiler puts in line.
long kept_for_cpus_kib(const std::string &meminfo_text, const std::string &areas)
{
	constexpr char pages_key[] = " pages=";
	std::istringstream table(areas);
	long pages = 0;
	for (std::string line; std::getline(table, line);) {
		size_t at = line.find(pages_key);
		if (at != std::string::npos && line.find(" pcpu_") != std::string::npos)
			pages += atol(line.c_str() + at + strlen(pages_key));
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024) + meminfo(meminfo_text, "\nPercpu:");
}

// The lines of /proc/meminfo that have grown.
std::string grown(const std::string &was, const std::string &is)
{
	std::istringstream lines(is);
	std::string all;
	for (std::string key, rest; lines >> key && std::getline(lines, rest);) {
		long more = atol(rest.c_str()) - meminfo(was, key.c_str());
		if (more >= 100 && key != "MemFree:" && key != "MemAvailable:")
			all += " " + key + " +" + std::to_string(more);
	}
	return all.empty() ? all : "leak: /proc/meminfo in KiB:" + all + "\n";
}

// A line for each thing of which there is more now.
std::string difference(const Resources &before, const Resources &now)
{
	const long used_noise_kib = noise_kib + (has_kasan() ? max_idle_shadow_kib : 0);
	auto line = [](const char *what, long was, long is, long noise) {
		if (is <= was + noise)
			return std::string();
		return std::string("leak: ") + what + ": " + std::to_string(was) + " before, " +
		       std::to_string(is) + " after\n";
	};
	return line("traces", before.traces, now.traces, 0) +
	       line("buffers of relay", before.relay_buffers, now.relay_buffers, 0) +
	       line("kernel memory in KiB", before.kernel_kib, now.kernel_kib, noise_kib) +
	       line("used memory in KiB", before.used_kib, now.used_kib, used_noise_kib);
}

} // namespace

Resources resources()
{
	Resources now;
	if (has_kasan())
		drain_quarantine();
	now.meminfo = read_file("/proc/meminfo");
	const std::string &memory = now.meminfo;
	std::string areas = read_file("/proc/vmallocinfo");
	long pooled = 0, for_cpus = kept_for_cpus_kib(memory, areas);
	count_traces(now.traces, pooled);
	now.relay_buffers = count_lines_with(areas, "relay_") - pooled;
	now.kernel_kib = meminfo(memory, "\nSUnreclaim:") + meminfo(memory, "\nPageTables:") +
			 meminfo(memory, "\nVmallocUsed:") - for_cpus;
	now.used_kib = meminfo(memory, "MemTotal:") - meminfo(memory, "\nMemFree:") -
		       meminfo(memory, "\nCached:") - meminfo(memory, "\nBuffers:") -
		       meminfo(memory, "\nSReclaimable:") - kept_by_cpus_kib() - for_cpus;
	return now;
}

void destroy_left_traces()
{
	int device = open("/dev/ltt", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return;
	for (const ltt_trace_info &info : list_traces(device)) {
		if (info.flags & LTT_TRACE_BOOT)
			continue;
		ltt_trace_name name = {};
		memcpy(name.name, info.name, sizeof(name.name));
		int trace = ioctl(device, LTT_IOC_OPEN, &name);
		if (trace < 0)
			continue;
		ioctl(trace, LTT_IOC_DESTROY);
		close(trace);
	}
	close(device);
}

std::string leaked_since(const Resources &before)
{
	Resources now;
	std::string leak;
	auto clean = [&] {
		now = resources();
		leak = difference(before, now);
		return leak.empty();
	};
	return wait_until(clean, 3) ? "" : leak + grown(before.meminfo, now.meminfo);
}

} // namespace ktap

// SPDX-License-Identifier: MIT
#include "machine.h"

#include <fstream>

#include <sys/utsname.h>
#include <unistd.h>

#include "kernel.h"

namespace ltt
{

namespace
{

std::optional<uint64_t> read_number(const std::string &path)
{
	std::ifstream file(path);
	uint64_t number;
	if (file >> number)
		return number;
	return {};
}

std::optional<uint64_t> read_kilobytes(const std::string &path)
{
	std::optional<uint64_t> number = read_number(path);
	if (number)
		*number <<= 10;
	return number;
}

Quotas read_quotas(const SystemFiles &files)
{
	const std::string parameters = files.sys + "/module/ltt/parameters/";

	return {read_kilobytes(parameters + "memory_kb"),
		read_kilobytes(parameters + "user_memory_kb"),
		read_number(parameters + "user_traces")};
}

// The kernel takes the time stamp counter off this list when it does not trust it, which is
// what a new trace goes by.
std::string clock_of_machine(const SystemFiles &files)
{
	std::ifstream file(
		files.sys + "/devices/system/clocksource/clocksource0/available_clocksource");
	std::string source, clock;
	while (file >> source) {
		clock = source == "tsc" ? source : "monotonic";
		if (source == "tsc")
			break;
	}
	return clock;
}

} // namespace

bool in_initial_pid_namespace(const SystemFiles &files)
{
	// The kernel gives it the same number on all machines.
	static constexpr char initial[] = "pid:[4026531836]";
	char link[64] = "";
	const std::string path = files.proc + "/self/ns/pid";
	return readlink(path.c_str(), link, sizeof(link) - 1) <= 0 || std::string(link) == initial;
}

Machine look_at_machine(const SystemFiles &files)
{
	Machine m;
	utsname name{};

	if (uname(&name) == 0)
		m.kernel = std::string(name.sysname) + " " + name.release + " " + name.machine;
	m.host = host_name();
	m.clock = clock_of_machine(files);
	m.may_trace_system = may_trace_system();
	m.quotas = read_quotas(files);
	return m;
}

} // namespace ltt

// SPDX-License-Identifier: MIT
#include "machine_check.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search_path.h"
#include "text.h"

namespace ltt
{

namespace
{

// The value of a line "Key:	value" of /proc/self/status, or "".
std::string status_value(const SystemFiles &files, const std::string &key)
{
	std::ifstream file(files.proc + "/self/status");
	std::string line;
	while (std::getline(file, line))
		if (line.compare(0, key.size() + 1, key + ":") == 0) {
			const size_t at = line.find_first_not_of(" \t", key.size() + 1);
			return at == std::string::npos ? "" : line.substr(at);
		}
	return "";
}

bool signal_is_in(const std::string &mask)
{
	return std::strtoull(mask.c_str(), nullptr, 16) >> (LTT_SIGNAL_DEFAULT - 1) & 1;
}

// What is ignored or blocked here stays so in each program that is started from here.
Finding check_signal(const SystemFiles &files)
{
	const char *how = signal_is_in(status_value(files, "SigIgn"))	? "ignored"
			  : signal_is_in(status_value(files, "SigBlk")) ? "blocked"
									: nullptr;
	if (!how)
		return {"signal", Verdict::ok,
			"SIGRTMIN+3 is free for the markers of programs started from here"};
	return {"signal", Verdict::warn,
		std::string("SIGRTMIN+3 is ") + how +
			" here and in programs started from here: their threads learn of a change "
			"at their next marker only; start them from where it is not"};
}

Finding check_calls(const MachineProbe &probe)
{
	const int error = probe.call();
	const bool filtered = status_value(probe.files, "Seccomp") == "2";

	if (error == -1 || error == ENOSYS || error == EPERM || error == EACCES)
		return {"calls", Verdict::fail,
			"the system calls " + std::to_string(LTT_NR_update) + " to " +
				std::to_string(LTT_NR_register) +
				(error == -1 ? " kill" : " are refused to") +
				" programs started from here: " +
				(filtered ? "have the seccomp filter allow them"
					  : "look for what filters system calls"),
			Exit::no_permission};
	return {"calls", Verdict::ok,
		std::string("programs started from here may make ltt's system calls") +
			(filtered ? "; the seccomp filter lets them through" : "")};
}

Finding check_namespaces(const SystemFiles &files)
{
	std::ifstream map(files.proc + "/self/uid_map");
	uint64_t inside = 0, outside = 0, count = 0;

	if (map >> inside >> outside >> count && count != UINT32_MAX)
		return {"namespaces", Verdict::warn,
			"this is a user namespace: its CAP_PERFMON does not count, and traces "
			"cover one's own processes in it; trace from outside to see more"};
	if (!in_initial_pid_namespace(files))
		return {"namespaces", Verdict::ok,
			"this is a pid namespace: --pid takes its numbers, and traces show others"};
	return {"namespaces", Verdict::ok, "users and processes are those of the machine"};
}

Finding check_proc(const SystemFiles &files)
{
	std::ifstream file(files.proc + "/sys/kernel/random/boot_id");
	std::string id;

	if (std::getline(file, id) && !id.empty())
		return {"proc", Verdict::ok, "boot_id, which names the clock of traces, is there"};
	return {"proc", Verdict::fail,
		"cannot read " + files.proc +
			"/sys/kernel/random/boot_id, which record needs to name the clock: mount "
			"/proc",
		Exit::failed};
}

Finding check_permission(const Machine &machine)
{
	return {"permission", Verdict::ok,
		machine.may_trace_system ? "you may trace all processes"
					 : "you may trace processes of your own; all of them need "
					   "CAP_PERFMON"};
}

// One that nobody sees: limited to this very process, which has no markers.
Finding check_trace(Kernel &kernel, std::string &clock)
{
	const std::string self = std::to_string(getpid());
	TraceParams params;
	params.name = "check-" + self;
	params.targets = {pid_target(self, false)};
	params.rules = "check:*";
	try {
		std::unique_ptr<KernelTrace> trace = kernel.create(params);
		clock = format_clock(trace->info().clock);
		trace->destroy();
	} catch (const Error &e) {
		return {"trace", Verdict::fail, e.what(), e.code()};
	}
	return {"trace", Verdict::ok, "a trace can be made, with rules and limits"};
}

Finding check_clock(const std::string &clock)
{
	if (clock == "tsc")
		return {"clock", Verdict::ok, "the time stamp counter, which the kernel trusts"};
	if (clock == "monotonic")
		return {"clock", Verdict::warn,
			"CLOCK_MONOTONIC, as the kernel does not trust the time stamp counter: "
			"markers are slower; the kernel's log says why, and the option "
			"tsc=reliable overrules it"};
	return {"clock", Verdict::warn, "not known: mount /sys to see"};
}

constexpr uint64_t default_thread = 4 * 64 * 1024;

Finding check_memory(const Machine &machine)
{
	const Quotas &q = machine.quotas;
	if (!q.memory || !q.user_memory)
		return {"memory", Verdict::warn, "quotas cannot be read: mount /sys to see them"};
	const std::string all = format_size(*q.memory), user = format_size(*q.user_memory);
	const bool privileged = machine.may_trace_system;
	if (*q.memory < default_thread || (!privileged && *q.user_memory < default_thread))
		return {"memory", Verdict::warn,
			"buffers may take " + all + ", a user's " + user +
				", and a thread takes 256k by default: raise memory_kb and "
				"user_memory_kb in /sys/module/ltt/parameters, or take smaller "
				"--subbuf-size"};
	return {"memory", Verdict::ok, "buffers may take " + all + ", a user's " + user};
}

Finding check_refused(Kernel &kernel)
{
	for (const ltt_trace_info &info : kernel.list())
		if (info.refused)
			return {"buffers", Verdict::warn,
				std::to_string(info.refused) + " buffers of trace " +
					trace_name(info) +
					" were refused, whose threads are not traced: memory is "
					"short, or limited by --memory or a quota"};
	return {"buffers", Verdict::ok, "none was refused"};
}

Finding check_reader(const std::string &path)
{
	const std::string file = find_command("babeltrace2", path);
	if (file.empty())
		return {"babeltrace2", Verdict::warn,
			"is not in PATH: install it, or another reader of CTF 1.8, to read what is "
			"recorded"};
	return {"babeltrace2", Verdict::ok, file};
}

// What can be asked of the kernel's ltt only, as far as it gets.
void check_kernel(const MachineProbe &probe, const Machine &machine, std::vector<Finding> &findings)
{
	std::unique_ptr<Kernel> kernel;
	std::string clock = machine.clock;

	try {
		kernel = probe.open();
	} catch (const Error &e) {
		if (e.code() == Exit::no_kernel) {
			findings.push_back({"kernel", Verdict::fail,
				machine.kernel + ": " + e.what(), e.code()});
			return;
		}
		findings.push_back({"kernel", Verdict::ok, machine.kernel + " has ltt"});
		findings.push_back({"device", Verdict::fail, e.what(), e.code()});
	}
	if (kernel) {
		findings.push_back({"kernel", Verdict::ok,
			machine.kernel + " has ltt, ABI " + std::to_string(kernel->version())});
		findings.push_back({"device", Verdict::ok, "/dev/ltt can be opened"});
		findings.push_back(check_permission(machine));
		findings.push_back(check_trace(*kernel, clock));
		findings.push_back(check_refused(*kernel));
	}
	findings.push_back(check_calls(probe));
	findings.push_back(check_clock(clock));
	findings.push_back(check_memory(machine));
}

// A child makes the call: it would register this thread with the kernel, or be killed.
int call_of_ltt()
{
	const pid_t child = fork();
	if (child < 0)
		return errno;
	if (child == 0) {
		syscall(LTT_NR_register, nullptr, 0);
		_exit(errno);
	}
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

const char *verdict_name(Verdict verdict)
{
	static constexpr const char *names[] = {"ok", "warn", "fail"};
	return names[static_cast<int>(verdict)];
}

MachineProbe this_machine()
{
	MachineProbe probe;
	probe.call = call_of_ltt;
	probe.path = search_path();
	return probe;
}

std::vector<Finding> check_machine(const MachineProbe &probe)
{
	std::vector<Finding> findings;

	check_kernel(probe, look_at_machine(probe.files), findings);
	findings.push_back(check_signal(probe.files));
	findings.push_back(check_namespaces(probe.files));
	findings.push_back(check_proc(probe.files));
	findings.push_back(check_reader(probe.path));
	return findings;
}

Exit exit_code(const std::vector<Finding> &findings)
{
	Exit code = Exit::fine;
	for (const Finding &f : findings) {
		if (f.verdict != Verdict::fail)
			continue;
		if (f.code == Exit::no_kernel)
			return f.code;
		if (code != Exit::no_permission)
			code = f.code;
	}
	return code;
}

} // namespace ltt

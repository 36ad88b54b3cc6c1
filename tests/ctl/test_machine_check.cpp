// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "lib/machine_check.h"
#include "support/fake_kernel.h"
#include "support/fake_system.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using ltt::Exit;
using ltt::Verdict;

namespace
{

// A kernel that says no, or one of the fake kind that outlives its checks.
struct TestKernel : FakeKernel {
	explicit TestKernel(FakeState &s, std::string no, Exit c) : all(s), refusal(no), code(c) {}
	std::unique_ptr<ltt::KernelTrace> create(const ltt::TraceParams &params) override
	{
		if (!refusal.empty())
			throw ltt::Error(code, refusal);
		all.destroyed = false;
		all.params = params;
		all.calls.push_back("create");
		return std::make_unique<FakeTrace>(all);
	}
	std::vector<ltt_trace_info> list() override
	{
		ltt_trace_info info{};
		info.refused = refused;
		std::strcpy(info.name, "busy");
		return {info};
	}

	FakeState &all;
	std::string refusal;
	Exit code;
	uint64_t refused = 0;
};

// A machine on which all is well, but for what a test changes.
struct TestMachine {
	FakeSystem system;
	FakeState state;
	Directory bin;
	ltt::MachineProbe probe;
	std::string refusal;
	Exit refusal_code = Exit::failed;
	uint64_t refused = 0;

	TestMachine()
	{
		system.parameter("memory_kb", "1048576");
		system.parameter("user_memory_kb", "131072");
		system.parameter("user_traces", "8");
		system.clock_sources("tsc\n");
		status("0000000000000000", "0000000000000000", 0);
		system.write("proc/self/uid_map", "         0          0 4294967295\n");
		system.link("proc/self/ns/pid", "pid:[4026531836]");
		system.write("proc/sys/kernel/random/boot_id", "0123\n");
		const std::string reader = bin / "babeltrace2";
		std::ofstream(reader) << "#!/bin/sh\n";
		chmod(reader.c_str(), 0755);
		probe.files = system.files();
		probe.path = bin.path();
		probe.call = [] { return EINVAL; };
		probe.open = [this] {
			auto kernel = std::make_unique<TestKernel>(state, refusal, refusal_code);
			kernel->refused = refused;
			return kernel;
		};
	}
	void status(const std::string &ignored, const std::string &blocked, int seccomp)
	{
		system.write("proc/self/status",
			"Name:\tx\nSigBlk:\t" + blocked + "\nSigIgn:\t" + ignored + "\nSeccomp:\t" +
				std::to_string(seccomp) + "\nSeccomp_filters:\t0\n");
	}
	void open_fails(Exit code, const std::string &why)
	{
		probe.open = [=]() -> std::unique_ptr<ltt::Kernel> { throw ltt::Error(code, why); };
	}

	std::vector<ltt::Finding> check() { return ltt::check_machine(probe); }
	Exit exit() { return ltt::exit_code(check()); }
	// "verdict: text", or "" if it was not looked at.
	std::string says(const std::string &name)
	{
		for (const ltt::Finding &f : check())
			if (f.name == name)
				return std::string(ltt::verdict_name(f.verdict)) + ": " + f.text;
		return "";
	}
};

} // namespace

TEST_CASE("check: everything is looked at, in this order")
{
	TestMachine m;
	std::vector<std::string> names;
	for (const ltt::Finding &f : m.check()) {
		names.push_back(f.name);
		// The clock of the fake kernel's traces is the slow one.
		CHECK(f.verdict == (f.name == "clock" ? Verdict::warn : Verdict::ok));
		CHECK(f.text.find('\n') == std::string::npos);
	}
	CHECK(names == std::vector<std::string>{"kernel", "device", "permission", "trace",
			       "buffers", "calls", "clock", "memory", "signal", "namespaces",
			       "proc", "babeltrace2"});
	CHECK(m.exit() == Exit::fine);
	CHECK_THAT(m.says("kernel"), Contains("has ltt, ABI 1"));
}

TEST_CASE("check: a trace is made of this process alone, with rules, and destroyed")
{
	TestMachine m;
	CHECK(m.says("trace") == "ok: a trace can be made, with rules and limits");
	CHECK(m.state.calls == std::vector<std::string>{"create", "destroy"});
	CHECK(m.state.params.name == "check-" + std::to_string(getpid()));
	CHECK(!m.state.params.system);
	REQUIRE(m.state.params.targets.size() == 1);
	CHECK(m.state.params.targets[0].target.kind == LTT_TARGET_PID);
	CHECK(m.state.params.targets[0].target.id == getpid());
	CHECK(m.state.params.rules != "");

	m.state = {};
	m.refusal = "cannot create trace: you have as many as a user may";
	CHECK(m.says("trace") == "fail: " + m.refusal);
	CHECK(m.exit() == Exit::failed);
	m.refusal_code = Exit::no_permission;
	CHECK(m.exit() == Exit::no_permission);
}

TEST_CASE("check: a kernel without ltt ends what can be asked of it, with status 3")
{
	TestMachine m;
	m.open_fails(Exit::no_kernel, "this kernel has no ltt: boot one");
	CHECK_THAT(m.says("kernel"), StartsWith("fail: ") && Contains("this kernel has no ltt"));
	for (const char *name : {"device", "trace", "calls", "clock", "memory"})
		CHECK(m.says(name) == "");
	CHECK(m.says("proc") != "");
	CHECK(m.exit() == Exit::no_kernel);
}

TEST_CASE("check: a device that is missing or closed is told from a kernel without ltt")
{
	TestMachine m;
	m.open_fails(Exit::no_permission, "no permission to open /dev/ltt: run as root");
	CHECK_THAT(m.says("kernel"), StartsWith("ok: "));
	CHECK(m.says("device") == "fail: no permission to open /dev/ltt: run as root");
	CHECK(m.says("trace") == "");
	CHECK(m.says("calls") != "");
	CHECK(m.exit() == Exit::no_permission);
	m.open_fails(Exit::failed, "/dev/ltt is missing");
	CHECK(m.says("device") == "fail: /dev/ltt is missing");
	CHECK(m.exit() == Exit::failed);
}

TEST_CASE("check: system calls that are refused or kill are found, and the filter is named")
{
	TestMachine m;
	CHECK_THAT(m.says("calls"), StartsWith("ok: ") && !Contains("seccomp"));
	m.status("0", "0", 2);
	CHECK_THAT(m.says("calls"), StartsWith("ok: ") && Contains("the seccomp filter lets"));
	for (int error : {EPERM, ENOSYS, EACCES}) {
		m.probe.call = [=] { return error; };
		CHECK_THAT(m.says("calls"),
			StartsWith("fail: the system calls 548 to 550 are refused to programs") &&
				Contains("have the seccomp filter allow them"));
		CHECK(m.exit() == Exit::no_permission);
	}
	m.probe.call = [] { return -1; };
	CHECK_THAT(m.says("calls"), Contains("548 to 550 kill programs"));
	m.status("0", "0", 0);
	CHECK_THAT(m.says("calls"), Contains("look for what filters system calls"));
}

TEST_CASE("check: on this machine, a call of ltt without an argument is an error, and no more")
{
	const int error = ltt::this_machine().call();
	CHECK((error == ENOSYS || error == EINVAL || error == EFAULT || error == E2BIG));
}

TEST_CASE("check: a clock that is not trusted, or not known, is a warning")
{
	TestMachine m;
	CHECK_THAT(m.says("clock"), StartsWith("warn: CLOCK_MONOTONIC"));
	// Where no trace can be made, /sys tells.
	m.refusal = "no";
	CHECK_THAT(m.says("clock"), StartsWith("ok: the time stamp counter"));
	m.system.clock_sources("hpet\n");
	CHECK_THAT(m.says("clock"), StartsWith("warn: CLOCK_MONOTONIC"));
	m.system.clock_sources("");
	CHECK_THAT(m.says("clock"), StartsWith("warn: not known"));
}

TEST_CASE("check: the signal is looked for among what programs inherit")
{
	TestMachine m;
	CHECK_THAT(m.says("signal"), StartsWith("ok: "));
	m.status("0000001000000000", "0000000000000000", 0); // 37
	CHECK_THAT(m.says("signal"), StartsWith("warn: SIGRTMIN+3 is ignored"));
	m.status("0000000000000000", "fffffffe7ffbfeff", 0);
	CHECK_THAT(m.says("signal"), StartsWith("warn: SIGRTMIN+3 is blocked"));
	m.status("ffffffefffffffff", "ffffffefffffffff", 0); // all but that one
	CHECK_THAT(m.says("signal"), StartsWith("ok: "));
	CHECK(m.exit() == Exit::fine);
}

TEST_CASE("check: namespaces that change what traces and numbers mean are named")
{
	TestMachine m;
	CHECK_THAT(m.says("namespaces"), StartsWith("ok: users and processes"));
	m.system.write("proc/self/uid_map", "         0       1000          1\n");
	CHECK_THAT(m.says("namespaces"), StartsWith("warn: this is a user namespace"));
	TestMachine other;
	unlink((other.probe.files.proc + "/self/ns/pid").c_str());
	other.system.link("proc/self/ns/pid", "pid:[4026532000]");
	CHECK_THAT(other.says("namespaces"), StartsWith("ok: this is a pid namespace"));
}

TEST_CASE("check: what record needs of /proc is missed")
{
	TestMachine m;
	m.system.write("proc/sys/kernel/random/boot_id", "");
	CHECK_THAT(m.says("proc"), StartsWith("fail: cannot read ") && Contains("mount /proc"));
	CHECK(m.exit() == Exit::failed);
}

TEST_CASE("check: quotas that a thread does not fit into, and refused buffers, are warnings")
{
	TestMachine m;
	CHECK(m.says("memory") == "ok: buffers may take 1G, a user's 128M");
	m.system.parameter("memory_kb", "255");
	CHECK_THAT(m.says("memory"), StartsWith("warn: buffers may take 255k") &&
					     Contains("/sys/module/ltt/parameters"));
	m.system.parameter("memory_kb", "x");
	CHECK_THAT(m.says("memory"), StartsWith("warn: quotas cannot be read: mount /sys"));

	CHECK_THAT(m.says("buffers"), StartsWith("ok: "));
	m.refused = 3;
	CHECK_THAT(m.says("buffers"), StartsWith("warn: 3 buffers of trace busy were refused"));
	CHECK(m.exit() == Exit::fine);
}

TEST_CASE("check: a reader of traces is looked for in PATH")
{
	TestMachine m;
	CHECK(m.says("babeltrace2") == "ok: " + (m.bin / "babeltrace2"));
	chmod((m.bin / "babeltrace2").c_str(), 0644);
	if (geteuid() != 0 || access((m.bin / "babeltrace2").c_str(), X_OK) != 0)
		CHECK_THAT(m.says("babeltrace2"), StartsWith("warn: is not in PATH"));
	m.probe.path = "/nowhere";
	CHECK_THAT(m.says("babeltrace2"), StartsWith("warn: is not in PATH: install it"));
}

TEST_CASE("check: no ltt goes before no permission, and that before any other failure")
{
	auto fail = [](Exit code) { return ltt::Finding{"x", Verdict::fail, "", code}; };
	const ltt::Finding warning{"x", Verdict::warn, "", Exit::no_kernel};
	CHECK(ltt::exit_code({}) == Exit::fine);
	CHECK(ltt::exit_code({warning}) == Exit::fine);
	CHECK(ltt::exit_code({fail(Exit::failed), fail(Exit::no_permission)}) ==
		Exit::no_permission);
	CHECK(ltt::exit_code({fail(Exit::no_permission), fail(Exit::failed), warning}) ==
		Exit::no_permission);
	CHECK(ltt::exit_code({fail(Exit::no_permission), fail(Exit::no_kernel)}) ==
		Exit::no_kernel);
	CHECK(ltt::exit_code({fail(Exit::no_kernel), fail(Exit::no_permission)}) ==
		Exit::no_kernel);
}
